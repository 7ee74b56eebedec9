/** Rewards of validators whose rates win (docs/modules/oracle.md#formulas). */
import { create } from '@bufbuild/protobuf'
import { RewardsSchema } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import { add, type Coin, toText, tryParseList } from '../../primitives/coin.ts'
import { fromCoins } from '../../primitives/dec-coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { Context } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import type { ModuleAccount } from '../../sdk/module-account.ts'
import * as bank from '../bank/keeper.ts'
import * as distribution from '../distribution/keeper.ts'
import * as staking from '../staking/keeper.ts'
import * as state from './state.ts'

interface Earner {
  readonly operator: Uint8Array
  readonly rewardWeight: bigint
}

/** Takes one period's coins from every record, and removes records that have no period left. */
function takePeriodCoins(ctx: Context): readonly Coin[] {
  let coins: readonly Coin[] = []
  for (const [id, record] of [...state.rewards.iterate(ctx)]) {
    coins = add(coins, tryParseList(record.coins) ?? [])
    if (record.votePeriods <= 1n) state.rewards.remove(ctx, id)
    else state.rewards.set(ctx, id, create(RewardsSchema, { ...record, votePeriods: record.votePeriods - 1n }))
  }
  return coins
}

/** Splits one period's coins by weight, in the order given. The remainder of truncation stays in the module account. */
export function payRewards(ctx: Context, earners: readonly Earner[]): void {
  const total = earners.reduce((sum, { rewardWeight }) => sum + rewardWeight, 0n)
  if (total === 0n) return
  const coins = takePeriodCoins(ctx)
  const branch = ctx.branch()
  let paid: readonly Coin[] = []
  for (const { operator, rewardWeight } of earners) {
    if (!staking.getValidator(ctx, operator)) continue
    const share = decimal.quo(decimal.fromInteger(rewardWeight), decimal.fromInteger(total))
    const portion = coins
      .map(({ denom, amount }) => ({ denom, amount: decimal.truncate(decimal.fromRaw(share * amount)) }))
      .filter(({ amount }) => amount > 0n)
    paid = add(paid, portion)
    distribution.allocateToValidator(branch, operator, fromCoins(portion))
  }
  try {
    bank.sendToModule(branch, state.account.address, distribution.distributionAccount, paid)
    branch.merge()
  } catch (error) {
    // The account has too few coins. Credits without coins would let one validator withdraw what another has earned.
    if (!(error instanceof ChainError)) throw error
  }
}

/** Funds rewards for a number of voting periods from a module account. Throws sdk 18 for 0 periods. */
export function fundRewards(ctx: Context, from: ModuleAccount, coins: readonly Coin[], votePeriods: bigint): void {
  if (votePeriods === 0n) throw sdkErrors.invalidRequest('rewards must last at least one voting period')
  const each = coins.map(({ denom, amount }) => ({ denom, amount: amount / votePeriods }))
  const id = state.rewardIds.next(ctx)
  state.rewards.set(ctx, id, create(RewardsSchema, { id, votePeriods, coins: each.map(toText) }))
  bank.sendToModule(ctx, from.address, state.account, coins)
}
