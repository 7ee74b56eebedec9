/** Runs a benchmark the way the product runs: bundled by esbuild, without a loader that wraps functions. */
import { spawnSync } from 'node:child_process'
import { basename, join, resolve } from 'node:path'
import { build } from 'esbuild'

const root = resolve(import.meta.dirname, '../..')

/** Whether this process runs a bundle. */
export const isBundled: boolean = import.meta.filename.endsWith('.mjs')

/** Bundles a file, runs it with the arguments of this process, and exits with its status. */
export async function runBundled(file: string): Promise<void> {
  const outfile = join(root, 'build/bench', `${basename(file, '.ts')}.mjs`)
  await build({
    entryPoints: [file],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    external: ['#*'],
    logLevel: 'warning',
  })
  const { status } = spawnSync(process.execPath, ['--expose-gc', outfile, ...process.argv.slice(2)], {
    stdio: 'inherit',
  })
  process.exitCode = status ?? 1
}
