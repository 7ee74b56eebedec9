/**
 * Builds the interpreter, `evm/*.ts` (AssemblyScript), to `build/evm/plain.wasm` and `build/evm/traced.wasm`, and
 * `evm/precompiles/*.ts` to `build/evm/precompiles.wasm`, `evm/hash/*.ts` to `build/evm/keccak.wasm`. Skips what is newer than its sources.
 */
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import asc from 'assemblyscript/asc'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = join(root, 'evm')
const target = join(root, 'build', 'evm')

// 196 MiB, most of it never touched: every fixed region of evm/layout.ts.
const INTERPRETER = ['--initialMemory', '3136']

const BUILDS = [
  { name: 'plain', entry: 'index.ts', flags: INTERPRETER },
  { name: 'traced', entry: 'index.ts', flags: [...INTERPRETER, '--use', 'TRACED=1'] },
  { name: 'precompiles', entry: 'precompiles/index.ts', flags: [] },
  { name: 'keccak', entry: 'hash/index.ts', flags: ['--initialMemory', '4'] },
]

const newest = Math.max(
  statSync(fileURLToPath(import.meta.url)).mtimeMs,
  ...readdirSync(source, { recursive: true }).map((name) => statSync(join(source, name)).mtimeMs),
)

mkdirSync(target, { recursive: true })
for (const { name, entry, flags } of BUILDS) {
  const file = join(target, `${name}.wasm`)
  const built = statSync(file, { throwIfNoEntry: false })
  if (built && built.mtimeMs > newest) continue
  const { error, stderr } = await asc.main([
    entry,
    '--baseDir',
    source,
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
