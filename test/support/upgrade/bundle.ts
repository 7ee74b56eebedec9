/** Bundles test programs into one file each, so that their processes start as fast as the product's. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

/** Packages with other files than JavaScript, which stay outside the bundle. */
const APART = ['lmdb', 'secp256k1', 'mcl-wasm', 'quickjs-emscripten-core', '@jitl/*']
/** Definition of `require`, which CommonJS packages call. */
const REQUIRE = "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url)"

const root = resolve(import.meta.dirname, '../../..')

/**
 * Bundles `entry.ts` and returns the path of the program. `name` separates test files that run at the same time. `workers` adds the
 * programs of its workers beside it, where `builds.ts` looks for them.
 */
export async function bundle(name: string, { workers = false } = {}): Promise<string> {
  const folder = join(root, 'build/test-upgrade')
  mkdirSync(folder, { recursive: true })
  const programs = {
    [name]: 'entry.ts',
    ...(workers && { [`${name}-compute`]: 'compute.ts', [`${name}-api`]: 'api.ts' }),
  }
  await build({
    entryPoints: Object.fromEntries(
      Object.entries(programs).map(([out, file]) => [out, join(import.meta.dirname, file)]),
    ),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['#*', ...APART],
    banner: { js: REQUIRE },
    logLevel: 'warning',
  })
  return join(folder, `${name}.mjs`)
}
