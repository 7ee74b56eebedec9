/** A look at the database of a home before a command reads it whole. */
import type { HomePaths } from '../../node/home-paths.ts'
import { queryError } from '../../primitives/errors.ts'

/** Time for the look, which reads the records of the latest height. */
const LIMIT_MS = 60_000

/**
 * Rejects with `dataLoss` for a database whose latest state cannot be read. Another process looks, because a damaged file can end the
 * one that reads it.
 */
export async function requireReadable({ root }: HomePaths): Promise<void> {
  const { checkStoreApart } = await import('../../node/doctor/store-process.ts')
  const results = await checkStoreApart({ root, isDeep: false, limitMs: LIMIT_MS })
  const failed = results.find(({ state }) => state === 'fail')
  if (failed) throw queryError('dataLoss', `${failed.found}; ${failed.fix}. \`almanac doctor --deep\` says more`)
}
