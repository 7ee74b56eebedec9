/** Admission of Ethereum transactions: the checks in order, the fee and the nonce (docs/modules/evm.md#admission). */

import type { Rules } from '../../evm/forks.ts'
import { refuse } from '../../evm/transaction/errors.ts'
import { requireNextNonce, requireNoCode } from '../../evm/transaction/sender-checks.ts'
import { feeCapOf, type Transaction } from '../../evm/transaction/types.ts'
import { validateTransaction } from '../../evm/transaction/validate.ts'
import * as address from '../../identity/address.ts'
import * as auth from '../../modules/auth/keeper.ts'
import * as bank from '../../modules/bank/keeper.ts'
import * as evm from '../../modules/evm/keeper.ts'
import * as sudo from '../../modules/sudo/keeper.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { MAX_INT64 } from '../../primitives/integers.ts'
import type { Context } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import type { EthereumTx } from './envelope.ts'
import { chargedPrice, minimumPriceWei, requireBaseFee, WEI_PER_PRIORITY } from './price.ts'

const MESSAGE_TYPE = 'chain.evm.v1.MsgEthereumTx'

export type AdmissionMode = 'check' | 'recheck' | 'simulate' | 'deliver'

export interface Admitted {
  /** Gas charged before execution. */
  readonly intrinsicGas: bigint
  /** Price that the sender pays for a unit of gas; 0 for a zero-gas transaction. Unit: wei. */
  readonly priceWei: bigint
  readonly zeroGas: boolean
  readonly priority: bigint
  /** Nonce of the sender before this transaction. */
  readonly stateNonce: bigint
  /** The most that the transaction can cost: the value, and the gas limit at the signed price. Unit: wei. */
  readonly costWei: bigint
  /** The sender's unlocked wei before this transaction. */
  readonly spendableWei: bigint
}

function checkMinimum(ctx: Context, priceWei: bigint, minGasPrices: string): void {
  const minimum = minimumPriceWei(minGasPrices, ctx.identity.baseDenom)
  if (minimum > 0n && priceWei < minimum) {
    throw errors.insufficientFee(`transaction underpriced: gas price ${priceWei}, minimum needed ${minimum} wei`)
  }
}

function checkNonce(mode: AdmissionMode, from: Uint8Array, have: bigint, stateNonce: bigint): void {
  if (mode === 'deliver') {
    requireNextNonce(from, have, stateNonce)
    return
  }
  if (have < stateNonce) throw refuse('nonceTooLow', `next nonce ${stateNonce}, tx nonce ${have}`)
}

/** Returns the value and the fee at the higher of the signed and the charged price. */
function costOf(tx: Transaction, priceWei: bigint, zeroGas: boolean): bigint {
  const signed = feeCapOf(tx)
  return (zeroGas ? 0n : tx.gasLimit * (signed > priceWei ? signed : priceWei)) + tx.valueWei
}

function checkFunds(spendableWei: bigint, cost: bigint): void {
  if (spendableWei < cost) {
    throw refuse('insufficientFunds', `balance ${spendableWei}, tx cost ${cost}, overshot ${cost - spendableWei}`)
  }
}

function deductFee(ctx: Context, from: Uint8Array, feeWei: bigint): void {
  bank.subWei(ctx, from, feeWei)
  bank.addWei(ctx, auth.feeCollector.address, feeWei)
}

/**
 * Admits a transaction: checks it, deducts its fee and raises the nonce. It writes to the context, which the caller drops if this
 * throws. Checks of the pool deduct no fee and raise no nonce: the pool adds up what the waiting transactions of a sender cost.
 */
export function admit(
  ctx: Context,
  { transaction: tx, from, isImpersonated }: EthereumTx,
  rules: Rules,
  mode: AdmissionMode,
  minGasPrices: string,
): Admitted {
  const zeroGas = tx.to !== undefined && sudo.isZeroGas(ctx, from, tx.to)
  if (tx.gasLimit > MAX_INT64) throw refuse('gasOverflow')
  if (tx.type === 3) throw refuse('typeNotSupported', 'this chain has no blob transactions')
  const intrinsicGas = validateTransaction(tx, rules)
  const baseFeeWei = evm.baseFeeWei(ctx)
  if (!zeroGas) requireBaseFee(ctx.identity, from, tx, baseFeeWei)
  const priceWei = zeroGas ? 0n : chargedPrice(ctx.identity, tx, baseFeeWei)
  if ((mode === 'check' || mode === 'simulate') && !zeroGas) checkMinimum(ctx, priceWei, minGasPrices)
  const { gasLimit: blockGasLimit } = ctx.block
  if (blockGasLimit > 0n && tx.gasLimit > blockGasLimit) {
    throw errors.outOfGas(`exceeds block gas limit: tx gas ${tx.gasLimit}, block gas limit ${blockGasLimit}`)
  }
  const account = auth.ensureAccount(ctx, from)
  if (!isImpersonated) requireNoCode(from, account.codeHash, () => evm.code(ctx, from))
  else if (!evm.isImpersonated(ctx, from)) throw refuse('invalidSignature')
  checkNonce(mode, from, tx.nonce, account.sequence)
  const costWei = costOf(tx, priceWei, zeroGas)
  const spendableWei = bank.spendableWei(ctx, from)
  checkFunds(spendableWei, costWei)
  const feeWei = tx.gasLimit * priceWei
  if (feeWei > 0n && (mode === 'deliver' || mode === 'simulate')) deductFee(ctx, from, feeWei)
  if (mode === 'deliver') auth.incrementSequence(ctx, account)
  const priority = priceWei / WEI_PER_PRIORITY
  return {
    intrinsicGas,
    priceWei,
    zeroGas,
    priority: priority > MAX_INT64 ? MAX_INT64 : priority,
    stateNonce: account.sequence,
    costWei,
    spendableWei,
  }
}

/** Emits the events of admission; the last of them names the message. */
export function emitAdmission(ctx: Context, found: EthereumTx, { priceWei, zeroGas }: Admitted): void {
  const { transaction: tx, from, fromText, hash } = found
  const payer = address.format(ctx, from)
  if (!zeroGas) {
    const fee = (tx.gasLimit * priceWei).toString()
    ctx.emitEvent('tx', { fee, fee_payer: payer, fee_payer_evm: fromText })
  }
  ctx.emitEvent('pending_ethereum_tx', { eth_hash: formatHex0x(hash), index: evm.nextIndex(ctx).toString() })
  const action = `/${ctx.identity.toProfileName(MESSAGE_TYPE)}`
  ctx.emitEvent('message', { action, sender: payer })
}
