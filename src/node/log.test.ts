import { expect, test } from 'vitest'
import { createLog } from './log.ts'

function collect(format: string, level = 'info') {
  const lines: string[] = []
  return { lines, log: createLog({ format, level, write: (line) => lines.push(line), now: () => 1_700_000_000_123 }) }
}

test('a JSON record is one line with time, level, message and fields, bigints as text', () => {
  const { lines, log } = collect('json')
  log('info', 'block', { height: 5n, note: 'two\nlines' })
  log('debug', 'not written')
  expect(lines).toEqual([
    '{"time":"2023-11-14T22:13:20.123Z","level":"info","message":"block","height":"5","note":"two\\nlines"}\n',
  ])
})

test('a text record stays on one line and shows the stack of an error', () => {
  const { lines, log } = collect('text', 'debug')
  log('error', 'stopped', { height: 5n, error: new Error('broken hook') })
  expect(lines).toHaveLength(1)
  expect(lines[0]).toMatch(/^22:13:20\.123 error stopped height=5 error="Error: broken hook\\n.*"\n$/)
  expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1)
})

test('what steers a terminal is shown as escapes', () => {
  for (const format of ['text', 'json']) {
    const { lines, log } = collect(format)
    log('info', '\u001b[31mred', { line: '\u009b31m\u202e' })
    expect(lines[0]).toContain('\\u001b[31mred')
    expect(lines[0]).toContain('\\u009b31m\\u202e')
  }
})

test('a text record shows no field that is absent, as JSON does not', () => {
  const { lines, log } = collect('text')
  log('info', 'started', { home: undefined, height: 0n })
  expect(lines).toEqual(['22:13:20.123 info  started height=0\n'])
})

test('an error shows the stack of a cause', () => {
  const lines: string[] = []
  const log = createLog({ format: 'json', level: 'info', now: () => 0, write: (line) => lines.push(line) })
  log('error', 'halted', { error: new Error('block 5', { cause: new TypeError('inner') }) })
  const { error } = JSON.parse(lines[0]!) as { error: string }
  expect(error).toMatch(/^Error: block 5\n.*\ncaused by TypeError: inner\n {4}at /s)
})
