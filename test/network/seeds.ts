/** Many seeds one after the other. */
import { type Counts, noCounts, type RunOptions, runSeed } from './run.ts'

/** Returns the command that repeats a seed. */
export const commandOf = (seed: number, sockets = false): string =>
  `npx tsx test/network/model.ts --seed ${seed}${sockets ? ' --sockets' : ''}`

/** Runs seeds from the first on. Throws an `Error` with the command for the first seed that fails. */
export async function runSeeds(first: number, count: number, options: RunOptions = {}): Promise<Counts> {
  const total = noCounts()
  for (let seed = first; seed < first + count; seed++) {
    try {
      const counts = await runSeed(seed, options)
      for (const name of Object.keys(total) as (keyof Counts)[]) total[name] += counts[name]
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause)
      throw new Error(`${reason}\nrepeat it with: ${commandOf(seed, options.sockets)}`, { cause })
    }
  }
  return total
}

/** Numbers of seeds of the long tests: those of the gate come before the first. */
const FIRST_LONG_SEED = 10_000
const SEEDS_OF_TEST = 2500

/** Returns the runs of one half of the seeds of the long tests, `TEST_NETWORK_SEEDS` in both, 100,000 by default. */
export function longRuns(half: 0 | 1): { readonly first: number; readonly count: number }[] {
  const wanted = Math.ceil(Number(process.env['TEST_NETWORK_SEEDS'] ?? 100_000) / 2)
  const from = FIRST_LONG_SEED + half * wanted
  return Array.from({ length: Math.ceil(wanted / SEEDS_OF_TEST) }, (_, i) => ({
    first: from + i * SEEDS_OF_TEST,
    count: Math.min(SEEDS_OF_TEST, wanted - i * SEEDS_OF_TEST),
  }))
}
