import { expect, test } from 'vitest'
import { bugLog } from './bug-log.ts'

test('the log names what failed: the handler of an upgrade, or a transaction', () => {
  const records: unknown[] = []
  const onBug = bugLog((...record) => records.push(record))
  const error = new TypeError('x is undefined')
  onBug(error, 'v9')
  onBug(error)
  expect(records).toEqual([
    ['error', 'the handler of an upgrade failed', { upgrade: 'v9', error }],
    ['error', 'a transaction failed unexpectedly', { error }],
  ])
})
