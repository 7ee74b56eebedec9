/** The choices of one action: a list of numbers, of which simpler lists give simpler actions. */

export interface Dice {
  /** Returns a number from 0 to n - 1; 0 once the list is used up. */
  below(n: number): number
  pick<T>(list: readonly T[]): T
  /** Whether an event of this probability happens. Unit: percent. It does not happen once the list is used up. */
  chance(percent: number): boolean
  /** Returns an amount up to a usual maximum, sometimes far more, or zero. */
  amount(usual: bigint): bigint
}

export function diceOf(draws: readonly number[]): Dice {
  let next = 0
  const draw = (): number => draws[next++] ?? 0
  const below = (n: number): number => draw() % n
  return {
    below,
    pick: (list) => list[below(list.length)]!,
    chance: (percent) => 100 - (draw() % 100) <= percent,
    amount(usual) {
      const kind = below(60)
      if (kind === 59) return 0n
      if (kind === 58) return 1n << BigInt(below(256))
      if (kind > 48) return BigInt(1 + below(10))
      return (usual * BigInt(1 + below(1000))) / 1000n
    },
  }
}
