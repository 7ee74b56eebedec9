import { expect, test } from 'vitest'
import { isVisible, shortWords, visibleText } from './visible-text.ts'

test('what steers a terminal is shown as its escape, and any other text as it is', () => {
  expect(visibleText('\u001b[31mred\u009b0m\u007f\r')).toBe('\\u001b[31mred\\u009b0m\\u007f\\u000d')
  expect(visibleText('abc\u202edcb\u2066')).toBe('abc\\u202edcb\\u2066')
  const plain = 'tab\t, newline\n, café, 漢字, 👍, שלום'
  expect(visibleText(plain)).toBe(plain)
  expect([isVisible(plain), isVisible('\u001b')]).toEqual([true, false])
})

test('long words are cut off, and any other text is as it was', () => {
  const address = 'a'.repeat(256)
  expect(shortWords(`no ${address}, ${'9'.repeat(300)}\nx`)).toBe(
    `no ${'a'.repeat(128)}… (257 characters) ${'9'.repeat(128)}… (300 characters)\nx`,
  )
  expect(shortWords(`no ${address} here`)).toBe(`no ${address} here`)
})
