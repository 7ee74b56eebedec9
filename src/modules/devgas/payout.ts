/** The share of a contract's fees, paid when a call of it has gone through (devgas.md §7). */
import {
  EventPayoutDevGasSchema,
  EventPayoutFailedDevGasSchema,
  type ModuleParams,
} from '../../gen/chain/devgas/v1/devgas_pb.ts'
import * as address from '../../identity/address.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { type Coin, format } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { Context } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import * as distribution from '../distribution/keeper.ts'
import type { ContractCalled } from '../evm/hooks.ts'
import * as devgas from './keeper.ts'

/** Part of a fee that is the developer's: rounded down to wei, then to base units. `share` is below or equal to 1. */
export function shareOf(feeWei: bigint, share: decimal.Decimal): bigint {
  return (feeWei * share) / decimal.one / bank.WEI_PER_UNIT
}

/** The JSON of what a withdrawer got: nothing in it needs escaping. */
function payoutsText(withdrawer: string, denom: string, amount: bigint): string {
  return `[{"withdraw_address":"${withdrawer}","fees_paid":[{"denom":"${denom}","amount":"${amount}"}]}]`
}

function pay(
  ctx: Context,
  feeShare: devgas.FeeShare,
  { allowedDenoms }: ModuleParams,
  amount: bigint,
  hash: Uint8Array,
): void {
  const { baseDenom: denom } = ctx.identity
  const coins: readonly Coin[] = [{ denom, amount }]
  const withdrawer = address.parse(ctx, feeShare.withdrawerAddress)
  const isAllowed = allowedDenoms.length === 0 || allowedDenoms.includes(denom)
  const isPaid = isAllowed && !ctx.app.isBlocked(withdrawer)
  const collector = auth.feeCollector.address
  if (isPaid) bank.send(ctx, collector, withdrawer, coins)
  else distribution.fundCommunityPool(ctx, collector, coins)
  ctx.emit(EventPayoutDevGasSchema, {
    payouts: isPaid ? payoutsText(feeShare.withdrawerAddress, denom, amount) : '[]',
    contract: feeShare.contractAddress,
    txHash: formatHex0x(hash),
    communityPool: isPaid ? '' : format(coins),
  })
}

function payShare(ctx: Context, feeShare: devgas.FeeShare, { gasUsed, priceWei, hash }: ContractCalled): void {
  const branch = ctx.branch()
  const params = devgas.params(branch)
  if (!params.enableFeeShare) return
  const amount = shareOf(gasUsed * priceWei, decimal.decode(params.developerShares) ?? decimal.zero)
  if (amount === 0n) return
  pay(branch, feeShare, params, amount, hash)
  branch.merge()
}

/**
 * Pays what a call of a registered contract earned; the context of an Ethereum transaction has free gas. Whatever goes wrong
 * here is undone here and told by an event: the call stays as it is.
 */
export function payOut(ctx: Context, called: ContractCalled): void {
  try {
    const feeShare = devgas.feeShare(ctx, called.contract)
    if (feeShare) payShare(ctx, feeShare, called)
  } catch (error) {
    const isExpected = error instanceof ChainError
    if (!isExpected) ctx.app.onBug(error)
    ctx.emit(EventPayoutFailedDevGasSchema, {
      contract: address.format(ctx, called.contract),
      txHash: formatHex0x(called.hash),
      reason: isExpected ? error.message : 'internal',
    })
  }
}
