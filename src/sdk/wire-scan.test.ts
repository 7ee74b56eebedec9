import { create, type DescMessage, fromBinary, toBinary } from '@bufbuild/protobuf'
import { AnySchema, TimestampSchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { authors } from '../../test/support/nesting/chain.ts'
import { createRandomMessages } from '../../test/support/nesting/random-messages.ts'
import { seededRandom } from '../../test/support/random.ts'
import { MsgRegisterFeeShareSchema } from '../gen/chain/devgas/v1/tx_pb.ts'
import { MsgExecSchema } from '../gen/sdk/authz/v1beta1/tx_pb.ts'
import { MsgMultiSendSchema, MsgSendSchema } from '../gen/sdk/bank/v1beta1/tx_pb.ts'
import { PageRequestSchema } from '../gen/sdk/base/query/v1beta1/pagination_pb.ts'
import { MsgGrantAllowanceSchema } from '../gen/sdk/feegrant/v1beta1/tx_pb.ts'
import { ParamsSchema } from '../gen/sdk/slashing/v1beta1/slashing_pb.ts'
import { ModeInfoSchema, TxBodySchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import { messageType, registry } from '../identity/registry.ts'
import { concat, hex } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import { MAX_LEVELS, MAX_NODES } from '../primitives/nesting.ts'
import { createNodeBudget, type ScanRules, scan } from './wire-scan.ts'

const typeOf = (typeUrl: string) => messageType(typeUrl.slice(1))
const rules: ScanRules = { typeOf, refuse: 'critical' }
const scanHex = (schema: DescMessage, bytes: string) => scan(schema, hex(bytes), rules)

/** Returns executions within each other, `depth` of them. */
function executions(depth: number): Uint8Array {
  let value = toBinary(MsgExecSchema, create(MsgExecSchema, {}))
  for (let i = 1; i < depth; i++) {
    value = toBinary(MsgExecSchema, create(MsgExecSchema, { msgs: [{ typeUrl: `/${MsgExecSchema.typeName}`, value }] }))
  }
  return value
}

test('the contents of Any values spend the same levels as messages, two for each', () => {
  // 15 executions have levels 1 to 29, and the Any of an empty content one more.
  expect(scan(MsgExecSchema, executions(16), rules)).toBe(false)
  expect(() => scan(MsgExecSchema, executions(18), rules)).toThrow('nested deeper than 32 levels: tx parse error')
  expect(() => scan(MsgExecSchema, executions(2_000), rules)).toThrow('nested deeper than 32 levels')
})

test('a content of unknown type is not scanned', () => {
  expect(scan(MsgExecSchema, executions(2_000), { ...rules, typeOf: () => undefined })).toBe(false)
})

test('messages within messages and groups spend levels', () => {
  // ModeInfo { multi { mode_infos { … } } }: two levels for each.
  let bytes = new Uint8Array(0)
  const wrap = (tag: number) => {
    const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7]
    bytes = Uint8Array.from([tag, ...length, ...bytes])
  }
  for (let i = 1; i < MAX_LEVELS; i++) wrap(0x12)
  expect(scan(ModeInfoSchema, bytes, rules)).toBe(false)
  wrap(0x12)
  expect(() => scan(ModeInfoSchema, bytes, rules)).toThrow('nested deeper than 32 levels')

  // Groups of field 1024, which is not critical: 8340 opens one, 8440 closes it.
  const groups = (count: number) => '8340'.repeat(count) + '8440'.repeat(count)
  expect(scanHex(MsgSendSchema, groups(31))).toBe(true)
  expect(() => scanHex(MsgSendSchema, groups(32))).toThrow('nested deeper than 32 levels')
  expect(() => scanHex(MsgSendSchema, groups(100_000))).toThrow('nested deeper than 32 levels')
})

test('several scans can share one budget of nodes', () => {
  const outputs = (count: number) => hex('1200'.repeat(count))
  const budget = createNodeBudget()
  expect(scan(MsgMultiSendSchema, outputs(MAX_NODES - 1), { ...rules, budget })).toBe(false)
  expect(scan(MsgMultiSendSchema, outputs(1), { ...rules, budget })).toBe(false)
  expect(() => scan(MsgMultiSendSchema, outputs(1), { ...rules, budget })).toThrow(
    'more than 65536 nested messages: tx parse error',
  )
})

test('a scan counts the values: fields, and the elements of packed ones', () => {
  const valuesOf = (schema: DescMessage, bytes: string) => {
    const budget = createNodeBudget()
    scan(schema, hex(bytes), { ...rules, budget })
    return budget.values
  }
  // Three outputs, the last with an address of one character.
  expect(valuesOf(MsgMultiSendSchema, '1200120012030a0161')).toBe(4)
  // Five nonces.
  expect(valuesOf(MsgRegisterFeeShareSchema, '22050001020304')).toBe(6)
})

test.each([
  ['a length beyond the end', MsgSendSchema, '0a05', 'unexpected EOF'],
  ['a length beyond the message around it', MsgSendSchema, '1a020a056162636465', 'unexpected EOF'],
  ['a varint beyond the end', TxBodySchema, '1880', 'unexpected EOF'],
  ['a varint of eleven bytes', TxBodySchema, `18${'80'.repeat(10)}01`, 'integer overflow'],
  ['a length of eleven bytes', MsgSendSchema, `0a${'80'.repeat(10)}01`, 'integer overflow'],
  ['field 0', MsgSendSchema, '0200', 'illegal tag 0 (wire type 2)'],
  ['wire type 6', MsgSendSchema, '0e', 'illegal tag 1 (wire type 6)'],
  ['a tag of six bytes', MsgSendSchema, 'ffffffffff01', 'a tag exceeds 32 bits'],
  ['a tag of 33 bits', MsgSendSchema, 'ffffffff1f', 'a tag exceeds 32 bits'],
  ['text as a number', MsgSendSchema, '0801', 'wrong wireType = 0 for field from_address'],
  ['a number as text', PageRequestSchema, '120101', 'wrong wireType = 2 for field offset'],
  ['a critical unknown field', MsgSendSchema, '7a00', 'unknown field 15 in sdk.bank.v1beta1.MsgSend'],
  ['text that is not UTF-8', MsgSendSchema, '0a01ff', 'from_address is not valid UTF-8'],
  ['a surrogate in text', MsgSendSchema, '0a03eda080', 'from_address is not valid UTF-8'],
  ['the end of a group without its beginning', MsgSendSchema, '8440', 'the end of group 1024'],
  ['a group without an end', MsgSendSchema, '8340', 'unexpected EOF'],
  ['the end of another group', MsgSendSchema, '83408c40', 'the end of group 1025'],
  ['a message twice', MsgGrantAllowanceSchema, '1a001a00', 'allowance occurs twice'],
  ['a time in the year 10000', TimestampSchema, '0880c6868bd007', 'google.protobuf.Timestamp'],
])('%s is refused', (_, schema, bytes, text) => {
  expect(() => scanHex(schema, bytes)).toThrow(text)
})

test('an Any without a type URL has no content, also after one with a type URL', () => {
  // Any { type_url } and Any { value: a nested execution }.
  const first = toBinary(AnySchema, create(AnySchema, { typeUrl: `/${MsgExecSchema.typeName}` }))
  const second = toBinary(AnySchema, create(AnySchema, { value: hex('ff') }))
  const list = (bytes: Uint8Array) => concat(Uint8Array.of(0x12, bytes.length), bytes)
  expect(scan(MsgExecSchema, concat(list(first), list(second)), rules)).toBe(false)
})

test('unknown fields of times and of contents count', () => {
  expect(scanHex(ParamsSchema, '1a0408011002')).toBe(false)
  const value = hex('f8ff0101')
  const content = create(MsgExecSchema, { msgs: [{ typeUrl: `/${MsgSendSchema.typeName}`, value }] })
  expect(scan(MsgExecSchema, toBinary(MsgExecSchema, content), rules)).toBe(true)
  expect(() => scan(MsgExecSchema, toBinary(MsgExecSchema, content), { ...rules, refuse: 'all' })).toThrow(
    'unknown field',
  )
})

test('every type of the API has a plan', () => {
  for (const type of registry) if (type.kind === 'message') expect(scan(type, new Uint8Array(0), rules)).toBe(false)
})

test('the decoder accepts all bytes that the scanner accepts', () => {
  const random = seededRandom(5)
  const messages = createRandomMessages(random)
  const counts = { accepted: 0, refused: 0 }
  for (let i = 0; i < 20_000; i++) {
    const { typeUrl, value } = messages.message(authors[i % authors.length]!)
    const schema = typeOf(typeUrl)!
    const bytes = i % 2 === 0 ? value : messages.mutate(value)
    try {
      scan(schema, bytes, rules)
    } catch (error) {
      expect(error).toBeInstanceOf(ChainError)
      counts.refused++
      continue
    }
    fromBinary(schema, bytes)
    counts.accepted++
  }
  expect(counts.accepted).toBeGreaterThan(3_000)
  expect(counts.refused).toBeGreaterThan(3_000)
})
