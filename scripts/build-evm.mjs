/**
 * Builds the AssemblyScript programs: the interpreter, `evm/*.ts`, to `build/evm/plain.wasm` and `build/evm/traced.wasm`,
 * `evm/precompiles/*.ts` to `build/evm/precompiles.wasm`, `evm/hash/*.ts` to `build/evm/keccak.wasm`, and the trees of the app
 * hash, `trees/*.ts`, to `build/trees.wasm` and `build/trees-shared.wasm`. Skips outputs that are newer than their sources. Then
 * writes the parts of packages beside them (`scripts/parts.mjs`).
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'
import { writeHostLayouts } from './host-layouts.mjs'
import { writeParts } from './parts.mjs'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const sources = ['evm', 'trees'].map((name) => join(root, name))
const target = join(root, 'build')

// 196 MiB for every fixed region of evm/layout.ts. Most of it is never touched.
const INTERPRETER = ['--initialMemory', '3136']

// 2,176 KiB for every fixed region of trees/layout.ts, growing up to 4 GiB. The memory of one of the two builds can be shared by threads.
const TREES = ['--importMemory', '--initialMemory', '34', '--maximumMemory', '65536']

const BUILDS = [
  { name: 'evm/plain', entry: 'evm/index.ts', flags: INTERPRETER },
  { name: 'evm/traced', entry: 'evm/index.ts', flags: [...INTERPRETER, '--use', 'TRACED=1'] },
  { name: 'evm/precompiles', entry: 'evm/precompiles/index.ts', flags: [] },
  { name: 'evm/keccak', entry: 'evm/hash/index.ts', flags: ['--initialMemory', '4'] },
  { name: 'trees', entry: 'trees/index.ts', flags: TREES },
  { name: 'trees-shared', entry: 'trees/index.ts', flags: [...TREES, '--enable', 'threads', '--sharedMemory'] },
]

writeHostLayouts()

const newest = Math.max(
  statSync(fileURLToPath(import.meta.url)).mtimeMs,
  ...sources.flatMap((source) =>
    readdirSync(source, { recursive: true }).map((name) => statSync(join(source, name)).mtimeMs),
  ),
)

mkdirSync(join(target, 'evm'), { recursive: true })
for (const { name, entry, flags } of BUILDS) {
  const file = join(target, `${name}.wasm`)
  const built = statSync(file, { throwIfNoEntry: false })
  if (built && built.mtimeMs > newest) continue
  const { error, stderr } = await asc.main([
    entry,
    '--baseDir',
    root,
    '--outFile',
    file,
    '--runtime',
    'stub',
    '--enable',
    'simd',
    '--noAssert',
    '-O3',
    ...flags,
    ...process.argv.slice(2),
  ])
  if (error) {
    process.stderr.write(`${stderr.toString()}\n${error.message}\n`)
    process.exit(1)
  }
}
await writeParts(target)
