/**
 * Writes `docs/dependencies.md`, the table of the packages that ship, from the lock file, the installed packages and the
 * registry. With `--check` it asks no registry: it compares the table with the lock file and the build, and exits with 1 for a
 * package that has no row, for a wrong row, and for a version that was younger than seven days when it was taken.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { shippedPackages } from './shipped.mjs'

/** Age of a version at which Almanac may take it. `npm run take` obeys the same rule. Unit: days. */
const YOUNGEST_DAYS = 7
const DAY_MS = 86_400_000
const page = fileURLToPath(new URL('../docs/dependencies.md', import.meta.url))
const root = fileURLToPath(new URL('..', import.meta.url))

/** Reasons for the packages that Almanac itself asks for. */
const REASONS = {
  '@bufbuild/protobuf': 'Protobuf messages and descriptors; users of `almanac/messages` share it',
  '@grpc/grpc-js': 'the gRPC gateway; without `@grpc/proto-loader`',
  '@jitl/quickjs-wasmfile-release-sync': 'QuickJS as WebAssembly, the sandbox of JavaScript tracers',
  '@napi-rs/keyring': 'the keyring of the operating system, for `--keyring-backend os`; optional',
  '@noble/ciphers': 'ciphers of key files',
  '@noble/curves': 'curves in pure JavaScript: P-256, Ed25519, and where no faster code loads',
  '@noble/hashes': 'RIPEMD-160, and hashes of `almanac/messages`',
  '@scure/base': 'Bech32',
  '@scure/bip32': 'key derivation of `almanac keys`',
  '@scure/bip39': 'mnemonics',
  bcryptjs: 'the key derivation of the armored key format',
  commander: 'the command line',
  jose: 'opens the keyrings of the tool of the family',
  lmdb: 'the database',
  'mcl-wasm': 'BN254 and BLS12-381 as WebAssembly; only its `.wasm` ships',
  'node-gyp-build': 'selects the binary of libsecp256k1 for the machine',
  preact: 'the console',
  'preact-iso': 'the console: pages by address',
  'prom-client': 'metrics',
  'quickjs-emscripten-core': 'calls QuickJS',
  secp256k1: 'libsecp256k1: its binaries, without its fallback `elliptic`',
  'smol-toml': 'reads `config.toml`',
  uplot: 'the console: charts',
  viem: 'the console: calls of contracts',
  ws: 'WebSockets',
  yaml: 'output of commands',
}

/** Returns the packages of the table, without binaries for one platform, which have the row of the package that loads them. */
function listed() {
  const all = new Map()
  for (const { name, version, path, entry, way } of shippedPackages()) {
    if (entry.os ?? entry.cpu) continue
    const key = `${name} ${version}`
    const ways = new Set([...(all.get(key)?.ways ?? []), way])
    all.set(key, { name, version, path, entry, ways: [...ways] })
  }
  return [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one)
}

/** Returns the names of the packages that ask for a package: the one around it, or those that name it. */
function askedBy({ name, path }, all) {
  const around = /^node_modules\/(.+)\/node_modules\//.exec(path)?.[1]
  const names = all.filter(({ entry }) => name in { ...entry.dependencies, ...entry.optionalDependencies })
  return around ? [around] : [...new Set(names.map((one) => one.name))]
}

/** Returns the reason for a package, or the packages that bring it. */
function whyOf(found, all) {
  const names = askedBy(found, all).map((name) => `\`${name}\``)
  return REASONS[found.name] ?? `of ${names.join(', ')}`
}

/** Returns who maintains a package, as its own description says. */
function maintainersOf(path) {
  const file = `${root}${path}/package.json`
  if (!existsSync(file)) return ''
  const { author, maintainers = [], contributors = [], repository } = JSON.parse(readFileSync(file, 'utf8'))
  const nameOf = (person) =>
    (typeof person === 'string' ? person : (person?.name ?? '')).replace(/\s*[<(].*$/, '').trim()
  const people = [...new Set([author, ...maintainers, ...contributors].map(nameOf).filter(Boolean))]
  const url = typeof repository === 'string' ? repository : (repository?.url ?? '')
  const owner = /github(?:\.com)?[:/]([^/]+)\//.exec(url)?.[1] ?? /^([\w-]+)\/[\w.-]+$/.exec(url)?.[1]
  const shown = people.length > 3 ? [...people.slice(0, 3), `${people.length - 3} more`] : people
  return [shown.join(', '), owner && `github.com/${owner}`].filter(Boolean).join('; ')
}

const today = () => new Date().toISOString().slice(0, 10)
const dayOf = (time) => (time ? String(time).slice(0, 10) : 'unknown')

/** Asks the registry when it got a version, and its newest one. */
function timesOf(name, version) {
  const { stdout } = spawnSync('npm', ['view', name, 'time', 'dist-tags.latest', '--json'], { encoding: 'utf8' })
  try {
    const { time, 'dist-tags.latest': latest } = JSON.parse(stdout)
    return { since: dayOf(time[version]), newest: latest, newestSince: dayOf(time[latest]) }
  } catch {
    return { since: 'unknown', newest: 'unknown', newestSince: 'unknown' }
  }
}

/** Returns the rows of the page by package and version. */
function readRows() {
  const rows = new Map()
  if (!existsSync(page)) return rows
  for (const line of readFileSync(page, 'utf8').split('\n')) {
    const cells = line.split('|').map((cell) => cell.trim().replaceAll('`', ''))
    if (!/^\d+\.\d+\.\d+/.test(cells[2] ?? '')) continue
    const [, name, version, ways, why, licence, , script, since, taken, newest] = cells
    rows.set(`${name} ${version}`, { name, version, ways, why, licence, script, since, taken, newest })
  }
  return rows
}

const scriptOf = ({ entry }, ways) => (entry.hasInstallScript && ways.includes('installed') ? 'not needed' : 'no')

function check() {
  const rows = readRows()
  const faults = []
  const all = listed()
  for (const found of all) {
    const { name, version, entry, ways } = found
    const row = rows.get(`${name} ${version}`)
    rows.delete(`${name} ${version}`)
    if (!row) faults.push(`${name} ${version} has no row`)
    else {
      if (row.ways !== ways.join(', ')) faults.push(`${name} is ${ways.join(', ')}, the page says ${row.ways}`)
      const why = whyOf(found, all).replaceAll('`', '')
      if (row.why !== why) faults.push(`${name} is for: ${why}; the page says: ${row.why}`)
      if (entry.license && row.licence !== entry.license) faults.push(`${name} has the licence ${entry.license}`)
      if (row.script !== scriptOf(found, ways)) faults.push(`${name}: install script ${scriptOf(found, ways)}`)
      const days = (Date.parse(row.taken) - Date.parse(row.since)) / DAY_MS
      if (days < YOUNGEST_DAYS) faults.push(`${name} ${version} was ${days} days old when it was taken`)
    }
  }
  for (const key of rows.keys()) faults.push(`${key} is on the page and does not ship`)
  for (const fault of faults) console.log(fault)
  console.log(
    faults.length === 0 ? 'the table of dependencies is current' : 'write it with `npm run list-dependencies`',
  )
  process.exitCode = faults.length === 0 ? 0 : 1
}

function write() {
  const before = readRows()
  const all = listed()
  const rows = all.map((found) => {
    const { name, version, path, entry, ways } = found
    const { since, newest, newestSince } = timesOf(name, version)
    const taken = before.get(`${name} ${version}`)?.taken ?? today()
    const last = newest === version ? 'this one' : `${newest}, ${newestSince}`
    const cells = [
      `\`${name}\``,
      version,
      ways.join(', '),
      whyOf(found, all),
      entry.license ?? 'unknown',
      maintainersOf(path),
    ]
    return `| ${[...cells, scriptOf(found, ways), since, taken, last].join(' | ')} |`
  })
  const [head] = readFileSync(page, 'utf8').split('\n| Package ')
  const titles = [
    'Package',
    'Version',
    'How',
    'Why',
    'Licence',
    'Maintainers',
    'Install script',
    'Known since',
    'Taken',
    'Newest',
  ]
  const table = [`| ${titles.join(' | ')} |`, `|${'---|'.repeat(titles.length)}`, ...rows]
  writeFileSync(page, `${head}\n${table.join('\n')}\n`)
}

if (process.argv.includes('--check')) check()
else write()
