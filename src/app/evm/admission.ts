/** The steps by which an Ethereum transaction is admitted, in order (evm.md §3.4). */

import { delegationTarget } from '../../evm/access.ts'
import type { Rules } from '../../evm/forks.ts'
import { refuse } from '../../evm/transaction/errors.ts'
import { feeCapOf, type Transaction } from '../../evm/transaction/types.ts'
import { validateTransaction } from '../../evm/transaction/validate.ts'
import * as auth from '../../modules/auth/keeper.ts'
import * as bank from '../../modules/bank/keeper.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { WEI_PER_UNIT } from '../../modules/evm/wei.ts'
import * as sudo from '../../modules/sudo/keeper.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { equal, formatHex0x } from '../../primitives/bytes.ts'
import * as decimal from '../../primitives/decimal.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import type { Context } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { parseGasPrices } from '../ante/gas-prices.ts'
import type { EthereumTx } from './envelope.ts'
import { chargedPrice } from './price.ts'

/** How far ahead of the account a waiting transaction's nonce may lie. */
const MAX_NONCE_GAP = 7n
const MAX_GAS = (1n << 63n) - 1n
const PRIORITY_DIVISOR = 1_000_000n
const MAX_INT64 = (1n << 63n) - 1n

export type AdmissionMode = 'check' | 'recheck' | 'simulate' | 'deliver'

export interface Admitted {
  /** Taken from the gas limit before execution. */
  readonly intrinsicGas: bigint
  /** What the sender pays a gas unit; 0 for a transaction that pays nothing. Unit: wei. */
  readonly priceWei: bigint
  readonly zeroGas: boolean
  readonly priority: bigint
  /** Before this transaction. */
  readonly stateNonce: bigint
}

/** The lowest price a node asks for, of its setting such as `0.025unative`; 0 for none. Unit: wei. */
function minimumPriceWei(minGasPrices: string, baseDenom: string): bigint {
  const found = parseGasPrices(minGasPrices)?.find(({ denom }) => denom === baseDenom)
  return found ? decimal.truncate(decimal.fromRaw(found.price * WEI_PER_UNIT)) : 0n
}

function checkMinimum(ctx: Context, priceWei: bigint, minGasPrices: string): void {
  const minimum = minimumPriceWei(minGasPrices, ctx.identity.baseDenom)
  if (minimum > 0n && priceWei < minimum) {
    throw errors.insufficientFee(`transaction underpriced: gas price ${priceWei}, minimum needed ${minimum} wei`)
  }
}

function checkNonce(mode: AdmissionMode, from: Uint8Array, have: bigint, stateNonce: bigint): void {
  const place = `address ${formatEip55(from)}, tx: ${have} state: ${stateNonce}`
  if (mode === 'deliver') {
    if (have < stateNonce) throw refuse('nonceTooLow', place)
    if (have > stateNonce) throw refuse('nonceTooHigh', place)
  } else {
    if (have < stateNonce) throw refuse('nonceTooLow', `next nonce ${stateNonce}, tx nonce ${have}`)
    if (have > stateNonce + MAX_NONCE_GAP) {
      throw refuse('nonceTooHigh', `next nonce ${stateNonce}, tx nonce ${have}, at most ${MAX_NONCE_GAP} ahead`)
    }
  }
}

/** Only accounts without code send, and those whose code delegates (EIP-3607, EIP-7702). */
function checkSender(ctx: Context, from: Uint8Array, codeHash: Uint8Array): void {
  if (equal(codeHash, EMPTY_CODE_HASH)) return
  const code = evm.code(ctx, from)
  if (code && !delegationTarget(code)) {
    throw refuse('senderNotEoa', `address ${formatEip55(from)}, codehash: ${formatHex0x(codeHash)}`)
  }
}

/** The sender must hold the value and the fee at the higher of the signed and the charged price. */
function checkFunds(balanceWei: bigint, tx: Transaction, priceWei: bigint, zeroGas: boolean): void {
  const signed = feeCapOf(tx)
  const cost = (zeroGas ? 0n : tx.gasLimit * (signed > priceWei ? signed : priceWei)) + tx.valueWei
  if (balanceWei < cost) {
    throw refuse('insufficientFunds', `balance ${balanceWei}, tx cost ${cost}, overshot ${cost - balanceWei}`)
  }
}

/** Takes the fee. The pool's state has no use for who receives it. */
function takeFee(ctx: Context, from: Uint8Array, feeWei: bigint, mode: AdmissionMode): void {
  bank.subWei(ctx, from, feeWei)
  if (mode === 'deliver' || mode === 'simulate') bank.addWei(ctx, auth.feeCollector.address, feeWei)
}

/**
 * Admits a transaction: everything that decides whether it runs, its fee, and its nonce. Writes to the context, which the
 * caller drops when this throws. While the pool checks, nonces stay: a transaction may wait for those before it.
 */
export function admit(
  ctx: Context,
  { transaction: tx, from, isImpersonated }: EthereumTx,
  rules: Rules,
  mode: AdmissionMode,
  minGasPrices: string,
): Admitted {
  const zeroGas = tx.to !== undefined && sudo.isZeroGas(ctx, from, tx.to)
  if (tx.gasLimit > MAX_GAS) throw refuse('gasOverflow')
  if (tx.type === 3) throw refuse('typeNotSupported', 'this chain has no blob transactions')
  const intrinsicGas = validateTransaction(tx, rules)
  const priceWei = zeroGas ? 0n : chargedPrice(tx, evm.baseFeeWei(ctx))
  if ((mode === 'check' || mode === 'simulate') && !zeroGas) checkMinimum(ctx, priceWei, minGasPrices)
  const { gasLimit: blockGasLimit } = ctx.block
  if (blockGasLimit > 0n && tx.gasLimit > blockGasLimit) {
    throw errors.outOfGas(`exceeds block gas limit: tx gas ${tx.gasLimit}, block gas limit ${blockGasLimit}`)
  }
  const account = auth.ensureAccount(ctx, from)
  if (!isImpersonated) checkSender(ctx, from, account.codeHash)
  else if (!evm.isImpersonated(ctx, from)) throw refuse('invalidSignature')
  checkNonce(mode, from, tx.nonce, account.sequence)
  const balanceWei = bank.balanceWei(ctx, from)
  checkFunds(balanceWei, tx, priceWei, zeroGas)
  const feeWei = tx.gasLimit * priceWei
  if (feeWei > 0n) takeFee(ctx, from, feeWei, mode)
  if (mode === 'deliver') auth.setAccount(ctx, { ...account, sequence: account.sequence + 1n })
  const priority = priceWei / PRIORITY_DIVISOR
  return {
    intrinsicGas,
    priceWei,
    zeroGas,
    priority: priority > MAX_INT64 ? MAX_INT64 : priority,
    stateNonce: account.sequence,
  }
}
