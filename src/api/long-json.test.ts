import { expect, test } from 'vitest'
import { jsonPieces, longList, longText, quotedPieces, writePieces } from './long-json.ts'

const joined = (value: unknown): string => [...jsonPieces(value)].join('')

test('the pieces of a value are the JSON of the whole', () => {
  const long = `${'a"\\\n'.repeat(20_000)}é\u{1f600}`
  const values = [
    null,
    true,
    -1.5,
    'short "text"',
    long,
    [],
    {},
    [undefined, null, [1]],
    { a: undefined, b: [{ c: 'd' }, {}], 'e"': long },
  ]
  for (const value of values) expect(joined(value)).toBe(JSON.stringify(value))
})

test('long texts and lists have the JSON of the strings and arrays they stand for', () => {
  const value = { text: longText(() => ['a"', '', 'b']), list: longList(() => [1, { c: longText(() => ['d']) }]) }
  expect(joined(value)).toBe('{"text":"a\\"b","list":[1,{"c":"d"}]}')
  expect(JSON.stringify(value)).toBe(joined(value))
})

test('a pair of surrogates at the border of two pieces is not escaped, a lone surrogate is', () => {
  for (let before = 32_766; before <= 32_769; before++) {
    const text = `${'x'.repeat(before)}\u{1f600}\ud83d`
    expect(joined(text)).toBe(JSON.stringify(text))
  }
  expect([...quotedPieces(['\ud83d', '\ude00'])].join('')).toBe('"\u{1f600}"')
})

test('a text is passed on in parts, each after the previous one is taken, until its client disconnects', async () => {
  const gone = new AbortController()
  let waiting = 0
  let taken = 0
  function* endless(): Iterable<string> {
    for (;;) yield 'é'.repeat(1000)
  }
  const writing = writePieces(
    endless(),
    (part, done) => {
      expect(++waiting).toBe(1)
      taken += part.length
      if (taken > 1_000_000) gone.abort()
      setImmediate(() => {
        waiting--
        done()
      })
    },
    gone.signal,
  )
  await expect(writing).rejects.toThrow('the client has disconnected')
  expect(taken).toBeLessThan(5_000_000)
})
