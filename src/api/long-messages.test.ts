import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { TxResponseSchema } from '../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { GetTxResponseSchema } from '../gen/sdk/tx/v1beta1/service_pb.ts'
import { EventAttributeSchema, EventSchema } from '../gen/tendermint/abci/types_pb.ts'
import { almanac } from '../identity/profiles/almanac.ts'
import { createJsonWriter } from './json.ts'
import { isLong, makeWhole, messagePieces, withLongFields } from './long-messages.ts'

const writer = createJsonWriter(almanac)
const LONG_TEXT = `<"${'é\u{1f600}'.repeat(40_000)}`

/** Returns a response whose log, events and a value in them are long. */
function response(sizeBytes: number) {
  const attribute = create(EventAttributeSchema, { key: 'logs', index: true })
  withLongFields(attribute, { sizeBytes: 1, texts: { value: () => ['a<', LONG_TEXT] }, lists: {} })
  const events = [create(EventSchema, { type: 'one', attributes: [attribute] }), create(EventSchema, { type: 'two' })]
  const txResponse = withLongFields(create(TxResponseSchema, { height: 5n, txhash: 'AB', info: LONG_TEXT }), {
    sizeBytes,
    texts: { rawLog: () => ['[', '"x"', ']'] },
    lists: { events: () => events, logs: () => [] },
  })
  return create(GetTxResponseSchema, { txResponse })
}

test('a message with long fields is written as the same message with its fields made', () => {
  const whole = response(1)
  expect(isLong(whole)).toBe(true)
  makeWhole(whole)
  expect(isLong(whole)).toBe(false)
  expect(whole.txResponse).toMatchObject({
    rawLog: '["x"]',
    events: [{ type: 'one', attributes: [{ key: 'logs', value: `a<${LONG_TEXT}`, index: true }] }, { type: 'two' }],
  })
  const text = writer.of(GetTxResponseSchema)(whole)
  for (const one of [whole, response(1)]) {
    expect([...messagePieces(writer, GetTxResponseSchema, one)].join('')).toBe(text)
  }
  expect(toBinary(GetTxResponseSchema, whole).length).toBeGreaterThan(LONG_TEXT.length * 4)
})

test('a response that is too long to be whole is refused, and still written in pieces', () => {
  const long = response(9 * 1024 * 1024)
  expect(() => makeWhole(long)).toThrow('the answer is longer than 8388608 bytes')
  expect([...messagePieces(writer, GetTxResponseSchema, long)].join('')).toContain('"raw_log":"[\\"x\\"]"')
})
