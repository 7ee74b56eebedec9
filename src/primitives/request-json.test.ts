import { expect, test } from 'vitest'
import { parseRequestJson } from './request-json.ts'

const lists = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

test('values are parsed like JSON.parse', () => {
  for (const text of ['1', 'null', '"a\\"b[[["', '{"a":[1,{"b":"\\\\"}]}', `["${'x'.repeat(5000)}",[]]`]) {
    expect(parseRequestJson(text)).toEqual(JSON.parse(text))
  }
  for (const text of ['', '{', '"', '[1', '"\\', `"${'x'.repeat(5000)}`, `${'"'.repeat(2001)}`]) {
    expect(() => parseRequestJson(text)).toThrow(SyntaxError)
  }
})

test('a hundred levels are parsed, and one more is refused', () => {
  expect(parseRequestJson(lists(100))).toEqual(JSON.parse(lists(100)))
  expect(() => parseRequestJson(lists(101))).toThrow('deeper than 100 levels')
  expect(() => parseRequestJson(objects(101))).toThrow('deeper than 100 levels')
  expect(() => parseRequestJson(lists(1_000_000))).toThrow('deeper than 100 levels')
  // Brackets in strings do not count, after any number of backslashes.
  const text = JSON.stringify([`\\"${'['.repeat(2000)}\\\\`, '['.repeat(2000)])
  expect(parseRequestJson(text)).toEqual(JSON.parse(text))
  const wide = `[${lists(90).repeat(3).replaceAll('][', '],[')}]`
  expect(parseRequestJson(wide)).toHaveLength(3)
})
