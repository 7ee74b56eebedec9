/** Ethereum transactions inside transactions of the chain: wrapping and unwrapping (evm.md §3.3). */
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
import { packTxData, unpackTxData } from '../../modules/evm/tx-data.ts'
import { BASE_FEE_WEI, WEI_PER_UNIT } from '../../modules/evm/wei.ts'
import { formatEip55, parseEvm } from '../../primitives/address.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { errors } from '../../sdk/errors.ts'
import { type DecodedTx, ETHEREUM_TX_OPTION, neutralTypeName } from '../../sdk/tx.ts'
import { impersonatedSender } from './impersonation.ts'
import { chargedPrice } from './price.ts'

/** What was wrapped here need not be taken apart again. It follows from the bytes alone, as it would by unwrapping them. */
const wrappedHere = new WeakMap<Uint8Array, { readonly transaction: Transaction; readonly hash: Uint8Array }>()

/**
 * The chain's transaction around an Ethereum one: one message, the extension option, the fee in base units, no signatures.
 * `hash` is the Ethereum transaction's. Throws sdk 37 for a blob transaction.
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
  wrappedHere.set(wrapped, { transaction: tx, hash })
  return wrapped
}

/** Effective fee in whole units of the base denom. */
function feeUnits(tx: Transaction): bigint {
  return (tx.gasLimit * chargedPrice(tx, BASE_FEE_WEI)) / WEI_PER_UNIT
}

/** An Ethereum transaction with what is worked out once for its bytes: hash, canonical bytes, sender. */
export interface EthereumTx {
  readonly transaction: Transaction
  readonly hash: Uint8Array
  readonly raw: Uint8Array
  readonly from: Uint8Array
  /** Without a signature: only a development chain that impersonates the sender runs it. */
  readonly isImpersonated: boolean
  /** Checksummed texts of the two addresses; empty for a creation. */
  readonly fromText: string
  readonly toText: string
}

function onlyMessage(tx: DecodedTx): MsgEthereumTx {
  const [message, ...others] = tx.messages
  if (!message || others.length > 0 || message.schema.typeName !== MsgEthereumTxSchema.typeName) {
    throw errors.unknownRequest('an Ethereum transaction has exactly one message, MsgEthereumTx')
  }
  return message.message as MsgEthereumTx
}

/** Checks the wrapping, which carries nothing that the Ethereum transaction does not say. */
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

/** Takes a wrapping apart that somebody else made, and checks that it says nothing else than what is inside. */
function takeApart(identity: Identity, decoded: DecodedTx): { transaction: Transaction; hash: Uint8Array } {
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
 * The Ethereum transaction of a chain's transaction. Throws sdk 6, sdk 18 and sdk 34 for a wrapping that is none, and
 * `transaction.invalidSender`.
 */
export function unwrapEthereumTx(identity: Identity, evmChainId: bigint, decoded: DecodedTx): EthereumTx {
  const { transaction, hash } = wrappedHere.get(decoded.bytes) ?? takeApart(identity, decoded)
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
