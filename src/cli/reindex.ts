/** `almanac reindex`: rebuilds the transaction, log and event indexes from the blocks. */
import { Command } from 'commander'
import { rebuild } from '../indexer/rebuild.ts'
import { openBackend } from '../node/backend.ts'
import { diskFiles } from '../node/files.ts'
import { homePaths } from '../node/home-paths.ts'
import { acquireLock } from '../node/lock.ts'
import { requireDatabase } from '../node/lost-chain.ts'
import { queryError } from '../primitives/errors.ts'
import { reportProgress } from './operation/progress.ts'
import { homeOf } from './settings.ts'
import { processTerminal } from './terminal.ts'

export async function reindex(args: readonly string[]): Promise<number> {
  const command = new Command('almanac reindex').exitOverride()
  command.description('Rebuild the transaction, log and event indexes of a stopped node from its blocks.')
  command.option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
  command.parse([...args], { from: 'user' })
  const paths = homePaths(homeOf(command.opts()['home']))
  if (!diskFiles.exists(paths.record))
    throw queryError('notFound', `no chain in ${paths.root}; set the home of a chain with --home`)
  requireDatabase(paths, diskFiles)
  const release = acquireLock(paths.lock, diskFiles)
  const backend = await openBackend({ path: paths.data })
  try {
    const terminal = processTerminal()
    const blocks = (count: number) => `${count.toFixed(0)} blocks`
    const rows = rebuild(backend, undefined, reportProgress(terminal, 'indexed', blocks))
    for (;;) {
      const { done, value } = rows.next()
      if (done) {
        terminal.print(`indexed ${value} blocks`)
        return 0
      }
      backend.write(value)
    }
  } finally {
    await backend.close()
    release()
  }
}
