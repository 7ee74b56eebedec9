/** Allocation of the previous block's fees to its voters and the community pool (docs/modules/distribution.md#block-hooks). */
import * as address from '../../identity/address.ts'
import type { Coin } from '../../primitives/coin.ts'
import { add, type DecCoins, format, fromCoins, mul, mulTruncate, sub } from '../../primitives/dec-coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import * as feeRules from '../fees/keeper.ts'
import * as staking from '../staking/keeper.ts'
import { params } from './params.ts'
import { addToPool } from './pool.ts'
import { addToCurrent, commission, outstandingRewards, setCommission, setOutstanding } from './rewards.ts'
import * as state from './state.ts'

/** Books a reward that the module's account has received: the validator's commission, and the rest for its delegators. */
export function allocateToValidator(ctx: Context, operator: Uint8Array, reward: DecCoins): void {
  const validator = staking.requireValidator(ctx, operator)
  const rate = decimal.decode(validator.commission?.commissionRates?.rate ?? '') ?? decimal.zero
  const text = address.formatValidator(ctx, operator)
  const ownCommission = mul(reward, rate)
  ctx.emitEvent('commission', { amount: format(ownCommission), validator: text })
  setCommission(ctx, operator, add(commission(ctx, operator), ownCommission))
  addToCurrent(ctx, operator, sub(reward, ownCommission))
  ctx.emitEvent('rewards', { amount: format(reward), validator: text })
  setOutstanding(ctx, operator, add(outstandingRewards(ctx, operator), reward))
}

/** Returns the collector's coins of accepted denoms; others remain, so that the rewards have a bounded number of denoms. */
function collectedFees(ctx: Context): readonly Coin[] {
  const { address: collector } = auth.feeCollector
  if (ctx.identity.behaviours.feesInAnyDenom) return bank.balances(ctx, collector)
  return feeRules
    .acceptedDenoms(ctx)
    .map((denom) => ({ denom, amount: bank.balance(ctx, collector, denom) }))
    .filter(({ amount }) => amount > 0n)
    .sort((a, b) => (a.denom < b.denom ? -1 : 1))
}

function allocateFees(ctx: Context): void {
  const { votes } = ctx.block
  const collected = collectedFees(ctx)
  bank.send(ctx, auth.feeCollector.address, state.distributionAccount.address, collected)
  const fees = fromCoins(collected)
  const total = votes.reduce((sum, { power }) => sum + power, 0n)
  let rest = fees
  if (total > 0n) {
    const tax = decimal.decode(params(ctx).communityTax) ?? decimal.zero
    const shared = mulTruncate(fees, decimal.fromRaw(decimal.one - tax))
    for (const { validator: consensus, power } of votes) {
      const operator = staking.operatorOf(ctx, consensus)
      // The share of a validator that no longer exists goes to the community pool.
      if (!operator || !staking.getValidator(ctx, operator)) continue
      const share = decimal.quoTruncate(decimal.fromInteger(power), decimal.fromInteger(total))
      const reward = mulTruncate(shared, share)
      allocateToValidator(ctx, operator, reward)
      rest = sub(rest, reward)
    }
  }
  addToPool(ctx, rest)
}

/** Allocates the fees of the previous block, if there is one, and stores the proposer. Runs at the beginning of a block. */
export function beginBlock(ctx: Context): void {
  if (ctx.block.height > 1n) allocateFees(ctx)
  state.previousProposer.set(ctx, ctx.block.proposer)
}
