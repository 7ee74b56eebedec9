/**
 * Bundles the sources into `dist/`: one file of code with V8's compiled form of it, small files that start the command line,
 * the library and the workers from it, the messages for CosmJS, the types of both, and the console. The program of the tree
 * thread goes to `build/`.
 */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { bundleWeb } from './build-web.mjs'
import { writeNotices } from './notices.mjs'
import { prebuilt } from './prebuilt.mjs'
import { pruneTypes } from './types.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const typesOnly = process.argv.includes('--types')
const withTypes = typesOnly || !process.argv.includes('--no-types')

const ENTRIES = {
  'almanac.cjs': 'src/cli/main.ts',
  'index.js': 'src/index.ts',
  'workers/compute.cjs': 'src/node/workers/compute.ts',
  'workers/api.cjs': 'src/node/workers/api.ts',
  'workers/doctor.cjs': 'src/node/doctor/worker.ts',
  'workers/snapshot.cjs': 'src/node/snapshots/worker.ts',
}

const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
/** The package that the types of `almanac/messages` are made of: its programs share it with their own messages. */
const SHARED = '@bufbuild/protobuf'
/** Packages with native code, which are installed beside the program. All others are bundled: one file loads faster. */
const external = Object.keys({ ...dependencies, ...optionalDependencies }).filter((name) => name !== SHARED)

/** Runs a program of Node.js to its end. */
function run(...args) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' })
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${args[0]} exited with ${code}`))))
  })
}

/** The bundles that ship, whose packages `dist/bundled.json` and `dist/licenses.txt` list. */
const metafiles = []

async function bundleInto(options) {
  const { metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    // A checkout whose packages are elsewhere has the same bundle.
    preserveSymlinks: true,
    metafile: true,
    logLevel: 'warning',
    ...options,
  })
  metafiles.push(metafile)
}

/** esbuild plugin that leaves out what `@grpc/grpc-js` loads only for its services `admin` and `orca`, which no node has. */
const withoutProtoLoader = {
  name: 'without-proto-loader',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@grpc\/proto-loader$/ }, ({ path }) => ({ path, namespace: 'absent' }))
    onLoad({ filter: /./, namespace: 'absent' }, ({ path }) => ({
      contents: `throw new Error('${path} is not built in')`,
    }))
  },
}

/** Bundles all code into one file, a function that receives its environment as arguments: see `scripts/load.cjs`. */
async function bundleCode() {
  const entries = Object.entries(ENTRIES).map(([name, file]) => `'${name}': () => require('./${file}')`)
  await bundleInto({
    stdin: { contents: `module.exports = { ${entries.join(', ')} }`, resolveDir: root },
    outfile: join(dist, 'code.cjs'),
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
    plugins: [prebuilt, withoutProtoLoader],
  })
}

/** Bundles the tree thread separately, beside the trees' program, so that the thread takes little memory. */
async function bundleTrees() {
  await bundleInto({
    entryPoints: ['src/node/trees/worker.ts'],
    outfile: join(root, 'build', 'trees-worker.cjs'),
    format: 'cjs',
    platform: 'node',
    target: 'node20.19',
    define: { 'import.meta.url': '__filename' },
  })
}

/** Bundles `almanac/messages` apart, without code of the node, so that it works in browsers. */
async function bundleMessages() {
  await bundleInto({
    entryPoints: ['src/messages/index.ts'],
    outfile: join(dist, 'messages.js'),
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    external: [SHARED],
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
  const made = ['code.cjs', 'code.cjs.map', 'load.cjs', 'messages.js', 'types', 'bundled.json', 'licenses.txt']
  const written = new Set([...made, ...Object.keys(ENTRIES)])
  const folders = new Set([...written].map((name) => dirname(name)))
  for (const name of readdirSync(dist, { recursive: true })) {
    if (/^(types|web)/.test(name) || written.has(name) || folders.has(name)) continue
    rmSync(join(dist, name), { recursive: true, force: true })
  }
}

/** Writes `dist/`. A failing build leaves the previous one in place. */
async function bundle() {
  await bundleCode()
  await bundleTrees()
  await bundleMessages()
  metafiles.push(await bundleWeb(root))
  copyFileSync(join(root, 'scripts/load.cjs'), join(dist, 'load.cjs'))
  for (const [name, file] of Object.entries(ENTRIES)) await writeEntry(name, file)
  writeNotices(metafiles)
  removeStale()
  await run('scripts/warm.mjs').catch(({ message }) => process.stderr.write(`${message}: starts will be slower\n`))
}

/** Writes the types that the two entries of the package reach. */
async function writeTypes() {
  await run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.types.json')
  pruneTypes(join(dist, 'types'), ['index.d.ts', 'messages/index.d.ts'])
}

await Promise.all([withTypes ? writeTypes() : undefined, typesOnly ? undefined : bundle()])
