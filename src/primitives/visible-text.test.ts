import { expect, test } from 'vitest'
import { isVisible, visibleText } from './visible-text.ts'

test('what steers a terminal is shown as its escape, and any other text as it is', () => {
  expect(visibleText('\u001b[31mred\u009b0m\u007f\r')).toBe('\\u001b[31mred\\u009b0m\\u007f\\u000d')
  expect(visibleText('abc\u202edcb\u2066')).toBe('abc\\u202edcb\\u2066')
  const plain = 'tab\t, newline\n, café, 漢字, 👍, שלום'
  expect(visibleText(plain)).toBe(plain)
  expect([isVisible(plain), isVisible('\u001b')]).toEqual([true, false])
})
