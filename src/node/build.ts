/** Another state machine than this build's, for tests and programs that bring modules or upgrades of their own. */
import type { ApplicationOptions } from '../app/application.ts'

export interface Build extends Pick<ApplicationOptions, 'modules' | 'upgrades' | 'firstVersions'> {
  /**
   * The programs of its workers, which call `runComputeWorker` and `runApiWorker` with the same build. Without them the build runs in
   * the main thread alone, since functions do not travel to other threads.
   */
  readonly workers?: { readonly compute: URL; readonly api: URL }
}
