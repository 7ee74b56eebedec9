/** Decoding of transactions, and their signers (docs/transactions.md#decoding). */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import { fromBinary, getOption } from '@bufbuild/protobuf'
import { signer as signerOption } from '../gen/sdk/msg/v1/msg_pb.ts'
import { type AuthInfo, AuthInfoSchema, type TxBody, TxBodySchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import * as address from '../identity/address.ts'
import type { Identity } from '../identity/types.ts'
import { EMPTY, toKey } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import type { AppFacts, ReadContext } from './context.ts'
import { errors } from './errors.ts'
import { hasUnknownFields } from './unknown-fields.ts'

/** The three parts of a transaction, as received. */
interface TxRaw {
  readonly bodyBytes: Uint8Array
  readonly authInfoBytes: Uint8Array
  readonly signatures: readonly Uint8Array[]
}

interface TxMessage {
  /** The type URL as received, which can be of another profile (D18). */
  readonly typeUrl: string
  readonly schema: DescMessage
  readonly message: Message
}

export interface DecodedTx {
  readonly bytes: Uint8Array
  readonly raw: TxRaw
  readonly body: TxBody
  readonly authInfo: AuthInfo
  readonly messages: readonly TxMessage[]
  /** Whether the body carries the extension option of Ethereum transactions. */
  readonly isEvm: boolean
  /** Whether the body contains unknown non-critical fields. Such a transaction cannot be signed in amino form. */
  readonly hasNonCriticalFields: boolean
  /** Returns sha256 of the bytes, 32 bytes. */
  hash(): Uint8Array
  /** Results computed from these bytes alone, cached from `check` for `deliver`. Never state. */
  readonly memo: { evm?: unknown; directDigest?: unknown }
}

export const ETHEREUM_TX_OPTION = 'chain.evm.v1.ExtensionOptionsEthereumTx'

/** Returns the type name of a type URL under the neutral identity. */
export function neutralTypeName(identity: Identity, typeUrl: string): string {
  return identity.toNeutralName(typeUrl.slice(typeUrl.lastIndexOf('/') + 1))
}

/**
 * Splits TxRaw bytes into their parts. Throws sdk 2 unless they are canonical: fields ascend and occur once, varints are
 * minimal.
 */
function decodeTxRaw(bytes: Uint8Array): TxRaw {
  let bodyBytes = EMPTY
  let authInfoBytes = EMPTY
  const signatures: Uint8Array[] = []
  let offset = 0
  let last = 0
  while (offset < bytes.length) {
    const tag = bytes[offset++]!
    const field = tag >> 3
    if ((tag & 7) !== 2 || field < 1 || field > 3) throw errors.txDecode(`unexpected tag ${tag} at ${offset - 1}`)
    if (field < last || (field === last && field !== 3)) throw errors.txDecode(`field ${field} out of order`)
    last = field
    let length = 0
    let shift = 0
    for (;;) {
      const byte = bytes[offset++]
      if (byte === undefined || shift > 28) throw errors.txDecode('length')
      if (byte === 0 && shift > 0) throw errors.txDecode('length is not a minimal varint')
      length += (byte & 0x7f) * 2 ** shift
      shift += 7
      if (byte < 0x80) break
    }
    if (offset + length > bytes.length) throw errors.txDecode('unexpected EOF')
    const value = bytes.subarray(offset, offset + length)
    offset += length
    if (field === 1) bodyBytes = value
    else if (field === 2) authInfoBytes = value
    else signatures.push(value)
  }
  return { bodyBytes, authInfoBytes, signatures }
}

/** Decodes a transaction. Throws sdk 2 for malformed bytes, an unknown message type, or an unknown critical field. */
export function decodeTx(app: AppFacts, identity: Identity, bytes: Uint8Array): DecodedTx {
  const raw = decodeTxRaw(bytes)
  const body = decodePart(TxBodySchema, raw.bodyBytes)
  const authInfo = decodePart(AuthInfoSchema, raw.authInfoBytes)
  let hasNonCriticalFields = hasUnknownFields(TxBodySchema, body, 'critical')
  hasUnknownFields(AuthInfoSchema, authInfo, 'all')
  const messages = body.messages.map(({ typeUrl, value }) => {
    const name = neutralTypeName(identity, typeUrl)
    const schema = app.isRouted(name) ? app.message(name) : undefined
    if (!schema) throw errors.txDecode(`unable to resolve type URL ${typeUrl}`)
    const message = decodePart(schema, value)
    if (hasUnknownFields(schema, message, 'critical')) hasNonCriticalFields = true
    return { typeUrl, schema, message }
  })
  let hash: Uint8Array | undefined
  return {
    bytes,
    raw,
    body,
    authInfo,
    messages,
    isEvm: body.extensionOptions.some(({ typeUrl }) => neutralTypeName(identity, typeUrl) === ETHEREUM_TX_OPTION),
    hasNonCriticalFields,
    hash() {
      hash ??= sha256(bytes)
      return hash
    },
    memo: {},
  }
}

function decodePart<Desc extends DescMessage>(schema: Desc, bytes: Uint8Array) {
  try {
    return fromBinary(schema, bytes)
  } catch (error) {
    throw errors.txDecode(`${schema.typeName}: ${error instanceof Error ? error.message : 'not a message'}`)
  }
}

/** Returns the addresses that must sign a message, by its descriptor's signer option. Throws sdk 7 for a malformed address. */
export function signersOf(identity: Identity, schema: DescMessage, message: Message): Uint8Array[] {
  const signers: Uint8Array[] = []
  for (const name of getOption(schema, signerOption)) {
    const field = schema.fields.find((candidate) => candidate.name === name)
    if (!field) continue
    const value = (message as unknown as Record<string, unknown>)[field.localName]
    for (const part of Array.isArray(value) ? value : [value]) {
      if (typeof part === 'string') signers.push(address.parseSigner({ identity }, part))
      else if (field.message && part) signers.push(...signersOf(identity, field.message, part as Message))
    }
  }
  return signers
}

/** Returns the distinct signers of a transaction in order: those of its messages, then the fee payer. */
export function signersOfTx(ctx: Pick<ReadContext, 'identity'>, tx: DecodedTx): Uint8Array[] {
  const byKey = new Map<string, Uint8Array>()
  for (const { schema, message } of tx.messages) {
    for (const signer of signersOf(ctx.identity, schema, message)) {
      if (!byKey.has(toKey(signer))) byKey.set(toKey(signer), signer)
    }
  }
  const payer = tx.authInfo.fee?.payer
  if (payer) {
    const bytes = address.parse(ctx, payer)
    if (!byKey.has(toKey(bytes))) byKey.set(toKey(bytes), bytes)
  }
  return [...byKey.values()]
}
