/** Entry point of the process that reads the database for the doctor: a damaged file can end it. */
import { homePaths } from '../home.ts'
import type { CheckResult } from './check.ts'
import { checkStore } from './home.ts'

/** The check that the doctor asks for. */
export interface StoreJob {
  /** Folder of the home. */
  readonly root: string
  readonly isDeep: boolean
}

process.on('disconnect', () => process.exit(1))
process.once('message', async ({ root, isDeep }: StoreJob) => {
  const results: readonly CheckResult[] = await checkStore(homePaths(root), isDeep, Date.now())
  process.send!(results, () => process.disconnect())
})
