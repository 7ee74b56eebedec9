import { create, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { QueryTotalSupplyRequestSchema } from '../gen/sdk/bank/v1beta1/query_pb.ts'
import { MsgMultiSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { TxBodySchema, TxSchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { MAX_FIELDS, readMessage } from './read-message.ts'

const REFUSED = `the message has more than ${MAX_FIELDS} fields`
const repeat = (bytes: readonly number[], count: number) =>
  Uint8Array.from({ length: bytes.length * count }, (_, i) => bytes[i % bytes.length]!)
/** An unknown field 15, and a page request without content: the first and the second of many are two bytes each. */
const UNKNOWN = [0x78, 0]
const EMPTY_PAGE = [0x0a, 0]

test.each([
  ['unknown fields', UNKNOWN],
  ['occurrences of a field', EMPTY_PAGE],
])('a request of more %s than the limit is refused before it is decoded, and one of as many is read', (_, field) => {
  expect(() => readMessage(almanac, QueryTotalSupplyRequestSchema, repeat(field, MAX_FIELDS + 1))).toThrow(REFUSED)
  const read = readMessage(almanac, QueryTotalSupplyRequestSchema, repeat(field, MAX_FIELDS))
  expect(read.$unknown).toBeUndefined()
})

function txOf(value: Uint8Array, typeUrl = `/${MsgMultiSendSchema.typeName}`): Uint8Array {
  const body = create(TxBodySchema, { messages: [create(AnySchema, { typeUrl, value })] })
  return toBinary(TxSchema, create(TxSchema, { body }))
}

test('the fields of messages in a message count, also those of the content of an Any', () => {
  const inputs = repeat(EMPTY_PAGE, MAX_FIELDS)
  expect(() => readMessage(almanac, TxSchema, txOf(inputs))).toThrow(REFUSED)
  expect(() => readMessage(almanac, TxSchema, txOf(inputs.subarray(0, -100)))).not.toThrow()
  expect(() => readMessage(almanac, TxSchema, txOf(inputs, '/unknown.Type'))).not.toThrow()
})

test('bytes and text of megabytes are one field', () => {
  const memo = create(TxSchema, {
    body: create(TxBodySchema, { memo: 'x'.repeat(2 * MAX_FIELDS) }),
    signatures: [new Uint8Array(MAX_FIELDS)],
  })
  expect(readMessage(almanac, TxSchema, toBinary(TxSchema, memo))).toEqual(memo)
})

test.each([
  ['a number that does not end', repeat([0xff], 2 * MAX_FIELDS)],
  ['a length beyond the end', Uint8Array.from([0x0a, 0xff, 0xff, 0xff, 0x7f, ...repeat([0], MAX_FIELDS)])],
  ['a wire type that does not exist', repeat([0x0f], MAX_FIELDS)],
])('%s is an error of the decoder', (_, bytes) => {
  expect(() => readMessage(almanac, QueryTotalSupplyRequestSchema, bytes)).toThrow()
})
