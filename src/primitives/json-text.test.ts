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
])('what JSON.parse reads is read the same: %s', (text) => {
  expect(read(text)).toEqual(JSON.parse(text))
})

test('a name of the language of objects is a name like any other', () => {
  const value = read('{"__proto__":1,"constructor":2}') as Record<string, unknown>
  expect(Object.entries(value)).toEqual([
    ['__proto__', 1],
    ['constructor', 2],
  ])
})

test.each([
  ['{"a": 1,\n "b": {"c": 2, "c": 3}}', 'file.json: line 2, column 16, in b: the name "c" stands twice'],
  ['{"a": [1, 2', 'file.json: line 1, column 12, in a: the text ends where , or ] is expected: it is cut off'],
  ['{"a": "no end', 'line 1, column 14, in a: the text ends where the end of a text is expected: it is cut off'],
  ['', 'line 1, column 1: the text ends where a value is expected'],
  ['{"a": [{"b": nope}]}', 'line 1, column 14, in a[0].b: nope is no value'],
  ['{"a": 1,}', 'line 1, column 9: a text in double quotes is expected, not "}"'],
  ["{'a': 1}", `line 1, column 2: a text in double quotes is expected, not "'"`],
  ['{"a" 1}', 'line 1, column 6: : is expected, not "1"'],
  ['01', 'line 1, column 2: nothing more is expected behind the value'],
  ['[1] x', 'line 1, column 5: nothing more is expected'],
  ['["a\nb"]', 'in [0]: a text with a character or an escape that JSON does not allow'],
  ['["\\x"]', 'a text with a character or an escape that JSON does not allow'],
])('what is wrong is told with its place: %j', (text, message) => {
  expect(() => read(text)).toThrow(message)
})

test('a text nested without end is refused before the stack is', () => {
  expect(() => read('['.repeat(100_000))).toThrow('deeper than 200 levels')
})
