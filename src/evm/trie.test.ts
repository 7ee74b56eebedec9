import { expect, test } from 'vitest'
import { formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { EMPTY_TRIE_ROOT, listTrieRoot, secureTrieRoot, trieRoot } from './trie.ts'

const pairs = (entries: Record<string, string>): [Uint8Array, Uint8Array][] =>
  Object.entries(entries).map(([key, value]) => [utf8(key), utf8(value)])

test("the empty trie has Ethereum's well-known root", () => {
  expect(formatHex(trieRoot([]))).toBe('56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421')
  expect(secureTrieRoot([])).toEqual(EMPTY_TRIE_ROOT)
})

test('a key that is a prefix of others has its value in the branch node', () => {
  const root = '5991bb8c6514148a29db676a14ac506cd2cd5775ace63c30a4fe457715e9ac84'
  const entries = pairs({ do: 'verb', horse: 'stallion', doge: 'coin', dog: 'puppy' })
  expect(formatHex(trieRoot(entries))).toBe(root)
  expect(formatHex(trieRoot(entries.reverse()))).toBe(root)
})

test('a small node is embedded in its parent, not referenced by hash', () => {
  const root = '17beaa1648bafa633cda809c90c04af50fc8aed3cb40d16efbddee6fdf63c4c3'
  expect(formatHex(trieRoot(pairs({ foo: 'bar', food: 'bass' })))).toBe(root)
})

test('a list is keyed by the RLP of its index', () => {
  const values = Array.from({ length: 200 }, (_, i) => utf8(`value ${i}`))
  expect(listTrieRoot(values)).toEqual(
    trieRoot(
      values.map((value, i) => [
        i === 0 ? hex('80') : i < 128 ? hex(i.toString(16).padStart(2, '0')) : hex(`81${i.toString(16)}`),
        value,
      ]),
    ),
  )
})
