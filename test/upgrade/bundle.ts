/** Puts `entry.ts` into one file, so that its processes start as fast as the product's. */
import { mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '../..')

/** Path of the program. `name` keeps test files apart that run at the same time. */
export async function bundle(name: string): Promise<string> {
  const folder = join(root, 'build/test-upgrade')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, `${name}.mjs`)
  await build({
    entryPoints: [join(import.meta.dirname, 'entry.ts')],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    external: ['#*'],
    logLevel: 'warning',
  })
  return outfile
}
