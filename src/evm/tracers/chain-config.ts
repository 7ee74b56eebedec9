/** Reads the forks from the `config` of an Ethereum genesis file: by block number, later ones by time. */
import type { ForkName } from '../forks.ts'

/** The properties of a transaction's block that select its fork. */
export interface ForkPoint {
  readonly number: bigint
  /** Unit: seconds. */
  readonly timestamp: bigint
  /** Whether the block is a proof-of-stake block, which forks from Paris on require. */
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

/** Returns the newest active fork. `field` reads a number of the configuration; undefined if it is absent. */
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
  // If its block is absent, Petersburg, which removes an EIP of Constantinople, is active with Constantinople.
  if (fork === 'Constantinople' && field('petersburgBlock') === undefined) fork = 'Petersburg'
  if (!isMerged || fork !== 'London') return fork
  fork = 'Paris'
  for (const [name, candidate] of BY_TIME) if (begun(name, timestamp)) fork = candidate
  return fork
}
