/** Ethereum transactions inside transactions of the chain: wrapping and unwrapping (docs/modules/evm.md#envelope). */

import { create, toBinary } from '@bufbuild/protobuf'
import { encodeTransaction } from '../../evm/transaction/encode.ts'
import { refuse } from '../../evm/transaction/errors.ts'
import { recoverSender } from '../../evm/transaction/sender.ts'
import type { Transaction } from '../../evm/transaction/types.ts'
import {
  ExtensionOptionsEthereumTxSchema,
  type MsgEthereumTx,
  MsgEthereumTxSchema,
} from '../../gen/chain/evm/v1/tx_pb.ts'
import { AuthInfoSchema, TxBodySchema, TxRawSchema } from '../../gen/sdk/tx/v1beta1/tx_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { WEI_PER_UNIT } from '../../modules/bank/keeper.ts'
import { packTxData, unpackTxData } from '../../modules/evm/tx-data.ts'
import { BASE_FEE_WEI } from '../../modules/evm/wei.ts'
import { formatEip55, parseEvm } from '../../primitives/address.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { keccak256 } from '../../primitives/hash.ts'
import type { Context } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { type DecodedTx, ETHEREUM_TX_OPTION, neutralTypeName } from '../../sdk/tx.ts'
import { impersonatedSender } from './impersonation.ts'
import { chargedPrice } from './price.ts'

/**
 * Caches the parts of wrappings made in this thread, by their bytes, so that the pool need not parse them again. Parsing the
 * bytes gives the same parts.
 */
const wrappedParts = new WeakMap<Uint8Array, { readonly transaction: Transaction; readonly hash: Uint8Array }>()

/**
 * Returns the chain's transaction around an Ethereum one: one message, the extension option, the fee in base units, no
 * signatures. `hash` is the Ethereum transaction's. Throws sdk 37 for a blob transaction.
 */
export function wrapEthereumTx(identity: Identity, tx: Transaction, hash: Uint8Array): Uint8Array {
  const url = (typeName: string): string => `/${identity.toProfileName(typeName)}`
  const message = toBinary(
    MsgEthereumTxSchema,
    create(MsgEthereumTxSchema, { data: packTxData(identity, tx), hash: formatHex0x(hash) }),
  )
  const bodyBytes = toBinary(
    TxBodySchema,
    create(TxBodySchema, {
      messages: [{ typeUrl: url(MsgEthereumTxSchema.typeName), value: message }],
      extensionOptions: [{ typeUrl: url(ExtensionOptionsEthereumTxSchema.typeName), value: new Uint8Array(0) }],
    }),
  )
  const units = feeUnits(tx)
  const amount = units === 0n ? [] : [{ denom: identity.baseDenom, amount: units.toString() }]
  const authInfoBytes = toBinary(AuthInfoSchema, create(AuthInfoSchema, { fee: { amount, gasLimit: tx.gasLimit } }))
  const wrapped = toBinary(TxRawSchema, create(TxRawSchema, { bodyBytes, authInfoBytes }))
  wrappedParts.set(wrapped, { transaction: tx, hash })
  return wrapped
}

/** Returns the effective fee. Unit: whole units of the base denom, truncated. */
function feeUnits(tx: Transaction): bigint {
  return (tx.gasLimit * chargedPrice(tx, BASE_FEE_WEI)) / WEI_PER_UNIT
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

/** Throws sdk 18 unless the wrapping matches the fields derived from the Ethereum transaction. */
function checkEnvelope(identity: Identity, { body, authInfo, raw }: DecodedTx, tx: Transaction): void {
  const [option, ...others] = body.extensionOptions
  if (!option || others.length > 0 || neutralTypeName(identity, option.typeUrl) !== ETHEREUM_TX_OPTION) {
    throw errors.invalidRequest('an Ethereum transaction has exactly one extension option')
  }
  if (body.memo !== '' || body.timeoutHeight !== 0n || body.nonCriticalExtensionOptions.length > 0) {
    throw errors.invalidRequest('an Ethereum transaction has no memo, timeout height or further options')
  }
  const { fee, signerInfos } = authInfo
  if (raw.signatures.length > 0 || signerInfos.length > 0) {
    throw errors.invalidRequest('an Ethereum transaction has no signatures around it')
  }
  if (fee?.payer !== '' || fee.granter !== '') {
    throw errors.invalidRequest('the fee of an Ethereum transaction has no payer or granter')
  }
  if (fee.gasLimit !== tx.gasLimit) {
    throw errors.invalidRequest(`gas limit ${fee.gasLimit} around an Ethereum transaction of ${tx.gasLimit}`)
  }
  const given = fee.amount.length === 0 ? '0' : fee.amount[0]!.amount
  const denomIsRight = fee.amount.length === 0 || fee.amount[0]!.denom === identity.baseDenom
  if (fee.amount.length > 1 || !denomIsRight || given !== feeUnits(tx).toString()) {
    throw errors.invalidRequest(`fee around an Ethereum transaction is not ${feeUnits(tx)}${identity.baseDenom}`)
  }
}

function senderOf(transaction: Transaction, chainId: bigint): Uint8Array {
  try {
    return recoverSender(transaction, { chainId })
  } catch (error) {
    if (error instanceof ChainError) throw refuse('invalidSender', error.message)
    throw error
  }
}

/** Parses a wrapping and checks that it matches the fields derived from the transaction inside. */
function parseWrapping(identity: Identity, decoded: DecodedTx): { transaction: Transaction; hash: Uint8Array } {
  const message = onlyMessage(decoded)
  if (!message.data) throw errors.invalidRequest('the message has no transaction data')
  if (message.size !== 0) throw errors.invalidRequest('size is deprecated and must be 0')
  const transaction = unpackTxData(identity, message.data)
  checkEnvelope(identity, decoded, transaction)
  const hash = keccak256(encodeTransaction(transaction))
  if (message.hash !== formatHex0x(hash)) {
    throw errors.invalidRequest(`invalid tx hash ${message.hash.slice(0, 80)}, expected: ${formatHex0x(hash)}`)
  }
  if (message.from !== '' && !parseEvm(message.from)) throw errors.invalidAddress(`invalid from address`)
  return { transaction, hash }
}

/**
 * Returns the Ethereum transaction inside a transaction of the chain. Throws sdk 6, sdk 18 and sdk 34 for an invalid wrapping,
 * and the refusal `invalidSender`.
 */
function unwrapEthereumTx(identity: Identity, evmChainId: bigint, decoded: DecodedTx): EthereumTx {
  const { transaction, hash } = wrappedParts.get(decoded.bytes) ?? parseWrapping(identity, decoded)
  const impersonated = impersonatedSender(transaction)
  const from = impersonated ?? senderOf(transaction, evmChainId)
  const { to } = transaction
  return {
    transaction,
    hash,
    raw: encodeTransaction(transaction),
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
