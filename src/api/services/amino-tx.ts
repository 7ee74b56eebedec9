/** Transactions in their form without protobuf, `cosmos-sdk/StdTx`, as amino JSON and as amino binary (docs/transactions.md#signatures). */
import { create, toBinary } from '@bufbuild/protobuf'
import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire'
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt'
import { type Coin, CoinSchema } from '../../gen/sdk/base/v1beta1/coin_pb.ts'
import { LegacyAminoPubKeySchema } from '../../gen/sdk/crypto/multisig/keys_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { createAmino } from '../../messages/amino-converter.ts'
import { concat, equal, formatBase64, parseBase64 } from '../../primitives/bytes.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { htmlSafe } from '../../primitives/html-safe.ts'
import { parseRequestJson } from '../../primitives/request-json.ts'
import type { AminoValue } from '../../sdk/amino-fields.ts'
import { aminoJson, aminoPrefix, decodePublicKey } from '../../sdk/public-key.ts'
import { createAminoBinary, invalid, newRoom } from './amino-binary.ts'

const TYPE = 'cosmos-sdk/StdTx'
/** One more than the largest unsigned integer of 64 bits. */
const UINT64_END = 1n << 64n

interface StdTx {
  readonly messages: readonly Any[]
  readonly amount: readonly Coin[]
  readonly gas: bigint
  readonly payer: string
  readonly granter: string
  readonly signatures: readonly { readonly key: Any | undefined; readonly signature: Uint8Array }[]
  readonly memo: string
  readonly timeoutHeight: bigint
}

export interface AminoTx {
  /** Returns the amino binary of amino JSON. Throws `invalidArgument` that names the field, `unimplemented`. */
  encode(json: string): Uint8Array
  /** Returns the amino JSON of amino binary. Throws `invalidArgument`, `unimplemented`. */
  decode(bytes: Uint8Array): string
}

/** Returns the codec in the names that public clients know: `cosmos-sdk/…` for messages of the SDK. */
export const aminoTxOf = cachePerObject((identity: Identity): AminoTx => {
  const [toCosmJs = (name: string) => name] = identity.aminoAliases
  const amino = createAmino(identity, (neutral) => toCosmJs(identity.toProfileAmino(neutral)))
  const binary = createAminoBinary(identity, amino)
  const prefix = aminoPrefix(TYPE)

  function read(json: string): StdTx {
    const { type, value } = objectOf(parseRequestJson(json), 'the transaction', ['type', 'value'])
    if (type !== TYPE) throw wrong('type', `"${TYPE}"`, type)
    const tx = objectOf(value, 'value', ['msg', 'fee', 'signatures', 'memo', 'timeout_height'])
    const fee = objectOf(tx['fee'], 'fee', ['amount', 'gas', 'payer', 'granter'])
    return {
      messages: listOf(tx['msg'], 'msg').map((message, i) => amino.readAny(message, `msg[${i}]`)),
      amount: listOf(fee['amount'], 'fee.amount').map((coin, i) => {
        const at = `fee.amount[${i}]`
        const { denom, amount } = objectOf(coin, at, ['denom', 'amount'])
        return create(CoinSchema, { denom: textOf(denom, `${at}.denom`), amount: textOf(amount, `${at}.amount`) })
      }),
      gas: uintOf(fee['gas'], 'fee.gas'),
      payer: textOf(fee['payer'], 'fee.payer'),
      granter: textOf(fee['granter'], 'fee.granter'),
      signatures: listOf(tx['signatures'], 'signatures').map((one, i) => {
        const at = `signatures[${i}]`
        const { pub_key: key, signature } = objectOf(one, at, ['pub_key', 'signature'])
        const bytes = parseBase64(textOf(signature, `${at}.signature`))
        if (!bytes) throw wrong(`${at}.signature`, 'bytes in base64', signature)
        return { key: isAbsent(key) ? undefined : readKey(key, `${at}.pub_key`), signature: bytes }
      }),
      memo: textOf(tx['memo'], 'memo'),
      timeoutHeight: uintOf(tx['timeout_height'], 'timeout_height'),
    }
  }

  /** Packs a key. Bounded by: the levels of the JSON. */
  function readKey(given: unknown, at: string): Any {
    const { type, value } = objectOf(given, at, ['type', 'value'])
    if (type !== amino.nameOf(LegacyAminoPubKeySchema)) return amino.readAny(given, at)
    const { threshold, pubkeys } = objectOf(value, `${at}.value`, ['threshold', 'pubkeys'])
    const keys = listOf(pubkeys, `${at}.value.pubkeys`)
    const message = create(LegacyAminoPubKeySchema, {
      threshold: Number(uintOf(threshold, `${at}.value.threshold`)),
      publicKeys: keys.map((key, i) => readKey(key, `${at}.value.pubkeys[${i}]`)),
    })
    return create(AnySchema, {
      typeUrl: `/${identity.toProfileName(LegacyAminoPubKeySchema.typeName)}`,
      value: toBinary(LegacyAminoPubKeySchema, message),
    })
  }

  function write(tx: StdTx): string {
    const coins = tx.amount.map(({ denom, amount }): AminoValue => ({ denom, amount }))
    const signatures = tx.signatures.map(
      ({ key, signature }): AminoValue => ({
        pub_key: key ? (aminoJson(identity, decodePublicKey(identity, key)) as AminoValue) : null,
        signature: signature.length > 0 ? formatBase64(signature) : null,
      }),
    )
    const value: AminoValue = {
      msg: orNull(tx.messages.map(amino.writeAny)),
      fee: {
        amount: coins,
        gas: tx.gas.toString(),
        ...(tx.payer !== '' && { payer: tx.payer }),
        ...(tx.granter !== '' && { granter: tx.granter }),
      },
      signatures: orNull(signatures),
      memo: tx.memo,
      timeout_height: tx.timeoutHeight.toString(),
    }
    return htmlSafe(JSON.stringify({ type: TYPE, value }))
  }

  function encode(tx: StdTx): Uint8Array {
    const writer = new BinaryWriter()
    const bytes = (at: number, content: Uint8Array): void => {
      writer.tag(at, WireType.LengthDelimited).bytes(content)
    }
    for (const message of tx.messages) bytes(1, binary.encodeAny(message))
    const fee = new BinaryWriter()
    for (const coin of tx.amount) fee.tag(1, WireType.LengthDelimited).bytes(binary.encode(CoinSchema, coin))
    if (tx.gas > 0n) fee.tag(2, WireType.Varint).uint64(tx.gas)
    if (tx.payer !== '') fee.tag(3, WireType.LengthDelimited).string(tx.payer)
    if (tx.granter !== '') fee.tag(4, WireType.LengthDelimited).string(tx.granter)
    const feeBytes = fee.finish()
    if (feeBytes.length > 0) bytes(2, feeBytes)
    for (const { key, signature } of tx.signatures) {
      const one = new BinaryWriter()
      if (key) one.tag(1, WireType.LengthDelimited).bytes(binary.encodeAny(key))
      if (signature.length > 0) one.tag(2, WireType.LengthDelimited).bytes(signature)
      bytes(3, one.finish())
    }
    if (tx.memo !== '') writer.tag(4, WireType.LengthDelimited).string(tx.memo)
    if (tx.timeoutHeight > 0n) writer.tag(5, WireType.Varint).uint64(tx.timeoutHeight)
    return concat(prefix, writer.finish())
  }

  function decode(bytes: Uint8Array): StdTx {
    if (!equal(bytes.subarray(0, prefix.length), prefix)) throw invalid(`not a ${TYPE}: another prefix`)
    const room = newRoom()
    const messages: Any[] = []
    const signatures: { key: Any | undefined; signature: Uint8Array }[] = []
    const amount: Coin[] = []
    let [gas, timeoutHeight] = [0n, 0n]
    let [payer, granter, memo] = ['', '', '']
    eachField(bytes.subarray(prefix.length), TYPE, {
      1: (reader) => messages.push(binary.decodeAny(reader.bytes(), room)),
      2: (reader) =>
        eachField(reader.bytes(), 'fee', {
          1: (fee) => amount.push(binary.decode(CoinSchema, fee.bytes(), room) as Coin),
          2: (fee) => (gas = BigInt(fee.uint64())),
          3: (fee) => (payer = fee.string(true)),
          4: (fee) => (granter = fee.string(true)),
        }),
      3: (reader) => {
        const one: { key: Any | undefined; signature: Uint8Array } = { key: undefined, signature: new Uint8Array(0) }
        eachField(reader.bytes(), 'signatures', {
          1: (part) => (one.key = binary.decodeAny(part.bytes(), room)),
          2: (part) => (one.signature = part.bytes()),
        })
        signatures.push(one)
      },
      4: (reader) => (memo = reader.string(true)),
      5: (reader) => (timeoutHeight = BigInt(reader.uint64())),
    })
    return { messages, amount, gas, payer, granter, signatures, memo, timeoutHeight }
  }

  return {
    encode: (json) => refusing(() => encode(read(json))),
    decode: (bytes) => refusing(() => write(decode(bytes))),
  }
})

/** Calls the reader of each field. The fields at positions 2 and 5 of the transaction and 2 of the fee have their own wire types. */
function eachField(
  bytes: Uint8Array,
  what: string,
  readers: Readonly<Record<number, (reader: BinaryReader) => unknown>>,
): void {
  const reader = new BinaryReader(bytes)
  while (reader.pos < reader.len) {
    const [at, wire] = reader.tag()
    const read = readers[at]
    const wanted =
      (what === TYPE && at === 5) || (what === 'fee' && at === 2) ? WireType.Varint : WireType.LengthDelimited
    if (!read) throw invalid(`${what} has no field at position ${at}`)
    if (wire !== wanted) throw invalid(`field ${at} of ${what} has wire type ${wire}, not ${wanted}`)
    read(reader)
  }
}

/** Runs a conversion. What its input makes the codecs throw becomes `invalidArgument`. */
function refusing<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof ChainError || !(error instanceof Error)) throw error
    throw queryError('invalidArgument', error.message)
  }
}

const orNull = (list: AminoValue[]): AminoValue => (list.length > 0 ? list : null)
const isAbsent = (value: unknown): boolean => value === undefined || value === null

function wrong(at: string, wanted: string, value: unknown) {
  return queryError('invalidArgument', `amino JSON: ${at}: expected ${wanted}, got ${JSON.stringify(value)}`)
}

function objectOf(value: unknown, at: string, names: readonly string[]): Readonly<Record<string, unknown>> {
  if (isAbsent(value)) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw wrong(at, 'an object', value)
  const unknown = Object.keys(value as object).find((name) => !names.includes(name))
  if (unknown !== undefined) throw wrong(`${at}.${unknown}`, `one of ${names.join(', ')}`, unknown)
  return value as Readonly<Record<string, unknown>>
}

function listOf(value: unknown, at: string): readonly unknown[] {
  if (isAbsent(value)) return []
  if (!Array.isArray(value)) throw wrong(at, 'a list', value)
  return value
}

function textOf(value: unknown, at: string): string {
  if (isAbsent(value)) return ''
  if (typeof value !== 'string') throw wrong(at, 'a text', value)
  return value
}

function uintOf(value: unknown, at: string): bigint {
  const text = textOf(value, at)
  if (text === '') return 0n
  if (!/^\d{1,20}$/.test(text) || BigInt(text) >= UINT64_END) throw wrong(at, 'a text of digits below 2^64', value)
  return BigInt(text)
}
