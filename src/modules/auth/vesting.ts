/** Locked coins of vesting accounts (docs/modules/auth.md#formulas). */
import { type Coin, type CoinText, tryParse } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import { errors } from '../../sdk/errors.ts'

/** The schedule on which coins vest. Times are Unix seconds, lengths are seconds. */
export type Schedule =
  | { readonly kind: 'continuous'; readonly startTime: bigint }
  | { readonly kind: 'delayed' }
  | { readonly kind: 'permanent' }
  | {
      readonly kind: 'periodic'
      readonly startTime: bigint
      readonly periods: readonly { readonly length: bigint; readonly amount: readonly Coin[] }[]
    }

/** The vesting part of an account. */
export interface Vesting {
  readonly schedule: Schedule
  readonly original: readonly Coin[]
  readonly delegatedFree: readonly Coin[]
  readonly delegatedVesting: readonly Coin[]
  /** Unix seconds. */
  readonly endTime: bigint
}

/** Parses the coins of stored or genesis messages. Throws sdk 10 for an invalid coin. */
export function parseCoins(texts: readonly CoinText[]): readonly Coin[] {
  return texts.map((text) => {
    const coin = tryParse(text)
    if (!coin) throw errors.invalidCoins(`${text.amount}${text.denom}`)
    return coin
  })
}

/** Returns the vested part of each original coin at a time in Unix seconds. */
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

/**
 * Returns the original coins minus the vested ones. The circulating supply excludes them
 * (docs/modules/inflation.md#formulas).
 */
export function unvested(vesting: Vesting, time: bigint): readonly Coin[] {
  const free = vested(vesting, time)
  return vesting.original
    .map(({ denom, amount }) => ({ denom, amount: amount - amountOf(free, denom) }))
    .filter(({ amount }) => amount > 0n)
}

/** Returns the amount of a denom that cannot be sent at a time in Unix seconds. */
export function locked(vesting: Vesting, denom: string, time: bigint): bigint {
  const amount = amountOf(unvested(vesting, time), denom) - amountOf(vesting.delegatedVesting, denom)
  return amount > 0n ? amount : 0n
}

function adjust(coins: readonly Coin[], denom: string, by: bigint): readonly Coin[] {
  const amount = amountOf(coins, denom) + by
  const rest = coins.filter((coin) => coin.denom !== denom)
  return amount === 0n ? rest : [...rest, { denom, amount }].sort((a, b) => (a.denom < b.denom ? -1 : 1))
}

/** Returns the vesting part after a delegation, which uses locked coins first. */
export function trackDelegation(vesting: Vesting, { denom, amount }: Coin, time: bigint): Vesting {
  const available = locked(vesting, denom, time)
  const fromVesting = available < amount ? available : amount
  return {
    ...vesting,
    delegatedVesting: adjust(vesting.delegatedVesting, denom, fromVesting),
    delegatedFree: adjust(vesting.delegatedFree, denom, amount - fromVesting),
  }
}

/** Returns the vesting part after an undelegation, which returns free coins first. */
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
