/** How much of a vesting account's coins is still locked (support-modules.md §5.1). */
import { type Coin, type CoinText, tryParse } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { errors } from '../../sdk/errors.ts'

/** When the coins vest. Times are Unix seconds, lengths seconds. */
export type Schedule =
  | { readonly kind: 'continuous'; readonly startTime: bigint }
  | { readonly kind: 'delayed' }
  | { readonly kind: 'permanent' }
  | {
      readonly kind: 'periodic'
      readonly startTime: bigint
      readonly periods: readonly { readonly length: bigint; readonly amount: readonly Coin[] }[]
    }

/** What a vesting account has besides. */
export interface Vesting {
  readonly schedule: Schedule
  readonly original: readonly Coin[]
  readonly delegatedFree: readonly Coin[]
  readonly delegatedVesting: readonly Coin[]
  /** Unix seconds. */
  readonly endTime: bigint
}

/** Coins of stored or genesis messages. Throws sdk 10 for an invalid one. */
export function parseCoins(texts: readonly CoinText[]): readonly Coin[] {
  return texts.map((text) => {
    const coin = tryParse(text)
    if (!coin) throw errors.invalidCoins(`${text.amount}${text.denom}`)
    return coin
  })
}

/** Vested part of each original coin at a time in Unix seconds. */
function vested({ schedule, original, endTime }: Vesting, time: bigint): readonly Coin[] {
  switch (schedule.kind) {
    case 'permanent':
      return []
    case 'delayed':
      return time >= endTime ? original : []
    case 'continuous': {
      if (time <= schedule.startTime) return []
      if (time >= endTime) return original
      const share = decimal.quo(
        decimal.fromInteger(time - schedule.startTime),
        decimal.fromInteger(endTime - schedule.startTime),
      )
      return original.map(({ denom, amount }) => ({
        denom,
        amount: decimal.round(decimal.mul(decimal.fromInteger(amount), share)),
      }))
    }
    case 'periodic': {
      if (time <= schedule.startTime) return []
      if (time >= endTime) return original
      const sums = new Map<string, bigint>()
      let end = schedule.startTime
      for (const { length, amount } of schedule.periods) {
        end += length
        if (end > time) break
        for (const coin of amount) sums.set(coin.denom, (sums.get(coin.denom) ?? 0n) + coin.amount)
      }
      return original.map(({ denom }) => ({ denom, amount: sums.get(denom) ?? 0n }))
    }
  }
}

function amountOf(coins: readonly Coin[], denom: string): bigint {
  for (const coin of coins) if (coin.denom === denom) return coin.amount
  return 0n
}

/** Original coins less what has vested: what the circulating supply leaves out (inflation.md S1). */
export function unvested(vesting: Vesting, time: bigint): readonly Coin[] {
  const free = vested(vesting, time)
  return vesting.original
    .map(({ denom, amount }) => ({ denom, amount: amount - amountOf(free, denom) }))
    .filter(({ amount }) => amount > 0n)
}

/** Amount of a denom that may not be sent at a time in Unix seconds. */
export function locked(vesting: Vesting, denom: string, time: bigint): bigint {
  const amount = amountOf(unvested(vesting, time), denom) - amountOf(vesting.delegatedVesting, denom)
  return amount > 0n ? amount : 0n
}

function adjust(coins: readonly Coin[], denom: string, by: bigint): readonly Coin[] {
  const amount = amountOf(coins, denom) + by
  const rest = coins.filter((coin) => coin.denom !== denom)
  return amount === 0n ? rest : [...rest, { denom, amount }].sort((a, b) => (a.denom < b.denom ? -1 : 1))
}

/** The account's books after delegating: unvested coins go first. `balance` is what it held before. */
export function trackDelegation(vesting: Vesting, { denom, amount }: Coin, time: bigint): Vesting {
  const available = locked(vesting, denom, time)
  const fromVesting = available < amount ? available : amount
  return {
    ...vesting,
    delegatedVesting: adjust(vesting.delegatedVesting, denom, fromVesting),
    delegatedFree: adjust(vesting.delegatedFree, denom, amount - fromVesting),
  }
}

/** The account's books after undelegating: free coins come back first. */
export function trackUndelegation(vesting: Vesting, { denom, amount }: Coin): Vesting {
  const free = amountOf(vesting.delegatedFree, denom)
  const fromFree = free < amount ? free : amount
  const held = amountOf(vesting.delegatedVesting, denom)
  let fromVesting = amount - fromFree
  if (fromVesting > held) fromVesting = held
  return {
    ...vesting,
    delegatedFree: adjust(vesting.delegatedFree, denom, -fromFree),
    delegatedVesting: adjust(vesting.delegatedVesting, denom, -fromVesting),
  }
}
