import { expect, test } from 'vitest'
import type { ReadContext } from '../sdk/context.ts'
import { answerAbciQuery } from './abci-query.ts'
import type { NodeEnvironment } from './node-info.ts'

test.each([
  ['bytes', 1 << 18, 4],
  ['entries', 2, 4097],
])('a prefix with too many %s is refused, and no more entries are read', async (_, valueBytes, most) => {
  let read = 0
  function* iterate() {
    for (;;) {
      read++
      yield [Uint8Array.of(1, read >> 8, read), new Uint8Array(valueBytes)] as const
    }
  }
  const ctx = { store: { iterate }, block: { height: 7n } } as unknown as ReadContext
  const environment = {
    node: {
      blocks: { latestHeight: () => 7n },
      withContext: (_height: unknown, run: (ctx: ReadContext) => unknown) => run(ctx),
    },
  } as unknown as NodeEnvironment
  const answer = await answerAbciQuery(environment, { path: '/store/bank/subspace', data: Uint8Array.of(1) })
  expect(answer).toMatchObject({ code: 6, codespace: 'sdk', value: new Uint8Array() })
  expect(answer.log).toContain(
    'store bank has more than 4096 entries or 1048576 bytes below this prefix: give a longer one',
  )
  expect(read).toBe(most)
})
