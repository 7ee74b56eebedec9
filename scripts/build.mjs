/** Bundles the sources into `dist/`: the command line, the library with its types, and the entry points of the workers. */
import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const typesOnly = process.argv.includes('--types')
const withTypes = typesOnly || !process.argv.includes('--no-types')

/** Pure modules: in one file they load faster than in their many. All other packages stay where they are. */
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

function emitTypes() {
  return new Promise((resolve, reject) => {
    const tsc = spawn(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.types.json'], {
      cwd: root,
      stdio: 'inherit',
    })
    tsc.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`tsc ended with ${code}`))))
  })
}

/** What an earlier build left and this one did not write again. A build that fails leaves the last good one. */
function removeStale(written) {
  for (const folder of ['dist', 'dist/chunks', 'dist/workers']) {
    for (const name of readdirSync(join(root, folder))) {
      const path = `${folder}/${name}`
      if (/\.js(\.map)?$/.test(name) && !written.has(path)) rmSync(join(root, path))
    }
  }
}

async function bundle() {
  const entryPoints = {
    almanac: 'src/cli/main.ts',
    index: 'src/index.ts',
    'workers/compute': 'src/node/workers/compute.ts',
    'workers/api': 'src/node/workers/api.ts',
  }
  for (const [name, file] of Object.entries(entryPoints)) if (!existsSync(join(root, file))) delete entryPoints[name]
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints,
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: [...external, '#*', 'almanac'],
    // What some of them were written with, and modules do not have.
    banner: {
      js: "import { createRequire as createRequireOfNode } from 'node:module'; const require = createRequireOfNode(import.meta.url);",
    },
    sourcemap: 'linked',
    sourcesContent: false,
    chunkNames: 'chunks/[name]-[hash]',
    logLevel: 'warning',
    metafile: true,
  })
  removeStale(new Set(Object.keys(metafile.outputs)))
}

await Promise.all([withTypes ? emitTypes() : undefined, typesOnly ? undefined : bundle()])
