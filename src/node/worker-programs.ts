/** The programs of worker threads and processes: those of this build, or of a build that the caller passed. */
import { queryError } from '../primitives/errors.ts'
import type { Build } from './build.ts'
import { configError } from './config.ts'
import type { Config } from './settings.ts'

/** Throws `invalidArgument` for workers that would run another state machine than the main thread. */
export function requireWorkerPrograms(build: Build | undefined, { compute, api }: Config): void {
  if (!build || build.workers || (compute.workers === 0 && api.workers === 0)) return
  throw configError(
    `compute.workers is ${compute.workers} and api.workers is ${api.workers}, but the build has no programs for workers: ` +
      'set both to 0, or set `workers` of the build',
  )
}

/**
 * Returns the program of a worker: that of the passed build, else that of this build. The latter is beside the running bundle,
 * or in `dist/` if this runs from sources.
 */
export function workerEntry(name: 'compute' | 'api', build: Build | undefined): URL {
  if (build?.workers) return build.workers[name]
  // Scripts of tracers run in a worker even if none is configured.
  if (build)
    throw queryError(
      'unimplemented',
      'script tracers run in workers, and this build has no programs for them: set `workers` of the build',
    )
  return ownEntry(name)
}

/** Returns the program that makes snapshots, which no build replaces: it needs no state machine. */
export const snapshotEntry = (): URL => ownEntry('snapshot')

/** Returns the program that reads the database for `almanac doctor`. */
export const doctorEntry = (): URL => ownEntry('doctor')

function ownEntry(name: string): URL {
  const base = import.meta.url.endsWith('.ts') ? '../../dist/' : './'
  return new URL(`${base}workers/${name}.cjs`, import.meta.url)
}
