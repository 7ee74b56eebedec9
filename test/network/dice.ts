/** The choices of a seed. */
import { seededRandom } from '../support/random.ts'

export interface Dice {
  /** Returns a number from 0 to n - 1. */
  below(n: number): number
  pick<T>(list: readonly T[]): T
  /** Whether an event of this probability happens. Unit: percent. */
  chance(percent: number): boolean
  shuffled<T>(list: readonly T[]): T[]
}

export function diceOf(seed: number): Dice {
  const random = seededRandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  return {
    below,
    pick: (list) => list[below(list.length)]!,
    chance: (percent) => random() * 100 < percent,
    shuffled(list) {
      const found = [...list]
      for (let i = found.length - 1; i > 0; i--) {
        const j = below(i + 1)
        ;[found[i], found[j]] = [found[j]!, found[i]!]
      }
      return found
    },
  }
}
