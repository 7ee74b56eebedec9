/** sdk.vesting.v1beta1.Msg */
import { Msg } from '../../gen/sdk/vesting/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { add, type Coin } from '../../primitives/coin.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { Context } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { parseCreate, parseCreatePeriodic, parseCreatePermanent } from './validation.ts'

/** Throws sdk 4 for a recipient that only modules can pay, sdk 18 for one that has an account. */
function requireNew(ctx: Context, recipient: Uint8Array): void {
  bank.requireUnblocked(ctx, recipient)
  if (auth.getAccount(ctx, recipient)) {
    throw errors.invalidRequest(`account ${address.format(ctx, recipient)} already exists`)
  }
}

/** Throws bank 5. An account can have no periods, and for no coins the Cosmos SDK reads nothing. */
function requireSendable(ctx: Context, coins: readonly Coin[]): void {
  if (coins.length > 0) bank.requireSendEnabled(ctx, coins)
}

/** Creates the account and pays its coins. Throws sdk 5. */
function fund(
  ctx: Context,
  { from, to, coins }: { readonly from: Uint8Array; readonly to: Uint8Array; readonly coins: readonly Coin[] },
  schedule: auth.Schedule,
  endTime: bigint,
): void {
  auth.createVestingAccount(ctx, to, schedule, coins, endTime)
  bank.send(ctx, from, to, coins)
}

export const messages = defineMessages(Msg, {
  /** Creates an account whose coins unlock from the time of the block to the end time, or all at the end time. */
  createVestingAccount(ctx, message) {
    const parsed = parseCreate(ctx, message)
    requireSendable(ctx, parsed.coins)
    requireNew(ctx, parsed.to)
    const startTime = ctx.block.timeNs / NS_PER_SECOND
    fund(ctx, parsed, message.delayed ? { kind: 'delayed' } : { kind: 'continuous', startTime }, message.endTime)
    return {}
  },

  /** Creates an account whose coins never unlock. They can be delegated. */
  createPermanentLockedAccount(ctx, message) {
    const parsed = parseCreatePermanent(ctx, message)
    requireSendable(ctx, parsed.coins)
    requireNew(ctx, parsed.to)
    fund(ctx, parsed, { kind: 'permanent' }, 0n)
    return {}
  },

  /** Creates an account whose coins unlock in parts, each at the end of a period. */
  createPeriodicVestingAccount(ctx, message) {
    const { from, to, startTime, endTime, periods } = parseCreatePeriodic(ctx, message)
    requireNew(ctx, to)
    // One addition of all coins: period by period it would take quadratic time.
    const all = periods.flatMap(({ amount }) => amount)
    const coins = add([], all)
    requireSendable(ctx, coins)
    fund(ctx, { from, to, coins }, { kind: 'periodic', startTime, periods }, endTime)
    return {}
  },
})
