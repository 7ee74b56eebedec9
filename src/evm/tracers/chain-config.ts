/** Forks as the `config` of an Ethereum genesis file sets them: by block number, later by time. */
import type { ForkName } from '../forks.ts'

/** Where a transaction runs, as far as forks depend on it. */
export interface ForkPoint {
  readonly number: bigint
  /** Unit: seconds. */
  readonly timestamp: bigint
  /** Whether the block was made by proof of stake: forks from Paris on need it. */
  readonly isMerged: boolean
}

const BY_NUMBER: readonly (readonly [field: string, fork: ForkName])[] = [
  ['homesteadBlock', 'Homestead'],
  ['eip150Block', 'TangerineWhistle'],
  ['eip158Block', 'SpuriousDragon'],
  ['byzantiumBlock', 'Byzantium'],
  ['constantinopleBlock', 'Constantinople'],
  ['petersburgBlock', 'Petersburg'],
  ['istanbulBlock', 'Istanbul'],
  ['berlinBlock', 'Berlin'],
  ['londonBlock', 'London'],
]

const BY_TIME: readonly (readonly [field: string, fork: ForkName])[] = [
  ['shanghaiTime', 'Shanghai'],
  ['cancunTime', 'Cancun'],
  ['pragueTime', 'Prague'],
  ['osakaTime', 'Osaka'],
]

/** The newest fork that has begun. `field` reads a number of the configuration; undefined if it is not there. */
export function forkAt(
  field: (name: string) => bigint | undefined,
  { number, timestamp, isMerged }: ForkPoint,
): ForkName {
  const begun = (name: string, now: bigint): boolean => {
    const start = field(name)
    return start !== undefined && start <= now
  }
  let fork: ForkName = 'Frontier'
  for (const [name, candidate] of BY_NUMBER) if (begun(name, number)) fork = candidate
  // Without a block of its own, the fork that took Constantinople's mistake back came with it.
  if (fork === 'Constantinople' && field('petersburgBlock') === undefined) fork = 'Petersburg'
  if (!isMerged || fork !== 'London') return fork
  fork = 'Paris'
  for (const [name, candidate] of BY_TIME) if (begun(name, timestamp)) fork = candidate
  return fork
}
