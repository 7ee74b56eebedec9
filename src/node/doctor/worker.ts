/** Entry point of the process that reads the database for the doctor: a damaged file can end it. */
import { homePaths } from '../home-paths.ts'
import type { CheckResult } from './check.ts'
import { checkStore, type StoreScope } from './home.ts'

/** The check that the doctor asks for. */
export interface StoreJob extends StoreScope {
  /** Folder of the home. */
  readonly root: string
}

/** A message of the check: the number of keys so far, or its results. */
export type StoreAnswer = { readonly keys: number } | { readonly results: readonly CheckResult[] }

process.on('disconnect', () => process.exit(1))
process.once('message', async ({ root, ...scope }: StoreJob) => {
  const onKeys = (keys: number): void => void process.send!({ keys } satisfies StoreAnswer)
  const results = await checkStore(homePaths(root), scope, Date.now(), onKeys)
  process.send!({ results } satisfies StoreAnswer, () => process.disconnect())
})
