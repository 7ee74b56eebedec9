import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLog } from './log.ts'
import { createRepeats } from './repeats.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function collect(level = 'info') {
  const lines: string[] = []
  return { lines, log: createLog({ format: 'text', level, write: (line) => lines.push(line), now: () => 0 }) }
}

test('a repeated warning or error is written ten times a minute, and then counted in one line', () => {
  const { lines, log } = collect()
  for (let i = 0; i < 1244; i++) log('warn', 'a client was disconnected', { i })
  log('error', 'another kind')
  expect(lines).toHaveLength(11)
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(12)
  expect(lines[11]).toContain('warn  a client was disconnected: … 1,234 more')
  log('warn', 'a client was disconnected', { i: 0 })
  expect(lines).toHaveLength(13)
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(13)
})

test('information is written however often it repeats', () => {
  const { lines, log } = collect()
  for (let i = 0; i < 100; i++) log('info', 'voted')
  expect(lines).toHaveLength(100)
})

test('kinds beyond the limit take no memory', () => {
  const repeats = createRepeats({ burst: 1, periodMs: 1000, kinds: 2 })
  const never = () => expect.unreachable()
  expect(['a', 'b', 'c'].map((kind) => repeats.allows(kind, never))).toEqual([true, true, false])
  vi.advanceTimersByTime(1000)
  expect(repeats.allows('c', never)).toBe(true)
})
