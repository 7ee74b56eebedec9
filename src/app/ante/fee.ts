/** Fees: the node's minimum price, and the payment (docs/transactions.md#fees). */
import * as address from '../../identity/address.ts'
import * as auth from '../../modules/auth/keeper.ts'
import * as bank from '../../modules/bank/keeper.ts'
import * as feegrant from '../../modules/feegrant/keeper.ts'
import * as fees from '../../modules/fees/keeper.ts'
import { equal } from '../../primitives/bytes.ts'
import { type Coin, format, tryParseList } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { withoutGas } from '../../sdk/create-context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors } from '../../sdk/errors.ts'
import { profileTypeUrl } from '../../sdk/packed.ts'
import type { AnteContext } from './context.ts'
import { parseGasPrices } from './gas-prices.ts'

/** Returns the minimum fees, any one of which suffices: each price of `0.025unative,1ufoo` times gas, rounded up. */
export function requiredFees(minGasPrices: string, gas: bigint): readonly Coin[] {
  return (parseGasPrices(minGasPrices) ?? [])
    .map(({ denom, price }) => ({ denom, amount: decimal.ceil(decimal.fromRaw(price * gas)) }))
    .filter(({ amount }) => amount > 0n)
    .sort((a, b) => (a.denom < b.denom ? -1 : 1))
}

function feeCoins({ tx }: AnteContext): readonly Coin[] {
  const coins = tryParseList(tx.authInfo.fee?.amount ?? [])
  if (!coins) {
    const text = (tx.authInfo.fee?.amount ?? []).map(({ denom, amount }) => `${amount}${denom}`).join(',')
    throw errors.insufficientFee(`invalid fee amount: ${text}`)
  }
  return coins
}

/** Throws sdk 13 for a fee in a denom that is not accepted. Costs no gas, since the original chain has no such rule. */
function requireAcceptedDenoms(ante: AnteContext, coins: readonly Coin[]): void {
  const ctx = withoutGas(ante.ctx)
  const refused = fees.findRefused(ctx, coins)
  if (!refused) return
  throw errors.insufficientFee(`fees are paid in ${fees.acceptedDenoms(ctx).join(', ')}; got: ${format([refused])}`)
}

/** Requires the node's minimum fee. Applies only to the first check of a transaction. */
export function requireMinimumFee(ante: AnteContext): void {
  const { mode, tx, settings } = ante
  if (mode !== 'check') return
  const required = requiredFees(settings.minGasPrices, tx.authInfo.fee?.gasLimit ?? 0n)
  if (required.length === 0) return
  const coins = feeCoins(ante)
  const enough = required.some(({ denom, amount }) => coins.some((fee) => fee.denom === denom && fee.amount >= amount))
  if (!enough) throw errors.insufficientFee(`insufficient fees; got: ${format(coins)} required: ${format(required)}`)
}

/** Returns the fee. An estimate without a fee counts one unit, because the payment itself uses gas. */
function paidCoins(ante: AnteContext, payer: Uint8Array): readonly Coin[] {
  const coins = feeCoins(ante)
  const { ctx, mode } = ante
  const denom = ctx.identity.baseDenom
  if (mode !== 'simulate' || coins.length > 0 || bank.spendable(ctx, payer, denom) === 0n) return coins
  return [{ denom, amount: 1n }]
}

/** Returns the fee payer, which an allowance can replace. */
export function payerOf({ ctx, tx, signers }: Pick<AnteContext, 'ctx' | 'tx' | 'signers'>): Uint8Array {
  const { payer = '' } = tx.authInfo.fee ?? {}
  return payer === '' ? signers[0]! : address.parse(ctx, payer)
}

/** Returns the account whose balance pays the fee: the granter of an allowance if one is named, else the payer. */
export function granterOf(ante: Pick<AnteContext, 'ctx' | 'tx' | 'signers'>): Uint8Array {
  const { fee } = ante.tx.authInfo
  return fee?.granter ? address.parse(ante.ctx, fee.granter) : payerOf(ante)
}

/** Sends the fee to the collector, from the granter of an allowance if one is named, else from the payer, who must have an account. */
export function deductFee(ante: AnteContext): void {
  const { ctx, tx } = ante
  const payer = payerOf(ante)
  const granter = granterOf(ante)
  const granterText = address.format(ctx, granter)
  const coins = paidCoins(ante, granter)
  requireAcceptedDenoms(ante, coins)
  if (!equal(granter, payer)) {
    const typeUrls = tx.messages.map(({ typeUrl }) => profileTypeUrl(ctx.identity, typeUrl))
    withErrorPath(`${granterText} does not allow to pay fees for ${address.format(ctx, payer)}`, () =>
      feegrant.useAllowance(ctx, { granter, grantee: payer }, { fee: coins, typeUrls }),
    )
  }
  if (!auth.getAccount(ctx, granter)) throw errors.unknownAddress(`fee payer address: ${granterText} does not exist`)
  if (coins.length > 0) bank.sendToModule(ctx, granter, auth.feeCollector, coins)
  ctx.emitEvent('tx', { fee: format(coins), fee_payer: granterText })
}
