/** `almanac prune`: removes the state of old heights of a stopped chain. */
import { Command } from 'commander'
import { requireReadable } from '../../node/doctor/readable.ts'
import type { PruneTarget } from '../../node/maintenance/prune.ts'
import { queryError } from '../../primitives/errors.ts'
import { processTerminal, type Terminal } from '../terminal.ts'
import { reportProgress } from './progress.ts'
import { chainHome, whileStopped } from './stopped.ts'

interface Flags {
  readonly home?: string
  readonly toHeight?: string
  readonly days?: string
}

const DAY_MS = 86_400_000

export async function prune(
  args: readonly string[],
  _build?: unknown,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const command = new Command('almanac prune').exitOverride()
  command
    .description(
      'Remove the state of old heights of a stopped chain. Blocks, transactions and receipts stay. The space is used again; `almanac compact` returns it to the disk.',
    )
    .option('--to-height <height>', 'first height to keep')
    .option('--days <n>', 'keep the heights of this many days')
    .option('--home <dir>', 'home of the chain (default: ALMANAC_HOME, or ~/.almanac)')
  command.parse([...args], { from: 'user' })
  const flags = command.opts<Flags>()
  const target = targetOf(flags)
  const paths = chainHome(flags.home)
  await requireReadable(paths)
  const { pruneHome } = await import('../../node/maintenance/prune.ts')
  const heights = (count: number) => `${Math.round(count)} heights`
  const { from, to } = await whileStopped(paths, 'almanac prune', () =>
    pruneHome(paths, target, reportProgress(terminal, 'pruned', heights)),
  )
  terminal.print(
    from === to
      ? `nothing to prune: the earliest height is ${from}`
      : `pruned the state of heights ${from} to ${to - 1}: the earliest height is ${to}`,
  )
  return 0
}

function targetOf({ toHeight, days }: Flags): PruneTarget {
  if ((toHeight === undefined) === (days === undefined))
    throw queryError('invalidArgument', 'set --to-height HEIGHT or --days N, one of them')
  if (days !== undefined) {
    if (!/^\d{1,5}(\.\d+)?$/.test(days) || Number(days) === 0)
      throw queryError('invalidArgument', `--days ${days}: must be a number of days such as 30`)
    return { afterMs: Date.now() - Number(days) * DAY_MS }
  }
  if (!/^[1-9]\d{0,14}$/.test(toHeight!))
    throw queryError('invalidArgument', `--to-height ${toHeight}: must be a height such as 100`)
  return { height: Number(toHeight) }
}
