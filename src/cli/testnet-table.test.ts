import { expect, test } from 'vitest'
import { renderLine, renderTable } from './testnet-table.ts'

const sight = {
  height: 1204,
  appHash: '53B5F824FA73BEBD6892CF0E680C18EBE6837E6CF18FED6CB69E0AE4588FCA38',
  catchingUp: false,
  round: 1,
  peers: 3,
  blocksPerSecond: 0.9876,
  txsPerSecond: 12.34,
}
const rows = [
  { name: 'node0', state: 'running', sight },
  { name: 'node1', state: 'ended with SIGKILL', sight: undefined },
]

test('the table has a row for each node, numbers to the right', () => {
  expect(renderTable(rows)).toBe(
    [
      'node   state               height  round  peers  blocks/s  txs/s  app hash',
      'node0  running               1204      1      3      0.99   12.3  53B5F824FA73',
      'node1  ended with SIGKILL       -      -      -         -      -  -',
    ].join('\n'),
  )
})

test('a line of JSON has what a node says of itself, and no heights of one that does not answer', () => {
  expect(JSON.parse(renderLine(rows, '2026-01-01T00:00:00Z'))).toEqual({
    time: '2026-01-01T00:00:00Z',
    nodes: [
      {
        node: 'node0',
        state: 'running',
        height: 1204,
        round: 1,
        peers: 3,
        catching_up: false,
        app_hash: sight.appHash,
        blocks_per_second: 0.988,
        txs_per_second: 12.34,
      },
      { node: 'node1', state: 'ended with SIGKILL' },
    ],
  })
})
