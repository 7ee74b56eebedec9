import { expect, test } from 'vitest'
import { startNode } from './start.ts'

async function warnings(count: number): Promise<Record<string, unknown>[]> {
  const logged: Record<string, unknown>[] = []
  await using node = await startNode(
    { ports: false, blocks: { time: 'manual' }, chain: { validators: count } },
    {
      log: (level, message, fields) =>
        void (level === 'warn' && /min_voters/.test(message) && logged.push({ ...fields })),
    },
  )
  await node.nextBlock()
  return logged
}

test('four validators of which one can set a price cause one warning', async () => {
  expect(await warnings(4)).toEqual([{ min_voters: 1n, bonded_validators: 4 }])
})

test('three validators cause no warning, since they cannot cast four votes', async () => {
  expect(await warnings(3)).toEqual([])
})
