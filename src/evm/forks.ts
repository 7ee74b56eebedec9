/** The hard forks as sets of EIPs, in order. Every rule in the EVM checks for its EIP, never for a fork. */

export const FORK_NAMES = [
  'Frontier',
  'Homestead',
  'TangerineWhistle',
  'SpuriousDragon',
  'Byzantium',
  'Constantinople',
  'Petersburg',
  'Istanbul',
  'Berlin',
  'London',
  'Paris',
  'Shanghai',
  'Cancun',
  'Prague',
  'Osaka',
] as const

export type ForkName = (typeof FORK_NAMES)[number]

/** The EIPs that each fork adds; a negative number removes an EIP. */
const CHANGES: Readonly<Record<ForkName, readonly number[]>> = {
  Frontier: [],
  Homestead: [2, 7],
  TangerineWhistle: [150],
  SpuriousDragon: [155, 160, 161, 170],
  Byzantium: [140, 196, 197, 198, 211, 214, 658],
  Constantinople: [145, 1014, 1052, 1283],
  Petersburg: [-1283],
  Istanbul: [152, 1108, 1344, 1884, 2028, 2200],
  Berlin: [2565, 2718, 2929, 2930],
  London: [1559, 3198, 3529, 3541],
  Paris: [3675, 4399],
  Shanghai: [3651, 3855, 3860, 4895],
  Cancun: [1153, 4788, 4844, 5656, 6780, 7516],
  Prague: [2537, 2935, 7623, 7691, 7702],
  Osaka: [7823, 7825, 7883, 7918, 7939, 7951],
}

/** Alternative names in test suites and genesis files. */
const ALIASES: Readonly<Record<string, ForkName>> = {
  EIP150: 'TangerineWhistle',
  EIP158: 'SpuriousDragon',
  ConstantinopleFix: 'Petersburg',
  MuirGlacier: 'Istanbul',
  ArrowGlacier: 'London',
  GrayGlacier: 'London',
  Merge: 'Paris',
}

/** EIPs that `extraEips` can activate before their fork. */
const EXTRA_EIPS: readonly number[] = [1153, 1344, 1884, 2200, 2929, 3198, 3529, 3855, 3860, 5656, 6780, 7939]

/** The rules of an execution. */
export interface Rules {
  readonly fork: ForkName
  readonly eips: ReadonlySet<number>
  /** EIP-3860 applies to the opcodes only: the init code of a transaction is neither metered nor limited. */
  readonly freeInitCode?: boolean
  /** The P-256 precompile is active before Osaka: at RIP-7212's address, for less gas, and a refused input consumes all gas. */
  readonly earlyP256?: boolean
  /** Largest code of a contract in place of EIP-170's. Init code can have twice the size (EIP-3860). Unit: bytes. */
  readonly codeSizeLimit?: number
  /** Transactions have no gas limit of their own (without EIP-7825). */
  readonly hasNoTxGasLimit?: boolean
}

/** Largest code of a contract (EIP-170). Unit: bytes. */
const MAX_CODE_SIZE = 24_576

/** Returns the largest code of a contract. Unit: bytes. */
export function maxCodeSize({ codeSizeLimit, eips }: Rules): number {
  return codeSizeLimit ?? (eips.has(170) ? MAX_CODE_SIZE : Number.POSITIVE_INFINITY)
}

/** Returns the largest init code, where EIP-3860 limits it. Unit: bytes. */
export function maxInitCodeSize({ codeSizeLimit }: Rules): number {
  return 2 * (codeSizeLimit ?? MAX_CODE_SIZE)
}

/** Returns the fork of a name or alternative name, in any letter case; undefined for an unknown name. */
export function parseFork(name: string): ForkName | undefined {
  const wanted = name.toLowerCase()
  for (const fork of FORK_NAMES) if (fork.toLowerCase() === wanted) return fork
  for (const [alias, fork] of Object.entries(ALIASES)) if (alias.toLowerCase() === wanted) return fork
  return undefined
}

/** Returns the rules of a fork with extra EIPs. Throws a `RangeError` for an EIP that is not in `EXTRA_EIPS`. */
export function rulesOf(fork: ForkName, extraEips: readonly number[] = []): Rules {
  const eips = new Set<number>()
  for (const name of FORK_NAMES) {
    for (const eip of CHANGES[name]) {
      if (eip < 0) eips.delete(-eip)
      else eips.add(eip)
    }
    if (name === fork) break
  }
  for (const eip of extraEips) {
    if (!EXTRA_EIPS.includes(eip))
      throw new RangeError(`EIP-${eip} cannot be activated: must be one of ${EXTRA_EIPS.join(', ')}`)
    eips.add(eip)
  }
  return { fork, eips }
}
