import { expect, test } from 'vitest'
import { traceDifferences } from '../support/evm/trace-differences.ts'

const TRANSACTIONS = Number(process.env['TEST_TRACED_TRANSACTIONS'] ?? '3000')

test('a trace by any tracer agrees with the untraced execution in status, gas, logs and state', () => {
  expect(traceDifferences(0, TRANSACTIONS)).toEqual([])
  console.info(`${TRANSACTIONS} transactions, by every native tracer`)
})
