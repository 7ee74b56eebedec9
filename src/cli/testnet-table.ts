/** The table of a network that runs: a row for each node. */
import type { Sight } from '../node/testnet/watch.ts'

/** A node in the table. */
export interface Row {
  readonly name: string
  /** State of its process, such as `running` or `ended with SIGKILL`. */
  readonly state: string
  readonly sight: Sight | undefined
}

const COLUMNS = ['node', 'state', 'height', 'round', 'peers', 'blocks/s', 'txs/s', 'app hash'] as const
/** Characters of an app hash that are shown: enough to see a difference. */
const HASH_LENGTH = 12

function cellsOf({ name, state, sight }: Row): readonly string[] {
  if (!sight) return [name, state, '-', '-', '-', '-', '-', '-']
  return [
    name,
    state,
    String(sight.height),
    String(sight.round ?? '-'),
    String(sight.peers),
    sight.blocksPerSecond.toFixed(2),
    sight.txsPerSecond.toFixed(1),
    sight.appHash.slice(0, HASH_LENGTH),
  ]
}

/** Renders the table, numbers to the right. */
export function renderTable(rows: readonly Row[]): string {
  const lines = [[...COLUMNS], ...rows.map(cellsOf)]
  const widths = COLUMNS.map((_, column) => Math.max(...lines.map((cells) => cells[column]!.length)))
  const isText = (column: number) => column < 2 || column === COLUMNS.length - 1
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => (isText(column) ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** Renders the table as a line of JSON, for programs. `time`: RFC 3339. */
export function renderLine(rows: readonly Row[], time: string): string {
  return JSON.stringify({
    time,
    nodes: rows.map(({ name, state, sight }) => ({
      node: name,
      state,
      ...(sight && {
        height: sight.height,
        round: sight.round ?? null,
        peers: sight.peers,
        catching_up: sight.catchingUp,
        app_hash: sight.appHash,
        blocks_per_second: Number(sight.blocksPerSecond.toFixed(3)),
        txs_per_second: Number(sight.txsPerSecond.toFixed(3)),
      }),
    })),
  })
}
