import { expect, test } from 'vitest'
import { differences } from './compare.ts'

test('300 random programs end as they do on @ethereumjs/evm: result, gas, refund, logs and state', async () => {
  expect(await differences(0, 300)).toEqual([])
})
