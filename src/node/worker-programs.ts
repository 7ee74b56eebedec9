/** The programs of worker threads and processes: of this build, or of one that was handed over. */
import { queryError } from '../primitives/errors.ts'
import type { Build } from './build.ts'
import { configError } from './config.ts'
import type { Config } from './settings.ts'

/** Throws 3 for workers that would read the chain with another state machine than the main thread. */
export function requireWorkerPrograms(build: Build | undefined, { compute, api }: Config): void {
  if (!build || build.workers || (compute.workers === 0 && api.workers === 0)) return
  throw configError(
    `compute.workers is ${compute.workers} and api.workers ${api.workers}, and the build that was handed over brings no programs for ` +
      'workers: set both to 0, or name the programs in its `workers`',
  )
}

/**
 * The program of a worker: that of the build which was handed over, else of this one, beside the bundle that this runs from, or
 * in `dist/` when it runs from sources.
 */
export function workerEntry(name: 'compute' | 'api', build: Build | undefined): URL {
  if (build?.workers) return build.workers[name]
  // A script of a tracer runs in a worker even where none was configured.
  if (build) throw queryError('unimplemented', 'scripts run in workers, and this build brings no programs for them')
  const base = import.meta.url.endsWith('.ts') ? '../../dist/' : './'
  return new URL(`${base}workers/${name}.cjs`, import.meta.url)
}
