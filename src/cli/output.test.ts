import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { formatOutput } from './output.ts'

test('YAML and JSON show what steers a terminal as escapes, and are read as the same text', () => {
  const value = { memo: '\u001b]0;title\u0007', name: 'abc\u202edcb\u009b31m', 'key\u007f': ['plain', '12', 5] }
  for (const [format, read] of [
    ['yaml', parse],
    ['json', (text: string) => JSON.parse(text)],
  ] as const) {
    const text = formatOutput(value, format)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: none of them may be there.
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/)
    expect(read(text)).toEqual(value)
  }
})
