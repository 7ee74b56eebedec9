/** Decoding of transactions, and their signers (docs/transactions.md#decoding). */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import { fromBinary, getOption } from '@bufbuild/protobuf'
import { signer as signerOption } from '../gen/sdk/msg/v1/msg_pb.ts'
import { type AuthInfo, AuthInfoSchema, type TxBody, TxBodySchema } from '../gen/sdk/tx/v1beta1/tx_pb.ts'
import * as address from '../identity/address.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import { EMPTY, toKey } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import type { AppFacts, ReadContext } from './context.ts'
import { errors } from './errors.ts'
import { createNodeBudget, type ScanRules, scan } from './wire-scan.ts'

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
  /** Estimate of the memory of the bytes and of everything that is kept with them. */
  readonly heldBytes: number
  /** Returns sha256 of the bytes, 32 bytes. */
  hash(): Uint8Array
  /** Results computed from these bytes alone, cached from `check` for `deliver`. Never state. */
  readonly memo: { evm?: unknown; directDigest?: unknown }
}

export const ETHEREUM_TX_OPTION = 'chain.evm.v1.ExtensionOptionsEthereumTx'

type TypeOf = ScanRules['typeOf']

const rulesOfTypes = new WeakMap<Pick<AppFacts, 'message'>, { readonly identity: Identity; readonly typeOf: TypeOf }>()

/** Maximum number of cached type URLs: those of clients, and arbitrary prefixes of a type name. */
const MAX_TYPE_URLS = 1024

/** Returns the rule by which a scan finds the types of `Any` values: those of the application. Found types are cached. */
export function typesOf(app: Pick<AppFacts, 'message'>, identity: Identity): TypeOf {
  const known = rulesOfTypes.get(app)
  if (known?.identity === identity) return known.typeOf
  const types = new Map<string, DescMessage>()
  const typeOf: TypeOf = (typeUrl) => {
    const cached = types.get(typeUrl)
    if (cached) return cached
    const found = app.message(neutralTypeName(identity, typeUrl))
    if (found && types.size < MAX_TYPE_URLS) types.set(typeUrl, found)
    return found
  }
  rulesOfTypes.set(app, { identity, typeOf })
  return typeOf
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

/**
 * Memory of a decoded transaction: its own objects and its place in the pool; each byte, since an Ethereum transaction is kept in
 * its own encoding, too; and each value. Measured: 7.1 kB for a transfer of 357 bytes, 240 bytes for a storage key of an access
 * list, 80 to 120 for an empty message. Unit: bytes.
 */
const HELD_OF_TX = 4096
const HELD_OF_BYTE = 2
const HELD_OF_VALUE = 200

/**
 * Decodes a transaction. Throws sdk 2 for malformed bytes, an unknown message type, an unknown critical field, and nesting
 * beyond the budget, which the whole transaction shares.
 */
export function decodeTx(
  app: Pick<AppFacts, 'message' | 'isRouted'>,
  identity: Identity,
  bytes: Uint8Array,
): DecodedTx {
  const raw = decodeTxRaw(bytes)
  const typeOf = typesOf(app, identity)
  const budget = createNodeBudget()
  const hasNonCriticalFields = scan(TxBodySchema, raw.bodyBytes, { typeOf, refuse: 'critical', budget })
  scan(AuthInfoSchema, raw.authInfoBytes, { typeOf, refuse: 'all', budget })
  const body = fromBinary(TxBodySchema, raw.bodyBytes)
  const authInfo = fromBinary(AuthInfoSchema, raw.authInfoBytes)
  const messages = body.messages.map(({ typeUrl, value }) => {
    const schema = typeOf(typeUrl)
    if (!schema || !app.isRouted(schema.typeName)) throw errors.txDecode(`unable to resolve type URL ${typeUrl}`)
    return { typeUrl, schema, message: fromBinary(schema, value) }
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
    heldBytes: HELD_OF_TX + HELD_OF_BYTE * bytes.length + HELD_OF_VALUE * budget.values,
    hash() {
      hash ??= sha256(bytes)
      return hash
    },
    memo: {},
  }
}

/**
 * Returns the addresses that must sign a message, by its descriptor's signer option. Throws sdk 7 for a malformed address.
 * Bounded by: the signer options of the descriptors, which name no type within itself.
 */
export function signersOf(identity: Identity, schema: DescMessage, message: Message): Uint8Array[] {
  const signers: Uint8Array[] = []
  for (const name of getOption(schema, signerOption)) {
    const field = schema.fields.find((candidate) => candidate.name === name)
    if (!field) continue
    const value = (message as unknown as Record<string, unknown>)[field.localName]
    for (const part of Array.isArray(value) ? value : [value]) {
      if (typeof part === 'string') signers.push(address.parseSigner({ identity }, part))
      else if (field.message && part) {
        for (const signer of signersOf(identity, field.message, part as Message)) signers.push(signer)
      }
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
