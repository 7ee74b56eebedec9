/** Commands that change the database of a chain, which must be stopped. */
import { diskFiles } from '../../node/files.ts'
import { type HomePaths, homePaths } from '../../node/home-paths.ts'
import { acquireLock, lockHolder } from '../../node/lock.ts'
import { queryError } from '../../primitives/errors.ts'
import { homeOf } from '../settings.ts'

/** Returns the paths of a home that has a chain. Throws `notFound` for any other. */
export function chainHome(flag: unknown): HomePaths {
  const paths = homePaths(homeOf(flag))
  if (diskFiles.exists(paths.record)) return paths
  throw queryError('notFound', `no chain in ${paths.root}; set the home of a chain with --home`)
}

/** Runs a step while no node can start in the home. Rejects with `failedPrecondition` while one runs. */
export async function whileStopped<T>(paths: HomePaths, command: string, run: () => Promise<T>): Promise<T> {
  const holder = lockHolder(paths.lock, diskFiles)
  if (holder !== undefined) {
    throw queryError(
      'failedPrecondition',
      `${command} needs the node stopped: process ${holder} runs in ${paths.root} (kill -TERM ${holder} stops it)`,
    )
  }
  const release = acquireLock(paths.lock, diskFiles)
  try {
    return await run()
  } finally {
    release()
  }
}
