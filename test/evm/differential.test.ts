import { expect, test } from 'vitest'
import { differences } from '../support/evm/compare.ts'

test('300 random programs agree with @ethereumjs/evm in result, gas, refund, logs and state', async () => {
  expect(await differences(0, 300)).toEqual([])
})
