/** The community pool, whose coins are in the module's account together with the rewards. */
import * as address from '../../identity/address.ts'
import type { Coin } from '../../primitives/coin.ts'
import { add, type DecCoins, fromCoins, NONE, sub } from '../../primitives/dec-coin.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import * as bank from '../bank/keeper.ts'
import { errors } from './errors.ts'
import * as state from './state.ts'

export function communityPool(ctx: ReadContext): DecCoins {
  return state.feePool.get(ctx) ?? NONE
}

export function setCommunityPool(ctx: Context, pool: DecCoins): void {
  state.feePool.set(ctx, pool)
}

/** Adds coins that the module's account has already received to the pool. */
export function addToPool(ctx: Context, coins: DecCoins): void {
  setCommunityPool(ctx, add(communityPool(ctx), coins))
}

/** Transfers coins from an account to the pool. Throws sdk 5. */
export function fundCommunityPool(ctx: Context, from: Uint8Array, coins: readonly Coin[]): void {
  bank.sendToModule(ctx, from, state.distributionAccount, coins)
  addToPool(ctx, fromCoins(coins))
}

/** Transfers coins from the pool to an account. Throws sdk 4 for a recipient that only modules can pay, distribution 9. */
export function spendCommunityPool(ctx: Context, recipient: Uint8Array, coins: readonly Coin[]): void {
  if (ctx.app.isBlocked(recipient)) {
    throw sdkErrors.unauthorized(`${address.format(ctx, recipient)} is not allowed to receive external funds`)
  }
  const spent = fromCoins(coins)
  const pool = communityPool(ctx)
  const isEnough = spent.every(({ denom, amount }) =>
    pool.some((held) => held.denom === denom && held.amount >= amount),
  )
  if (!isEnough) throw errors.poolTooSmall()
  setCommunityPool(ctx, sub(pool, spent))
  bank.send(ctx, state.distributionAccount.address, recipient, coins)
}
