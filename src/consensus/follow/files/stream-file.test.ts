/** Files of the change stream. The bytes were encoded by hand from the definitions of `StoreKVPair`. */
import { expect, test } from 'vitest'
import { hex, utf8 } from '../../../primitives/bytes.ts'
import type { Change } from '../../../store/types.ts'
import { mergedRuns, parseStreamFile } from './stream-file.ts'

/** Bank key 04 "ufoo" becomes empty, a slot of a contract 42, oracle key 01 "ubtc:uusd" is deleted. */
const RECORDS = [
  '0d0a0462616e6b1a050475666f6f',
  `5e0a0365766d1a3502aef9437ff23d48d73271a41a8a094dec9ac71477${'00'.repeat(32)}2220${'00'.repeat(31)}2a`,
  '170a066f7261636c6510011a0b06756274633a7575736400',
]
const ALL = RECORDS.join('')
const WITH_LENGTH = `0000000000000085${ALL}`

const CHANGES: readonly Change[] = [
  { store: 'bank', key: hex('0475666f6f'), value: new Uint8Array(0) },
  {
    store: 'evm',
    key: hex(`02aef9437ff23d48d73271a41a8a094dec9ac71477${'00'.repeat(32)}`),
    value: hex(`${'00'.repeat(31)}2a`),
  },
  { store: 'oracle', key: hex('06756274633a7575736400'), value: undefined },
]

/** Returns changes without the classes of their byte arrays, since parts of a file are of its class. */
const plain = (changes: readonly Change[]) =>
  changes.map(({ store, key, value }) => [
    store,
    Buffer.from(key).toString('hex'),
    value && Buffer.from(value).toString('hex'),
  ])

function changesOf(bytes: Uint8Array): readonly Change[] {
  const found = parseStreamFile(bytes)
  if (found.kind !== 'complete') throw new Error(`${found.kind}: ${found.reason}`)
  return found.changes
}

test('an empty value is a value, and only the field of deletions deletes', () => {
  expect(plain(changesOf(hex(WITH_LENGTH)))).toEqual(plain(CHANGES))
})

test('a file without a length has the same changes', () => {
  expect(plain(changesOf(hex(ALL)))).toEqual(plain(CHANGES))
})

test('a block that changes nothing has a length of zero', () => {
  expect(changesOf(new Uint8Array(8))).toEqual([])
})

test('a file with a length is complete at its last byte and never before', () => {
  const bytes = hex(WITH_LENGTH)
  for (let length = 0; length < bytes.length; length++)
    expect([length, parseStreamFile(bytes.subarray(0, length)).kind]).toEqual([length, 'partial'])
  expect(parseStreamFile(bytes).kind).toBe('complete')
})

test('a file without a length is complete between two records only', () => {
  const bytes = hex(ALL)
  const ends = [14, 14 + 95, 14 + 95 + 24]
  for (let length = 1; length <= bytes.length; length++)
    expect([length, parseStreamFile(bytes.subarray(0, length)).kind]).toEqual([
      length,
      ends.includes(length) ? 'complete' : 'partial',
    ])
})

test.each([
  ['bytes after the length', `${WITH_LENGTH}00`, 'it has 134 bytes after a length of 133'],
  ['a last record that is cut off', '00000000000000040d0a0462', 'its last record is cut off'],
  [
    'a field that is longer than its record',
    '0000000000000005040a096261',
    'its record at byte 8 is wrong: a field is longer than the record',
  ],
  ['a record without a store', '0000000000000004031a0175', 'its record at byte 8 is wrong: it names no store'],
  [
    'a record without a key',
    '0000000000000007060a0462616e6b',
    'its record at byte 8 is wrong: its key in store bank is empty',
  ],
  ['an unknown field', '0000000000000004032a0175', 'its record at byte 8 is wrong: it has field 5'],
  ['another wire type', '0000000000000003020d01', 'its record at byte 8 is wrong: it has field 1 of wire type 5'],
  ['a number without an end', `0000000000000008${'ff'.repeat(8)}`, 'a number is longer than 7 bytes'],
])('%s is no block, and the place is named', (_, content, reason) => {
  expect(parseStreamFile(hex(content))).toEqual({ kind: 'wrong', reason: expect.stringContaining(reason) })
})

test('random bytes are never taken for a block with impossible changes', () => {
  let seed = 1
  const random = (): number => {
    seed = (seed * 48_271) % 2_147_483_647
    return seed & 0xff
  }
  for (let i = 0; i < 5000; i++) {
    const found = parseStreamFile(Uint8Array.from({ length: i % 64 }, random))
    if (found.kind === 'complete')
      for (const { store, key } of found.changes) expect(store.length * key.length).toBeGreaterThan(0)
  }
})

test('of two runs of a store, which follow a failed write of the node, the later change of a key counts', () => {
  const change = (store: string, key: string, value?: string): Change => ({
    store,
    key: utf8(key),
    value: value === undefined ? undefined : utf8(value),
  })
  const merged = mergedRuns([
    change('bank', 'a', 'old'),
    change('bank', 'c', 'kept'),
    change('evm', 'a', 'other store'),
    change('bank', 'a', 'new'),
    change('bank', 'b'),
  ])
  expect(plain(merged)).toEqual(
    plain([
      change('bank', 'a', 'new'),
      change('bank', 'b'),
      change('bank', 'c', 'kept'),
      change('evm', 'a', 'other store'),
    ]),
  )
})
