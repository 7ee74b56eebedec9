/** Ethereum transactions inside transactions of the chain: wrapping and unwrapping (docs/modules/evm.md#envelope). */

import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { encodeTransaction } from '../../evm/transaction/encode.ts'
import { refuse } from '../../evm/transaction/errors.ts'
import { recoverSender } from '../../evm/transaction/sender.ts'
import type { Transaction } from '../../evm/transaction/types.ts'
import {
  ExtensionOptionsEthereumTxSchema,
  type MsgEthereumTx,
  MsgEthereumTxSchema,
} from '../../gen/chain/evm/v1/tx_pb.ts'
import { neutralTypeName } from '../../identity/type-name.ts'
import type { Identity } from '../../identity/types.ts'
import { WEI_PER_UNIT } from '../../modules/bank/keeper.ts'
import { packTxData, unpackTxData } from '../../modules/evm/tx-data.ts'
import { BASE_FEE_WEI } from '../../modules/evm/wei.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { concat, EMPTY, equal, formatHex0x, hex, utf8 } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { encodeVarint } from '../../primitives/varint.ts'
import type { Context } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { type DecodedTx, ETHEREUM_TX_OPTION } from '../../sdk/tx.ts'
import { impersonatedSender } from './impersonation.ts'
import { chargedPrice } from './price.ts'

/**
 * Caches the parts of wrappings made in this thread, by their bytes, so that the pool need not parse them again. Parsing the
 * bytes gives the same parts.
 */
const wrappedParts = new WeakMap<Uint8Array, WrappedParts>()

interface WrappedParts {
  readonly transaction: Transaction
  readonly hash: Uint8Array
  /** The canonical bytes; absent if they are not encoded yet. */
  readonly raw?: Uint8Array
}

/**
 * Returns the chain's transaction around an Ethereum one: one message, the extension option, the fee in base units, no
 * signatures. `hash` is the Ethereum transaction's. Throws sdk 37 for a blob transaction.
 */
export function wrapEthereumTx(identity: Identity, tx: Transaction, hash: Uint8Array): Uint8Array {
  const wrapped = encodeWrapping(identity, tx, hash)
  wrappedParts.set(wrapped, { transaction: tx, hash })
  return wrapped
}

/** Number and wire type of the fields of a wrapping, encoded. */
const TAGS = {
  anyTypeUrl: hex('0a'),
  anyValue: hex('12'),
  messageData: hex('0a'),
  messageHash: hex('1a'),
  bodyMessages: hex('0a'),
  bodyExtensionOptions: hex('fa3f'),
  coinDenom: hex('0a'),
  coinAmount: hex('12'),
  feeAmount: hex('0a'),
  feeGasLimit: hex('10'),
  authInfoFee: hex('12'),
  rawBody: hex('0a'),
  rawAuthInfo: hex('12'),
} as const

/** Encodes a field of bytes, text or a message. */
function field(tag: Uint8Array, value: Uint8Array): Uint8Array {
  return concat(tag, encodeVarint(value.length), value)
}

function encodeAny(typeUrl: string, value: Uint8Array): Uint8Array {
  const name = field(TAGS.anyTypeUrl, utf8(typeUrl))
  return value.length === 0 ? name : concat(name, field(TAGS.anyValue, value))
}

function encodeFee(identity: Identity, tx: Transaction): Uint8Array {
  const units = feeUnits(identity, tx)
  const coin = concat(field(TAGS.coinDenom, utf8(identity.baseDenom)), field(TAGS.coinAmount, utf8(units.toString())))
  return concat(
    units > 0n ? field(TAGS.feeAmount, coin) : EMPTY,
    tx.gasLimit > 0n ? concat(TAGS.feeGasLimit, new BinaryWriter().uint64(tx.gasLimit).finish()) : EMPTY,
  )
}

/**
 * Encodes the wrapping of an Ethereum transaction, which has exactly this one (docs/modules/evm.md#envelope). A transaction that
 * was not wrapped in this process is wrapped again to compare, so this is faster than the encoder for any message.
 */
function encodeWrapping(identity: Identity, tx: Transaction, hash: Uint8Array): Uint8Array {
  const url = (typeName: string): string => `/${identity.toProfileName(typeName)}`
  const data = packTxData(identity, tx)
  const message = concat(
    field(TAGS.messageData, encodeAny(data.typeUrl, data.value)),
    field(TAGS.messageHash, utf8(formatHex0x(hash))),
  )
  const body = concat(
    field(TAGS.bodyMessages, encodeAny(url(MsgEthereumTxSchema.typeName), message)),
    field(TAGS.bodyExtensionOptions, encodeAny(url(ExtensionOptionsEthereumTxSchema.typeName), EMPTY)),
  )
  return concat(field(TAGS.rawBody, body), field(TAGS.rawAuthInfo, field(TAGS.authInfoFee, encodeFee(identity, tx))))
}

/** Returns the effective fee. Unit: whole units of the base denom, truncated. */
function feeUnits(identity: Identity, tx: Transaction): bigint {
  return (tx.gasLimit * chargedPrice(identity, tx, BASE_FEE_WEI)) / WEI_PER_UNIT
}

/** An Ethereum transaction with the hash, canonical bytes and sender derived from it. */
export interface EthereumTx {
  readonly transaction: Transaction
  readonly hash: Uint8Array
  readonly raw: Uint8Array
  readonly from: Uint8Array
  /** Whether it has no signature. Only a development chain that impersonates the sender runs it. */
  readonly isImpersonated: boolean
  /** EIP-55 text of the sender. */
  readonly fromText: string
  /** EIP-55 text of the recipient; empty for a creation. */
  readonly toText: string
}

function onlyMessage(tx: DecodedTx): MsgEthereumTx {
  const [message, ...others] = tx.messages
  if (!message || others.length > 0 || message.schema.typeName !== MsgEthereumTxSchema.typeName) {
    throw errors.unknownRequest('an Ethereum transaction has exactly one message, MsgEthereumTx')
  }
  return message.message as MsgEthereumTx
}

/** Throws sdk 18, with the field that is wrong, unless the wrapping matches the fields derived from the Ethereum transaction. */
function checkEnvelope(identity: Identity, { body, authInfo, raw }: DecodedTx, tx: Transaction): void {
  const [option, ...others] = body.extensionOptions
  if (!option || others.length > 0 || neutralTypeName(identity, option.typeUrl) !== ETHEREUM_TX_OPTION) {
    throw errors.invalidRequest('an Ethereum transaction has exactly one extension option')
  }
  if (option.value.length > 0) throw errors.invalidRequest('the extension option of an Ethereum transaction is empty')
  if (body.memo !== '' || body.timeoutHeight !== 0n || body.nonCriticalExtensionOptions.length > 0) {
    throw errors.invalidRequest('an Ethereum transaction has no memo, timeout height or further options')
  }
  const { fee, signerInfos, tip } = authInfo
  if (raw.signatures.length > 0 || signerInfos.length > 0) {
    throw errors.invalidRequest('an Ethereum transaction has no signatures around it')
  }
  if (tip) throw errors.invalidRequest('an Ethereum transaction has no tip around it')
  if (fee?.payer !== '' || fee.granter !== '') {
    throw errors.invalidRequest('the fee of an Ethereum transaction has no payer or granter')
  }
  if (fee.gasLimit !== tx.gasLimit) {
    throw errors.invalidRequest(`gas limit ${fee.gasLimit} around an Ethereum transaction of ${tx.gasLimit}`)
  }
  const given = fee.amount.length === 0 ? '0' : fee.amount[0]!.amount
  const denomIsRight = fee.amount.length === 0 || fee.amount[0]!.denom === identity.baseDenom
  const units = feeUnits(identity, tx)
  if (fee.amount.length > 1 || !denomIsRight || given !== units.toString()) {
    throw errors.invalidRequest(`fee around an Ethereum transaction is not ${units}${identity.baseDenom}`)
  }
}

/**
 * Throws sdk 18 unless the bytes are those of the wrapping. Nobody signs them, so that any other bytes would be a stranger's:
 * unpaid, with another hash.
 */
function requireOnlyEncoding(identity: Identity, bytes: Uint8Array, tx: Transaction, hash: Uint8Array): void {
  const only = encodeWrapping(identity, tx, hash)
  if (equal(only, bytes)) return
  const at = only.findIndex((byte, i) => byte !== bytes[i])
  throw errors.invalidRequest(
    `${bytes.length} bytes around an Ethereum transaction differ at ${at < 0 ? only.length : at} from its only encoding, ${only.length} bytes`,
  )
}

/**
 * Returns the signer of a transaction for this chain. Throws the refusal `unprotected` for a signature without a chain id, which
 * would be valid on every chain, unless genesis allows it, and `invalidSender` for any other that is not the chain's.
 */
function senderOf(transaction: Transaction, { evm }: Identity, chainId: bigint): Uint8Array {
  if (transaction.chainId === undefined && !evm?.allowsUnprotected) throw refuse('unprotected')
  try {
    return recoverSender(transaction, { chainId })
  } catch (error) {
    if (error instanceof ChainError) throw refuse('invalidSender', error.message)
    throw error
  }
}

/** Parses a wrapping and checks that it is the only one of the transaction inside. */
function parseWrapping(identity: Identity, decoded: DecodedTx): WrappedParts {
  const message = onlyMessage(decoded)
  if (!message.data) throw errors.invalidRequest('the message has no transaction data')
  if (message.size !== 0) throw errors.invalidRequest('size is deprecated and must be 0')
  const transaction = unpackTxData(identity, message.data)
  checkEnvelope(identity, decoded, transaction)
  const raw = encodeTransaction(transaction)
  const hash = keccak256(raw)
  if (message.hash !== formatHex0x(hash)) {
    throw errors.invalidRequest(`invalid tx hash ${message.hash.slice(0, 80)}, expected: ${formatHex0x(hash)}`)
  }
  if (message.from !== '') throw errors.invalidRequest('from must be empty: the signature determines the sender')
  requireOnlyEncoding(identity, decoded.bytes, transaction, hash)
  return { transaction, hash, raw }
}

/**
 * Returns the Ethereum transaction inside a transaction of the chain. Throws sdk 6, sdk 18 and sdk 34 for an invalid wrapping,
 * and the refusals `unprotected` and `invalidSender`.
 */
function unwrapEthereumTx(identity: Identity, evmChainId: bigint, decoded: DecodedTx): EthereumTx {
  const parts = wrappedParts.get(decoded.bytes) ?? parseWrapping(identity, decoded)
  const { transaction, hash, raw = encodeTransaction(transaction) } = parts
  const impersonated = impersonatedSender(transaction)
  const from = impersonated ?? senderOf(transaction, identity, evmChainId)
  const { to } = transaction
  return {
    transaction,
    hash,
    raw,
    from,
    isImpersonated: impersonated !== undefined,
    fromText: formatEip55(from),
    toText: to ? formatEip55(to) : '',
  }
}

/** Returns the Ethereum transaction inside a transaction, unwrapped at the first call and cached in `tx`. Throws the errors of unwrapping. */
export function ethereumTxOf(ctx: Context, tx: DecodedTx): EthereumTx {
  const found = unwrappedBefore(tx) ?? unwrapEthereumTx(ctx.identity, ctx.block.evmChainId, tx)
  tx.memo.evm = found
  return found
}

/** Returns the Ethereum transaction that `ethereumTxOf` cached; undefined if it was never unwrapped. */
export function unwrappedBefore(tx: DecodedTx): EthereumTx | undefined {
  return tx.memo.evm as EthereumTx | undefined
}

/** Returns the gas limit that the wrapping states, which is the Ethereum transaction's. */
export function gasWanted(tx: DecodedTx): bigint {
  return tx.authInfo.fee?.gasLimit ?? 0n
}
