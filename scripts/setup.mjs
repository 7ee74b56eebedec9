/**
 * Set-up before `npm start` and `npm test`, with Node.js alone: installs when the lock file changed, builds the EVM
 * and the trees when `evm/` or `trees/` changed, and `dist/` when sources changed. Otherwise it only compares file times.
 *
 * npm runs it with `--prepare` after an installation in a checkout, and when it installs the package from a repository. Then
 * the packages are there, unless those for development were left out: such an installation keeps what is built.
 */
import { spawnSync } from 'node:child_process'
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

function run(title, command, args) {
  const started = Date.now()
  process.stderr.write(`${title} ...`)
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
    // Tells the script `prepare` of an installation that this program builds afterwards.
    env: { ...process.env, ALMANAC_SETUP: '1' },
  })
  if (status !== 0) {
    process.stderr.write(` failed\n${stdout ?? ''}${stderr ?? ''}\n`)
    process.exit(status ?? 1)
  }
  process.stderr.write(` ${((Date.now() - started) / 1000).toFixed(1)} s\n`)
}

const isPrepare = process.argv.includes('--prepare')
if (isPrepare && (process.env.ALMANAC_SETUP || !areThere('node_modules/esbuild', 'node_modules/assemblyscript'))) {
  process.exit(0)
}
const stamp = readStamp()
const lockText = readFileSync(join(root, 'package-lock.json'), 'utf8')
const lock = createHash('sha256').update(lockText).digest('hex')
if (!isPrepare && (stamp.lock !== lock || !existsSync(join(root, 'node_modules', '.package-lock.json')))) {
  if (!installed(lockText)) {
    refuseLinkedPackages()
    run('installing packages', 'npm', ['ci', '--include=dev', '--no-audit', '--no-fund'])
  }
}
const evm = fingerprint(['evm', 'trees', 'scripts/build-evm.mjs', 'scripts/parts.mjs', 'package-lock.json'])
const evmBuilt =
  stamp.evm === evm &&
  areThere('build/evm/mcl.wasm', 'build/trees.wasm', 'build/trees-shared.wasm', 'build/secp256k1/bindings.cjs')
if (!evmBuilt) run('building the EVM and the trees', process.execPath, ['scripts/build-evm.mjs'])
const dist = `${fingerprint(['src', 'web', 'scripts', 'package.json', 'package-lock.json', 'tsconfig.json'])} ${process.version}`
const distBuilt = stamp.dist === dist && areThere('dist/code.cjs', 'dist/web/index.html', 'build/trees-worker.cjs')
if (!distBuilt) run('building almanac', process.execPath, ['scripts/build.mjs'])
if (stamp.lock !== lock || !evmBuilt || !distBuilt) {
  mkdirSync(join(root, 'build'), { recursive: true })
  writeFileSync(stampFile, `${JSON.stringify({ lock, evm, dist })}\n`)
}
