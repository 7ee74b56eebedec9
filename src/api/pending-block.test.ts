import { expect, test } from 'vitest'
import type { BlockInput, PendingOutcome } from '../app/types.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import type { GatewayNode } from './gateway.ts'
import { pendingBlock, withPending } from './pending-block.ts'

/** A node whose pool has as many transactions as its version says, and whose executions the test ends. */
function fakeNode() {
  const runs: { readonly txs: number; readonly end: (error?: Error) => void }[] = []
  const pool = { version: 3, halted: false, timeNs: 0n }
  const node = {
    driver: {
      status: () => ({ latestHeight: 7n, rollbacks: 0, ...(pool.halted && { halted: {} }) }),
      pool: {
        version: () => pool.version,
        nextTimeNs: () => pool.timeNs,
        hasReady: () => true,
        next: (most: number) => ({
          input: {
            height: 8n,
            hash: EMPTY,
            header: { timeNs: 0n },
            txs: Array.from({ length: Math.min(most, pool.version) }, () => EMPTY),
          },
        }),
      },
    },
    settings: { evmTimeoutMs: 1000 },
    withContext: (height: bigint | undefined, read: (ctx: unknown) => unknown) => read({ block: { height } }),
    compute: {
      run: (_: string, { input }: { input: BlockInput }) =>
        new Promise((resolve, reject) => {
          const outcome = { facts: {}, changes: [], evmTxs: input.txs, evmGasUsed: 0n } as unknown as PendingOutcome
          runs.push({ txs: input.txs.length, end: (error) => (error ? reject(error) : resolve(outcome)) })
        }),
    },
  } as unknown as GatewayNode
  return { node, pool, runs }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

test('requests share an execution, and those that come during one share the next', async () => {
  const { node, pool, runs } = fakeNode()
  const first = [pendingBlock(node), pendingBlock(node)]
  await settled()
  pool.version = 5
  const later = [pendingBlock(node), pendingBlock(node), pendingBlock(node)]
  await settled()
  expect(runs.map(({ txs }) => txs)).toEqual([3])
  runs[0]!.end()
  expect((await Promise.all(first)).map((one) => one!.block.txs.length)).toEqual([3, 3])
  await settled()
  expect(runs.map(({ txs }) => txs)).toEqual([3, 5])
  runs[1]!.end()
  expect((await Promise.all(later)).map((one) => one!.block.txs.length)).toEqual([5, 5, 5])
  expect(pendingBlock(node)).toMatchObject({ parent: 7n, block: { txs: { length: 5 } } })
  pool.timeNs = 4_999_999_999n
  expect(pendingBlock(node)).toMatchObject({ parent: 7n })
  expect(runs).toHaveLength(2)
  pool.timeNs = 5_000_000_000n
  void pendingBlock(node)
  await settled()
  expect(runs).toHaveLength(3)
})

test('an execution that takes too long is repeated with half as many transactions, at most twice', async () => {
  const { node, pool, runs } = fakeNode()
  pool.version = 40
  const late = queryError('deadlineExceeded', 'execution timeout')
  const first = pendingBlock(node)
  await settled()
  runs[0]!.end(late)
  await settled()
  runs[1]!.end()
  expect((await first)!.block.txs).toHaveLength(20)
  pool.version = 41
  const second = pendingBlock(node)
  for (const at of [2, 3, 4]) {
    await settled()
    runs[at]!.end(late)
  }
  await expect(second).rejects.toThrow('execution timeout')
  expect(runs.map(({ txs }) => txs)).toEqual([40, 20, 40, 20, 10])
})

test('a failure reaches its requests only, and the next request executes again', async () => {
  const { node, runs } = fakeNode()
  const failing = pendingBlock(node)
  await settled()
  runs[0]!.end(queryError('resourceExhausted', 'the queue is full'))
  await expect(failing).rejects.toThrow('the queue is full')
  const next = pendingBlock(node)
  await settled()
  runs[1]!.end()
  expect((await next)!.block.txs).toHaveLength(3)
})

test('a chain without a next block is read at its latest state', async () => {
  const { node, pool } = fakeNode()
  pool.halted = true
  expect(pendingBlock(node)).toBeUndefined()
  expect(withPending(node, ({ block }) => block?.height)).toBeUndefined()
})
