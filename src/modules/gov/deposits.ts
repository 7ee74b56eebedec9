/** Deposits: what proposals are taken seriously for, and what becomes of it. */
import { create } from '@bufbuild/protobuf'
import { CoinSchema } from '../../gen/sdk/base/v1beta1/coin_pb.ts'
import { DepositSchema, ProposalStatus } from '../../gen/sdk/gov/v1/gov_pb.ts'
import * as address from '../../identity/address.ts'
import { add, amountOf, type Coin, format, toText, tryParseList } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import * as bank from '../bank/keeper.ts'
import * as distribution from '../distribution/keeper.ts'
import { errors } from './errors.ts'
import { decimalOf, params } from './params.ts'
import { openVoting, requireProposal, setProposal } from './proposals.ts'
import * as state from './state.ts'

/** Coins of state or of parameters, which were checked on their way in. */
function coinsOf(list: readonly { readonly denom: string; readonly amount: string }[]): readonly Coin[] {
  return list.map(({ denom, amount }) => ({ denom, amount: BigInt(amount) }))
}

/** Whether there is at least as much of every coin as is needed. */
function covers(coins: readonly Coin[], needed: readonly Coin[]): boolean {
  return needed.every(({ denom, amount }) => amountOf(coins, denom) >= amount)
}

/** Throws gov 16 for a proposal that comes with less than the part of the minimum deposit it must bring along. */
export function requireInitialDeposit(ctx: ReadContext, coins: readonly Coin[]): void {
  const { minDeposit, minInitialDepositRatio } = params(ctx)
  const ratio = decimalOf(minInitialDepositRatio)
  if (ratio === 0n) return
  const needed = coinsOf(minDeposit).map(({ denom, amount }) => ({
    denom,
    amount: decimal.round(decimal.mul(decimal.fromInteger(amount), ratio)),
  }))
  if (!covers(coins, needed)) throw errors.depositTooSmall(`was (${format(coins)}), need (${format(needed)})`)
}

function requireDepositDenoms(coins: readonly Coin[], accepted: readonly Coin[]): void {
  for (const { denom } of coins) {
    if (accepted.some((one) => one.denom === denom)) continue
    throw sdkErrors.invalidCoins(
      `invalid gov deposit denom "${denom}"; expected one of the MinDeposit denoms (${format(accepted)})`,
    )
  }
}

/**
 * Adds to the deposit of a proposal, which comes to a vote once there is enough. Returns whether it now did. Throws gov 2,
 * 3 after the vote, sdk 10 for another coin, sdk 5.
 */
export function deposit(ctx: Context, id: bigint, depositor: Uint8Array, coins: readonly Coin[]): boolean {
  const before = requireProposal(ctx, id)
  if (before.status !== ProposalStatus.DEPOSIT_PERIOD && before.status !== ProposalStatus.VOTING_PERIOD) {
    throw errors.inactiveProposal(id.toString())
  }
  const needed = coinsOf(params(ctx).minDeposit)
  requireDepositDenoms(coins, needed)
  bank.sendToModule(ctx, depositor, state.account, coins)
  const total = add(coinsOf(before.totalDeposit), coins)
  const proposal = { ...before, totalDeposit: total.map((coin) => create(CoinSchema, toText(coin))) }
  setProposal(ctx, proposal)
  const opens = proposal.status === ProposalStatus.DEPOSIT_PERIOD && covers(total, needed)
  if (opens) openVoting(ctx, proposal)
  const held = state.deposits.get(ctx, [id, depositor])
  ctx.emitEvent('proposal_deposit', { amount: format(coins), proposal_id: id.toString() })
  state.deposits.set(
    ctx,
    [id, depositor],
    create(DepositSchema, {
      proposalId: id,
      depositor: address.format(ctx, depositor),
      amount: held ? add(coinsOf(held.amount), coins).map(toText) : coins.map(toText),
    }),
  )
  return opens
}

/** Gives every deposit of a proposal back. What its owner may not receive goes to the community pool. */
export function refundDeposits(ctx: Context, id: bigint): void {
  for (const [[, depositor], { amount }] of [...state.deposits.iterate(ctx, { prefix: id })]) {
    const coins = heldOf(ctx, coinsOf(amount))
    if (ctx.app.isBlocked(depositor)) distribution.fundCommunityPool(ctx, state.account.address, coins)
    else bank.send(ctx, state.account.address, depositor, coins)
    state.deposits.delete(ctx, [id, depositor])
  }
}

/** Burns every deposit of a proposal. */
export function burnDeposits(ctx: Context, id: bigint): void {
  for (const [[, depositor], { amount }] of [...state.deposits.iterate(ctx, { prefix: id })]) {
    bank.burn(ctx, state.account, heldOf(ctx, coinsOf(amount)))
    state.deposits.delete(ctx, [id, depositor])
  }
}

/** Of a deposit what is there: a proposal may have spent from the account that deposits lie in, and no block fails for it. */
function heldOf(ctx: ReadContext, coins: readonly Coin[]): readonly Coin[] {
  return coins.flatMap(({ denom, amount }) => {
    const held = bank.balance(ctx, state.account.address, denom)
    return held === 0n ? [] : [{ denom, amount: held < amount ? held : amount }]
  })
}

/** The coins of a message, none included. Throws sdk 10 unless valid. */
export function parseDepositCoins(
  list: readonly { readonly denom: string; readonly amount: string }[],
): readonly Coin[] {
  const coins = tryParseList(list)
  if (!coins) throw sdkErrors.invalidCoins(list.map(({ denom, amount }) => `${amount}${denom}`).join(','))
  return coins
}
