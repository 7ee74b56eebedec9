/**
 * Set-up before `npm start` and `npm test`, with Node.js alone: installs when the lock file changed, builds the EVM
 * and the trees when `evm/` or `trees/` changed, and `dist/` when sources changed. Otherwise it only compares file times.
 *
 * npm runs it with `--prepare` after an installation in a checkout, and in the clone when it installs the package from a
 * repository. Then the packages are there, unless those for development were left out: such an installation keeps what is built.
 * The script is `postprepare`: npm warns of a script `prepare` when it installs the tarball.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const stampFile = join(root, 'build', 'setup.json')

/** Returns one hash over path, size and time of every file below the given files and folders. */
function fingerprint(paths) {
  const hash = createHash('sha256')
  const visit = (path) => {
    const stat = statSync(join(root, path), { throwIfNoEntry: false })
    if (!stat) return
    if (!stat.isDirectory()) {
      if (!path.endsWith('.test.ts')) hash.update(`${path}\0${stat.size}\0${stat.mtimeMs}\n`)
      return
    }
    for (const name of readdirSync(join(root, path)).sort()) visit(`${path}/${name}`)
  }
  for (const path of paths) visit(path)
  return hash.digest('hex')
}

const areThere = (...paths) => paths.every((path) => existsSync(join(root, path)))

function readStamp() {
  try {
    return JSON.parse(readFileSync(stampFile, 'utf8'))
  } catch {
    return {}
  }
}

/**
 * Whether every package that the lock file requires on this machine is installed in the right version. npm does not install an
 * optional peer that the lock file lists.
 */
function installed(lockText) {
  const hiddenFile = join(root, 'node_modules', '.package-lock.json')
  if (!existsSync(hiddenFile)) return false
  const wanted = JSON.parse(lockText).packages
  const present = JSON.parse(readFileSync(hiddenFile, 'utf8')).packages
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' ||
      entry.optional ||
      (entry.peer && present[path] === undefined) ||
      present[path]?.version === entry.version,
  )
}

/** Ends the program if `node_modules` is a link: `npm ci` would delete the packages of the checkout that it leads to. */
function refuseLinkedPackages() {
  const path = join(root, 'node_modules')
  if (!lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return
  process.stderr.write(
    `${path} is a link to packages that are not those of package-lock.json: run npm ci where it leads, or delete the link\n`,
  )
  process.exit(1)
}

/** Expected time of a step without an earlier run. Unit: milliseconds. */
const USUAL_MS = { packages: 30_000, evm: 20_000, dist: 15_000 }

/** Shows a step on a terminal: what runs, how long it has, and how long the rest takes by the last run of that step here. */
function show(title, startedMs, usualMs) {
  const seconds = (ms) => `${Math.ceil(ms / 1000)} s`
  const draw = () => {
    const tookMs = Date.now() - startedMs
    const filled = Math.min(20, Math.floor((tookMs / usualMs) * 20))
    const left = tookMs < usualMs ? `, about ${seconds(usualMs - tookMs)} left` : ''
    process.stderr.write(`\r\u001b[2K${title} ▕${'█'.repeat(filled).padEnd(20)}▏ ${seconds(tookMs)}${left}`)
  }
  draw()
  const timer = setInterval(draw, 250)
  return () => {
    clearInterval(timer)
    process.stderr.write(`\r\u001b[2K${title} ...`)
  }
}

/** Runs a step, and ends the program if it fails. Resolves with its time. Unit: milliseconds. */
async function run(title, command, args, usualMs) {
  const startedMs = Date.now()
  const hide = process.stderr.isTTY ? show(title, startedMs, usualMs) : () => {}
  if (!process.stderr.isTTY) process.stderr.write(`${title} ...`)
  let output = ''
  const child = spawn(command, args, {
    cwd: root,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'pipe', 'pipe'],
    // Tells the script `postprepare` of an installation that this program builds afterwards.
    env: { ...process.env, ALMANAC_SETUP: '1' },
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      output += text
    })
  }
  const status = await new Promise((done) => {
    child.once('error', (error) => {
      output += error.message
      done(1)
    })
    child.once('close', (code) => done(code ?? 1))
  })
  hide()
  if (status !== 0) {
    process.stderr.write(` failed\n${output}\n`)
    process.exit(status)
  }
  const tookMs = Date.now() - startedMs
  process.stderr.write(` ${(tookMs / 1000).toFixed(1)} s\n`)
  return tookMs
}

const isPrepare = process.argv.includes('--prepare')
if (isPrepare && (process.env.ALMANAC_SETUP || !areThere('node_modules/esbuild', 'node_modules/assemblyscript'))) {
  process.exit(0)
}
const stamp = readStamp()
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8')
const lock = createHash('sha256').update(lockText).digest('hex')
const isInstalled =
  isPrepare ||
  (stamp.lock === lock && existsSync(join(root, 'node_modules', '.package-lock.json'))) ||
  installed(lockText)
if (!isInstalled) refuseLinkedPackages()
const evm = fingerprint(['evm', 'trees', 'scripts/build-evm.mjs', 'scripts/parts.mjs', 'package-lock.json'])
const isEvmBuilt =
  stamp.evm === evm &&
  areThere('build/evm/mcl.wasm', 'build/trees.wasm', 'build/trees-shared.wasm', 'build/secp256k1/bindings.cjs')
const dist = `${fingerprint(['src', 'web', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'])} ${process.version}`
const isDistBuilt = stamp.dist === dist && areThere('dist/code.cjs', 'dist/web/index.html', 'build/trees-worker.cjs')

const install = ['ci', '--include=dev', '--no-audit', '--no-fund']
const steps = [
  { name: 'packages', done: isInstalled, title: 'installing packages', command: 'npm', args: install },
  {
    name: 'evm',
    done: isEvmBuilt,
    title: 'building the EVM and the trees',
    command: process.execPath,
    args: ['scripts/build-evm.mjs'],
  },
  {
    name: 'dist',
    done: isDistBuilt,
    title: 'building almanac',
    command: process.execPath,
    args: ['scripts/build.mjs'],
  },
].filter(({ done }) => !done)
const tookMs = { ...USUAL_MS, ...stamp.tookMs }
for (const [i, { name, title, command, args }] of steps.entries()) {
  const place = steps.length > 1 ? `${i + 1} of ${steps.length}: ` : ''
  tookMs[name] = await run(`${place}${title}`, command, args, tookMs[name])
}
if (stamp.lock !== lock || steps.length > 0) {
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(stampFile, `${JSON.stringify({ lock, evm, dist, tookMs })}\n`)
}
