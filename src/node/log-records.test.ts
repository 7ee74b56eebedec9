import { expect, test } from 'vitest'
import { createLogRecords } from './log-records.ts'

test('the last 1,000 records from a level on are kept', () => {
  const { logs, add } = createLogRecords('info', () => 7)
  add('debug', 'too low')
  for (let i = 0; i < 1005; i++) add('info', `record ${i}`, { i })
  expect(logs.recent.length).toBe(1000)
  expect(logs.recent[0]).toEqual({ index: 5, timeMs: 7, level: 'info', message: 'record 5', fields: { i: 5 } })
  expect(logs.recent.at(-1)!.message).toBe('record 1004')
})

test('an iteration gives what is kept, then what comes, and ends with the log; a slow one sees a gap in the numbers', async () => {
  const { logs, add, end } = createLogRecords('warn', () => 0)
  add('warn', 'first')
  const seen: number[] = []
  const reading = (async () => {
    for await (const { index } of logs) seen.push(index)
  })()
  await Promise.resolve()
  add('error', 'second')
  await expect.poll(() => seen).toEqual([0, 1])
  for (let i = 0; i < 1002; i++) add('warn', 'many')
  end()
  await reading
  // 1,004 records came, and the oldest four were dropped before they were read.
  expect(seen.slice(0, 3)).toEqual([0, 1, 4])
  expect(seen.at(-1)).toBe(1003)
  const again: number[] = []
  for await (const { index } of logs) again.push(index)
  expect(again.length).toBe(1000)
})
