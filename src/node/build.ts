/** A state machine that replaces this build's: for tests, and for programs with their own modules or upgrades. */
import type { ApplicationOptions } from '../app/application.ts'

export interface Build extends Pick<ApplicationOptions, 'modules' | 'upgrades' | 'firstVersions'> {
  /**
   * Programs of the workers. They call `runComputeWorker` and `runApiWorker` with the same build. Without them the build runs
   * in the main thread only, since functions cannot be sent to other threads.
   */
  readonly workers?: { readonly compute: URL; readonly api: URL }
}
