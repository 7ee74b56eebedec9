/** Published attacks by nesting: messages in messages, in allowances and in groups of the wire format. See docs/security-findings.md. */
import { create, toBinary } from '@bufbuild/protobuf'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { expect, test } from 'vitest'
import { MsgExecSchema } from '../../src/gen/sdk/authz/v1beta1/tx_pb.ts'
import { MsgSendSchema } from '../../src/gen/sdk/bank/v1beta1/tx_pb.ts'
import { AllowedMsgAllowanceSchema, BasicAllowanceSchema } from '../../src/gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { MsgGrantAllowanceSchema } from '../../src/gen/sdk/feegrant/v1beta1/tx_pb.ts'
import { MsgSubmitProposalSchema } from '../../src/gen/sdk/gov/v1/tx_pb.ts'
import { SignMode } from '../../src/gen/sdk/tx/signing/v1beta1/signing_pb.ts'
import { concat, hex } from '../../src/primitives/bytes.ts'
import { encodeVarint } from '../../src/primitives/varint.ts'
import { assembled, startChain, users } from './chain.ts'

const [alice, bob] = users as [(typeof users)[0], (typeof users)[0]]

/** Returns a field of length-delimited bytes, which needs no second encoding of what is inside. */
const field = (number: number, bytes: Uint8Array): Uint8Array =>
  concat(Uint8Array.of((number << 3) | 2), encodeVarint(bytes.length), bytes)
const text = (number: number, value: string) => field(number, new TextEncoder().encode(value))
const any = (name: string, value: Uint8Array) => concat(text(1, `/${name}`), field(2, value))

const send = () => {
  const amount = [{ denom: 'unative', amount: '1' }]
  const message = create(MsgSendSchema, { fromAddress: alice.text, toAddress: bob.text, amount })
  return any(MsgSendSchema.typeName, toBinary(MsgSendSchema, message))
}

/** One layer: a message that contains another Any in a field, between its other fields. */
interface Layer {
  readonly name: string
  readonly before: Uint8Array
  readonly number: number
  readonly after: Uint8Array
}

const NOTHING = new Uint8Array(0)
const exec: Layer = { name: MsgExecSchema.typeName, before: text(1, alice.text), number: 2, after: NOTHING }
const proposal: Layer = {
  name: MsgSubmitProposalSchema.typeName,
  before: NOTHING,
  number: 1,
  after: concat(text(3, alice.text), text(5, 't'), text(6, 's')),
}
const allowed: Layer = {
  name: AllowedMsgAllowanceSchema.typeName,
  before: NOTHING,
  number: 1,
  after: text(2, `/${MsgSendSchema.typeName}`),
}

/** Returns an Any inside layers, which alternate from the inside out. Works in linear time. */
function nested(depth: number, layers: readonly Layer[], core: Uint8Array): Uint8Array {
  const before: Uint8Array[] = []
  const after: Uint8Array[] = []
  let length = core.length
  for (let level = 0; level < depth; level++) {
    const layer = layers[level % layers.length]!
    const opening = concat(layer.before, Uint8Array.of((layer.number << 3) | 2), encodeVarint(length))
    const value = opening.length + length + layer.after.length
    const head = concat(text(1, `/${layer.name}`), Uint8Array.of((2 << 3) | 2), encodeVarint(value))
    before.push(concat(head, opening))
    after.push(layer.after)
    length = head.length + value
  }
  return concat(...before.reverse(), core, ...after)
}

/** Returns the parts of an Any. */
function anyOf(packed: Uint8Array): Any {
  const nameLength = packed[1]!
  let offset = 2 + nameLength + 1
  while (packed[offset]! >= 0x80) offset++
  const typeUrl = new TextDecoder().decode(packed.subarray(2, 2 + nameLength))
  return create(AnySchema, { typeUrl, value: packed.subarray(offset + 1) })
}

const allowances = (depth: number): Uint8Array => {
  const core = any(BasicAllowanceSchema.typeName, toBinary(BasicAllowanceSchema, create(BasicAllowanceSchema, {})))
  const grant = concat(text(1, alice.text), text(2, bob.text), field(3, nested(depth, [allowed], core)))
  return any(MsgGrantAllowanceSchema.typeName, grant)
}

/** Returns an execution with an unknown field of groups in groups. */
const groups = (depth: number): Uint8Array => {
  const opened = hex('a3'.concat('01').repeat(depth))
  const closed = hex('a4'.concat('01').repeat(depth))
  return any(MsgExecSchema.typeName, concat(text(1, alice.text), field(2, send()), opened, closed))
}

const kinds = {
  executions: (depth: number) => nested(depth, [exec], send()),
  proposals: (depth: number) => nested(depth, [proposal], send()),
  'executions and proposals': (depth: number) => nested(depth, [proposal, exec], send()),
  allowances,
  groups,
}

/**
 * Returns a transaction around one message. Its signature does not matter: decoding or the checks without state refuse it before
 * signatures are verified.
 */
function transaction(message: Any): Uint8Array {
  const fee = { amount: [{ denom: 'unative', amount: '1000000' }], gasLimit: 50_000_000n }
  const signerInfos = [{ modeInfo: { sum: { case: 'single' as const, value: { mode: SignMode.DIRECT } } } }]
  return assembled({ messages: [message] }, { signerInfos, fee }, [new Uint8Array(64)])
}

/** Returns codespace, code and milliseconds of a transaction that the pool and a block refuse alike. */
function refusal(tx: Uint8Array) {
  const chain = startChain()
  const started = performance.now()
  const pool = chain.check(tx)
  const [result] = chain.block(tx).results
  expect(pool.code).not.toBe(0)
  expect([pool.codespace, pool.code]).toEqual([result!.codespace, result!.code])
  return { code: `${pool.codespace} ${pool.code}`, elapsedMs: performance.now() - started }
}

const cases = (Object.keys(kinds) as (keyof typeof kinds)[]).flatMap((kind) =>
  [100, 1801, 9000].map((depth) => [kind, depth] as const),
)

test.each(cases)('%s nested %i deep are refused with the same result in the pool and in a block', (kind, depth) => {
  const { code, elapsedMs } = refusal(transaction(anyOf(kinds[kind](depth))))
  expect(code).toBe('sdk 2')
  // Only so that work without a limit is noticed, on any machine.
  expect(elapsedMs).toBeLessThan(20_000)
})

test.each([20_000, 100_000])('an execution of %i messages that nobody signed is refused in time', (count) => {
  const one = field(2, send())
  const wide = any(MsgExecSchema.typeName, concat(text(1, alice.text), ...Array.from({ length: count }, () => one)))
  expect(refusal(transaction(anyOf(wide))).elapsedMs).toBeLessThan(20_000)
})
