/**
 * Bundles the sources into `dist/`: one file of code with V8's compiled form of it, small files that start the command line,
 * the library and the workers from it, the messages for CosmJS, and the types of both. The program of the tree thread goes to
 * `build/`.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { prebuilt } from './prebuilt.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const typesOnly = process.argv.includes('--types')
const withTypes = typesOnly || !process.argv.includes('--no-types')

const ENTRIES = {
  'almanac.cjs': 'src/cli/main.ts',
  'index.js': 'src/index.ts',
  'workers/compute.cjs': 'src/node/workers/compute.ts',
  'workers/api.cjs': 'src/node/workers/api.ts',
  'workers/snapshot.cjs': 'src/node/snapshots/worker.ts',
}

/** Packages that are bundled: plain JavaScript, which loads faster from one file. All others stay outside. */
const BUNDLED = [
  '@bufbuild/protobuf',
  '@noble/curves',
  '@noble/hashes',
  '@scure/base',
  '@scure/bip32',
  '@scure/bip39',
  'smol-toml',
  '@grpc/grpc-js',
  'commander',
  'ws',
  'yaml',
]
const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
const external = Object.keys(dependencies).filter((name) => !BUNDLED.includes(name))

/** Runs a program of Node.js to its end. */
function run(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} exited with ${code}`))))
  })
}

/** Bundles all code into one file, a function that receives its environment as arguments: see `scripts/load.cjs`. */
async function bundleCode() {
  const entries = Object.entries(ENTRIES).map(([name, file]) => `'${name}': () => require('./${file}')`)
  await build({
    absWorkingDir: root,
    stdin: { contents: `module.exports = { ${entries.join(', ')} }`, resolveDir: root },
    outfile: join(dist, 'code.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    external: [...external, '#*', 'almanac'],
    define: { 'import.meta.url': 'codeUrl' },
    banner: { js: "(function (module, require, codeUrl) { 'use strict';" },
    footer: { js: '})' },
    supported: { 'dynamic-import': false },
    sourcemap: 'linked',
    sourcesContent: false,
    logLevel: 'warning',
    plugins: [prebuilt],
  })
}

/** Bundles the tree thread separately, beside the trees' program, so that the thread takes little memory. */
async function bundleTrees() {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/node/trees/worker.ts'],
    outfile: join(root, 'build', 'trees-worker.cjs'),
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    define: { 'import.meta.url': '__filename' },
    logLevel: 'warning',
  })
}

/** Bundles `almanac/messages` apart, without code of the node, so that it works in browsers. */
async function bundleMessages() {
  await build({
    absWorkingDir: root,
    entryPoints: ['src/messages/index.ts'],
    outfile: join(dist, 'messages.js'),
    bundle: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: Object.keys(dependencies),
    logLevel: 'warning',
  })
}

/** Returns the names that a module exports. */
async function exportsOf(file) {
  const options = { absWorkingDir: root, entryPoints: [file], format: 'esm', write: false, metafile: true }
  const { metafile } = await build({ ...options, outdir: dist })
  return Object.values(metafile.outputs)[0].exports
}

async function writeEntry(name, file) {
  const loader = name.includes('/') ? '../load.cjs' : './load.cjs'
  const text = name.endsWith('.cjs')
    ? `require('${loader}').load('${name}')\n`
    : `import { load } from '${loader}'\nexport const { ${(await exportsOf(file)).join(', ')} } = load('${name}')\n`
  mkdirSync(dirname(join(dist, name)), { recursive: true })
  writeFileSync(join(dist, name), text)
}

/** Removes files of an earlier build that this one did not write. */
function removeStale() {
  const written = new Set(['code.cjs', 'code.cjs.map', 'load.cjs', 'messages.js', 'types', ...Object.keys(ENTRIES)])
  const folders = new Set([...written].map((name) => dirname(name)))
  for (const name of readdirSync(dist, { recursive: true })) {
    if (name.startsWith('types') || written.has(name) || folders.has(name)) continue
    rmSync(join(dist, name), { recursive: true, force: true })
  }
}

/** Writes `dist/`. A failing build leaves the previous one in place. */
async function bundle() {
  await bundleCode()
  await bundleTrees()
  await bundleMessages()
  copyFileSync(join(root, 'scripts/load.cjs'), join(dist, 'load.cjs'))
  for (const [name, file] of Object.entries(ENTRIES)) await writeEntry(name, file)
  removeStale()
  await run('scripts/warm.mjs').catch(({ message }) => process.stderr.write(`${message}: starts will be slower\n`))
}

await Promise.all([
  withTypes ? run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json') : undefined,
  typesOnly ? undefined : bundle(),
])
