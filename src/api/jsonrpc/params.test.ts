import { expect, test } from 'vitest'
import { hex } from '../../primitives/bytes.ts'
import { address, blockOrLatest, bytes, logFilter, quantity64, storageKey } from './params.ts'

const WORD = `0x${'11'.repeat(32)}`

test('wrong values are refused with the texts of geth', () => {
  const refusals: readonly (readonly [() => unknown, string])[] = [
    [
      () => address.read('x'),
      'json: cannot unmarshal hex string without 0x prefix into Go value of type common.Address',
    ],
    [() => address.read('0x12'), 'hex string has length 2, want 40 for common.Address'],
    [() => address.read(5), 'json: cannot unmarshal non-string into Go value of type common.Address'],
    [() => bytes.read('0x123'), 'json: cannot unmarshal hex string of odd length into Go value of type hexutil.Bytes'],
    [() => bytes.read('0xzz'), 'json: cannot unmarshal invalid hex string into Go value of type hexutil.Bytes'],
    [() => quantity64.read('0x'), 'json: cannot unmarshal hex string "0x" into Go value of type hexutil.Uint64'],
    [
      () => quantity64.read('0x01'),
      'json: cannot unmarshal hex number with leading zero digits into Go value of type hexutil.Uint64',
    ],
    [
      () => quantity64.read(`0x1${'0'.repeat(16)}`),
      'json: cannot unmarshal hex number > 64 bits into Go value of type hexutil.Uint64',
    ],
    [() => storageKey.read(`0x${'0'.repeat(65)}`), 'storage key too long (want at most 32 bytes)'],
    [() => storageKey.read('0xasdf'), 'invalid hex in storage key: "0xasdf"'],
    [() => blockOrLatest.read('newest'), 'hex string without 0x prefix'],
    [() => blockOrLatest.read({}), 'block number or hash is required'],
    [
      () => blockOrLatest.read({ blockHash: WORD, blockNumber: '0x1' }),
      'cannot specify both BlockHash and BlockNumber, choose one or the other',
    ],
    [() => blockOrLatest.read('0x8000000000000000'), 'block number larger than int64'],
    [() => logFilter.read({ topics: [null, null, null, null, null] }), 'exceed max topics'],
    [
      () => logFilter.read({ blockHash: WORD, fromBlock: '0x1' }),
      'cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
    ],
  ]
  for (const [read, text] of refusals) expect(read, text).toThrow(text)
})

test('a block is a number, a tag, a hash or an object of either; absent is the latest', () => {
  expect(blockOrLatest.read(undefined)).toEqual({ tag: 'latest' })
  expect(blockOrLatest.read('safe')).toEqual({ tag: 'safe' })
  expect(blockOrLatest.read('0x10')).toEqual({ number: 16n })
  expect(blockOrLatest.read('16')).toEqual({ number: 16n })
  expect(blockOrLatest.read({ blockNumber: 'earliest' })).toEqual({ tag: 'earliest' })
  expect(blockOrLatest.read(WORD)).toEqual({ hash: hex(WORD) })
  expect(blockOrLatest.read({ blockHash: WORD })).toEqual({ hash: hex(WORD), requireCanonical: false })
})

test('a log filter takes one or many addresses, and alternatives by topic', () => {
  const one = `0x${'22'.repeat(20)}`
  expect(logFilter.read({ address: one, topics: [null, WORD, [WORD, null], [WORD]] })).toEqual({
    blockHash: undefined,
    from: undefined,
    to: undefined,
    addresses: [hex(one)],
    topics: [[], [hex(WORD)], [], [hex(WORD)]],
  })
  expect(logFilter.read({ address: [one, one] }).addresses.length).toBe(2)
})
