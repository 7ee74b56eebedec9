/** Deposits of proposals: payment, refund and burning. */
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

/** Parses coins of the state or of parameters, which are already validated. */
function coinsOf(list: readonly { readonly denom: string; readonly amount: string }[]): readonly Coin[] {
  return list.map(({ denom, amount }) => ({ denom, amount: BigInt(amount) }))
}

/** Whether `coins` has at least the needed amount of every denom. */
function covers(coins: readonly Coin[], needed: readonly Coin[]): boolean {
  return needed.every(({ denom, amount }) => amountOf(coins, denom) >= amount)
}

/** Throws gov 16 if the first deposit is below its required part of the minimum deposit. */
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
 * Adds to the deposit of a proposal. Voting starts once the minimum deposit is reached. Returns whether voting has started.
 * Throws gov 2 for an unknown proposal, gov 3 after the vote, sdk 10 for a denom that is not accepted, sdk 5 for too few coins.
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
  const startsVoting = proposal.status === ProposalStatus.DEPOSIT_PERIOD && covers(total, needed)
  if (startsVoting) openVoting(ctx, proposal)
  const previous = state.deposits.get(ctx, [id, depositor])
  ctx.emitEvent('proposal_deposit', { amount: format(coins), proposal_id: id.toString() })
  state.deposits.set(
    ctx,
    [id, depositor],
    create(DepositSchema, {
      proposalId: id,
      depositor: address.format(ctx, depositor),
      amount: previous ? add(coinsOf(previous.amount), coins).map(toText) : coins.map(toText),
    }),
  )
  return startsVoting
}

/** Refunds every deposit of a proposal. The deposit of a blocked account goes to the community pool. */
export function refundDeposits(ctx: Context, id: bigint): void {
  for (const [[, depositor], { amount }] of [...state.deposits.iterate(ctx, { prefix: id })]) {
    const coins = availableOf(ctx, coinsOf(amount))
    if (ctx.app.isBlocked(depositor)) distribution.fundCommunityPool(ctx, state.account.address, coins)
    else bank.send(ctx, state.account.address, depositor, coins)
    state.deposits.delete(ctx, [id, depositor])
  }
}

/** Burns every deposit of a proposal. */
export function burnDeposits(ctx: Context, id: bigint): void {
  for (const [[, depositor], { amount }] of [...state.deposits.iterate(ctx, { prefix: id })]) {
    bank.burn(ctx, state.account, availableOf(ctx, coinsOf(amount)))
    state.deposits.delete(ctx, [id, depositor])
  }
}

/** Limits a deposit to the balance of the account: a proposal can spend from it, which must not fail the block. */
function availableOf(ctx: ReadContext, coins: readonly Coin[]): readonly Coin[] {
  return coins.flatMap(({ denom, amount }) => {
    const held = bank.balance(ctx, state.account.address, denom)
    return held === 0n ? [] : [{ denom, amount: held < amount ? held : amount }]
  })
}

/** Parses the coins of a message; an empty list is valid. Throws sdk 10. */
export function parseDepositCoins(
  list: readonly { readonly denom: string; readonly amount: string }[],
): readonly Coin[] {
  const coins = tryParseList(list)
  if (!coins) throw sdkErrors.invalidCoins(list.map(({ denom, amount }) => `${amount}${denom}`).join(','))
  return coins
}
