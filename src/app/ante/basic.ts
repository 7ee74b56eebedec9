/** Admission steps that need no account: shape, size, time (docs/transactions.md). */

import { neutralTypeName } from '../../identity/type-name.ts'
import * as auth from '../../modules/auth/keeper.ts'
import { MAX_INT64 } from '../../primitives/integers.ts'
import { errors } from '../../sdk/errors.ts'
import { ETHEREUM_TX_OPTION } from '../../sdk/tx.ts'
import type { AnteContext } from './context.ts'

const MSG_ETHEREUM_TX = 'chain.evm.v1.MsgEthereumTx'

/** Refuses an Ethereum transaction inside an ordinary one, where it would bypass the rules for Ethereum transactions. */
export function rejectEthereumMessages({ tx }: AnteContext): void {
  for (const { schema } of tx.messages) {
    if (schema.typeName === MSG_ETHEREUM_TX) {
      throw errors.invalidType('MsgEthereumTx needs to be contained within a tx with ExtensionOptionsEthereumTx')
    }
  }
}

/** Maximum gas limit: results encode gas as a signed 64-bit number. */
const MAX_GAS_WANTED = MAX_INT64

/** Refuses a gas limit above the block's, or above the largest number that a result can encode. */
export function limitGasToBlock({ ctx, tx }: AnteContext): void {
  const wanted = tx.authInfo.fee?.gasLimit ?? 0n
  if (wanted > MAX_GAS_WANTED) throw errors.invalidRequest(`invalid gas supplied; ${wanted} > ${MAX_GAS_WANTED}`)
  const { gasLimit } = ctx.block
  if (gasLimit > 0n && wanted > gasLimit) {
    throw errors.invalidGasLimit(`tx gas limit ${wanted} exceeds block max gas ${gasLimit}`)
  }
}

/** Refuses unknown critical extension options. */
export function rejectUnknownExtensions({ ctx, tx }: AnteContext): void {
  for (const { typeUrl } of tx.body.extensionOptions) {
    if (neutralTypeName(ctx.identity, typeUrl) !== ETHEREUM_TX_OPTION) throw errors.unknownExtensionOptions(typeUrl)
  }
}

/**
 * Refuses what the chain does not use, and a signature in amino form does not cover: a tip, and unknown fields. The behaviour
 * `unusedFieldsPass` accepts both.
 */
export function rejectUnusedFields({ ctx, tx }: AnteContext): void {
  if (ctx.identity.behaviours.unusedFieldsPass) return
  if (tx.hasNonCriticalFields) throw errors.txDecode('unknown non-critical field in the body or a message')
  if (tx.authInfo.tip) throw errors.invalidRequest('auth_info.tip must be absent: the chain pays no tips')
}

/** Requires at least one message, each valid without state, and as many signatures as signers. */
export function requireSignatures({ ctx, tx, mode, signers, validate }: AnteContext): void {
  if (tx.messages.length === 0) throw errors.invalidRequest('must contain at least one message')
  if (mode !== 'recheck') for (const { schema, message } of tx.messages) validate(ctx, schema, message)
  if (tx.raw.signatures.length === 0) throw errors.noSignatures()
  if (tx.raw.signatures.length !== signers.length) {
    throw errors.unauthorized(`wrong number of signers; expected ${signers.length}, got ${tx.raw.signatures.length}`)
  }
  if (tx.authInfo.signerInfos.length !== signers.length && mode !== 'recheck') {
    throw errors.unauthorized(
      `invalid number of signer; expected: ${signers.length}, got ${tx.authInfo.signerInfos.length}`,
    )
  }
}

/** Refuses a transaction after its timeout height. */
export function rejectAfterTimeout({ ctx, tx }: AnteContext): void {
  const { timeoutHeight } = tx.body
  if (timeoutHeight !== 0n && ctx.block.height > timeoutHeight) {
    throw errors.txTimeoutHeight(`block height: ${ctx.block.height}, timeout height: ${timeoutHeight}`)
  }
}

/** Limits the memo. Unit of the limit: bytes. */
export function limitMemo({ ctx, tx }: AnteContext): void {
  if (tx.body.memo === '') return
  const limit = auth.params(ctx).maxMemoCharacters
  const length = BigInt(Buffer.byteLength(tx.body.memo))
  if (length > limit) {
    throw errors.memoTooLarge(`maximum number of characters is ${limit} but received ${length} characters`)
  }
}

/** Charges gas for the size of the transaction. In a simulation, 64 bytes count for each missing signature. */
export function chargeSize({ ctx, tx, mode }: AnteContext): void {
  const perByte = auth.params(ctx).txSizeCostPerByte
  let size = BigInt(tx.bytes.length)
  if (mode === 'simulate') {
    for (const signature of tx.raw.signatures) if (signature.length === 0) size += 64n
  }
  ctx.gas.consume(perByte * size, 'txSize')
}

/** Requires a gas limit. It runs before metered steps, whose error would be less specific. */
export function requireGas({ tx, mode }: AnteContext): void {
  if (mode !== 'simulate' && (tx.authInfo.fee?.gasLimit ?? 0n) === 0n) {
    throw errors.invalidGasLimit('must provide positive gas')
  }
}
