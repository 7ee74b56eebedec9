import { expect, test } from 'vitest'
import { parseJsonText } from './json-text.ts'

const read = (text: string) => parseJsonText(text, 'file.json')

test.each([
  '{"a":[1,-2.5e3,0],"b":{"c":"x\\n\\u00e9","":null},"d":true,"e":false}',
  '[]',
  ' {\n}\t',
  '"text"',
  '-0',
  '[[[{"deep":[{}]}]]]',
])('valid JSON is parsed like JSON.parse: %s', (text) => {
  expect(read(text)).toEqual(JSON.parse(text))
})

test('names of Object.prototype are ordinary names', () => {
  const value = read('{"__proto__":1,"constructor":2}') as Record<string, unknown>
  expect(Object.entries(value)).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
  ])
})

test.each([
  ['{"a": 1,\n "b": {"c": 2, "c": 3}}', 'file.json: line 2, column 16, in b: the name "c" occurs twice'],
  ['{"a": [1, 2', 'file.json: line 1, column 12, in a: expected , or ], but the text ends: it is cut off'],
  ['{"a": "no end', 'line 1, column 14, in a: expected the end of a string, but the text ends: it is cut off'],
  ['', 'line 1, column 1: expected a value, but the text ends'],
  ['{"a": [{"b": nope}]}', 'line 1, column 14, in a[0].b: nope is not a value'],
  ['{"a": 1,}', 'line 1, column 9: expected a string in double quotes, got "}"'],
  ["{'a': 1}", `line 1, column 2: expected a string in double quotes, got "'"`],
  ['{"a" 1}', 'line 1, column 6: expected :, got "1"'],
  ['01', 'line 1, column 2: unexpected text after the value'],
  ['[1] x', 'line 1, column 5: unexpected text'],
  ['["a\nb"]', 'in [0]: a string with a character or an escape that JSON does not allow'],
  ['["\\x"]', 'a string with a character or an escape that JSON does not allow'],
])('an error names its position: %j', (text, message) => {
  expect(() => read(text)).toThrow(message)
})

test('deep nesting is refused before the stack overflows', () => {
  expect(() => read('['.repeat(100_000))).toThrow('deeper than 100 levels')
})
