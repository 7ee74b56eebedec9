/** Amounts of a denomination, and sorted lists of them. */
import { isValid } from './denom.ts'

/** The message form, `sdk.base.v1beta1.Coin`: the amount is decimal text. */
export interface CoinText {
  readonly denom: string
  readonly amount: string
}

export interface Coin {
  readonly denom: string
  readonly amount: bigint
}

const MAX_AMOUNT = 1n << 256n
const AMOUNT = /^(0|[1-9]\d*)$/

/** Parses a coin message. Returns undefined if the denom or the amount (0 to 2^256 - 1, decimal) is invalid. */
export function tryParse({ denom, amount }: CoinText): Coin | undefined {
  if (!isValid(denom) || !AMOUNT.test(amount) || amount.length > 78) return undefined
  const value = BigInt(amount)
  return value < MAX_AMOUNT ? { denom, amount: value } : undefined
}

/** Parses the coins of a message. Returns undefined unless they are sorted by denom, without duplicates, and positive. */
export function tryParseList(list: readonly CoinText[]): readonly Coin[] | undefined {
  const coins: Coin[] = []
  for (const text of list) {
    const coin = tryParse(text)
    const last = coins.at(-1)
    if (!coin || coin.amount === 0n || (last && last.denom >= coin.denom)) return undefined
    coins.push(coin)
  }
  return coins
}

/**
 * Parses a text such as `5unative,7ufoo` and sorts the coins. Returns undefined if it is invalid, and no coins for empty
 * text.
 */
export function tryParseText(text: string): readonly Coin[] | undefined {
  if (text === '') return []
  const coins: Coin[] = []
  for (const part of text.split(',')) {
    const match = /^(\d+)(.+)$/.exec(part.trim())
    const coin = match && tryParse({ denom: match[2]!, amount: BigInt(match[1]!).toString() })
    if (!coin) return undefined
    coins.push(coin)
  }
  coins.sort((a, b) => (a.denom < b.denom ? -1 : 1))
  return coins.some((coin, i) => i > 0 && coins[i - 1]!.denom === coin.denom) ? undefined : coins
}

export function toText({ denom, amount }: Coin): { denom: string; amount: string } {
  return { denom, amount: amount.toString() }
}

/** Formats coins as `5unative,7ufoo`, the form of events and texts. */
export function format(coins: readonly Coin[]): string {
  return coins.map(({ denom, amount }) => `${amount}${denom}`).join(',')
}

/** Adds by denom. The result is sorted and has no zeros. */
export function add(a: readonly Coin[], b: readonly Coin[]): readonly Coin[] {
  const sums = new Map<string, bigint>()
  for (const { denom, amount } of [...a, ...b]) sums.set(denom, (sums.get(denom) ?? 0n) + amount)
  return [...sums]
    .filter(([, amount]) => amount !== 0n)
    .map(([denom, amount]) => ({ denom, amount }))
    .sort((x, y) => (x.denom < y.denom ? -1 : 1))
}

/** Subtracts by denom. The result is sorted and has no zeros. Returns undefined if any amount would be negative. */
export function subtract(a: readonly Coin[], b: readonly Coin[]): readonly Coin[] | undefined {
  const left = add(
    a,
    b.map(({ denom, amount }) => ({ denom, amount: -amount })),
  )
  return left.every(({ amount }) => amount > 0n) ? left : undefined
}

/** Returns the amount of one denom, or 0 if absent. */
export function amountOf(coins: readonly Coin[], denom: string): bigint {
  return coins.find((coin) => coin.denom === denom)?.amount ?? 0n
}
