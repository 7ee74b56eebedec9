import { expect, test } from 'vitest'
import { createJsonSplitter } from './json-splitter.ts'

/** Returns the texts of a stream that arrives in chunks of a size. */
function split(stream: string, size: number): string[] {
  const splitter = createJsonSplitter()
  const bytes = Buffer.from(stream)
  const texts: string[] = []
  for (let at = 0; at < bytes.length; at += size) texts.push(...splitter.push(bytes.subarray(at, at + size)))
  return texts
}

const TEXTS = ['{"a":1}', '[{"b":"}]"},2]', '{"c":{"d":"\\"}{"},"é":[]}']

test.each([1, 2, 3, 7, 1000])('texts are found whatever the chunks are, here of %i bytes', (size) => {
  expect(split(TEXTS.join(''), size)).toEqual(TEXTS)
  expect(split(`\n ${TEXTS.join(' \r\n\t')}\n\n`, size)).toEqual(TEXTS)
})

test('a line that is neither object nor array is a text, so that it gets an error', () => {
  expect(split('hello "you"\n{"a":1}', 4).map((text) => text.trim())).toEqual(['hello "you"', '{"a":1}'])
  expect(split('}\n{}', 1).map((text) => text.trim())).toEqual(['}', '{}'])
})

test('the bytes of a text that is not complete are counted', () => {
  const splitter = createJsonSplitter()
  expect(splitter.push(Buffer.from('{}  {"a":'))).toEqual(['{}'])
  expect(splitter.pendingBytes()).toBe(5)
  expect(splitter.push(Buffer.from('1}'))).toEqual(['{"a":1}'])
  expect(splitter.pendingBytes()).toBe(0)
})
