import { expect, test } from 'vitest'
import { differences } from './compare.ts'

test('300 random programs agree with @ethereumjs/evm in result, gas, refund, logs and state', async () => {
  expect(await differences(0, 300)).toEqual([])
})
