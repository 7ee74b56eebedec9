import { expect, test } from 'vitest'
import { startNode } from './start.ts'

async function warnings(count: number): Promise<Record<string, unknown>[]> {
  const told: Record<string, unknown>[] = []
  await using node = await startNode(
    { ports: false, blocks: { time: 'manual' }, chain: { validators: count } },
    {
      log: (level, message, fields) =>
        void (level === 'warn' && /min_voters/.test(message) && told.push({ ...fields })),
    },
  )
  await node.nextBlock()
  return told
}

test('four validators of whom one may set a price are worth a warning, told once', async () => {
  expect(await warnings(4)).toEqual([{ min_voters: 1n, bonded_validators: 4 }])
})

test('three validators cannot give four votes, so nobody is warned', async () => {
  expect(await warnings(3)).toEqual([])
})
