/** The EVM rules of a chain: the fork of its genesis and the EIPs of its parameters (docs/modules/evm.md#rules). */
import { FORK_NAMES, type ForkName, parseFork, type Rules, rulesOf } from '../../evm/forks.ts'
import type { EvmRules } from '../../identity/profiles/profile.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as state from './state.ts'

const NEWEST_FORK: ForkName = FORK_NAMES.at(-1)!

/** Returns the fork of a genesis without `chain_config`: the newest, or the one of the profile. */
export function defaultFork({ identity }: Pick<ReadContext, 'identity'>): ForkName {
  return identity.behaviours.shanghaiRules ? 'Shanghai' : NEWEST_FORK
}

/** Forks that a genesis can select, oldest first. */
export const CHAIN_FORKS: readonly ForkName[] = FORK_NAMES.slice(FORK_NAMES.indexOf('Berlin'))

const RULES: ReadonlyMap<ForkName, Rules> = new Map(CHAIN_FORKS.map((fork) => [fork, rulesOf(fork)]))
/** Rules of the reference, which differ at every fork. */
const REFERENCE_RULES: ReadonlyMap<ForkName, Rules> = new Map(
  CHAIN_FORKS.map((fork) => [fork, { ...rulesOf(fork), freeInitCode: true, earlyP256: true }]),
)

/** EIPs that the parameter `extra_eips` can contain. */
export const ALLOWED_EXTRA_EIPS: readonly number[] = [
  1153, 1344, 1884, 2200, 2929, 3198, 3529, 3855, 3860, 4762, 5656, 6780,
]

/** Extended rules by their base rules and list of EIPs, so that equal rules are one object and tables keyed by it are built once. */
const extended = new WeakMap<Rules, Map<string, Rules>>()

/** Returns the rules of a fork with further EIPs. EIPs that the fork includes, and EIP-4762, change nothing. */
function rules(fork: ForkName, extraEips: readonly bigint[], ofReference: boolean): Rules {
  const base = (ofReference ? REFERENCE_RULES : RULES).get(fork)!
  const extra = extraEips.map(Number).filter((eip) => eip !== 4762 && !base.eips.has(eip))
  if (extra.length === 0) return base
  const known = extended.get(base) ?? new Map<string, Rules>()
  extended.set(base, known)
  const key = extra.sort((a, b) => a - b).join()
  const found = known.get(key) ?? { ...base, ...rulesOf(fork, extra) }
  known.set(key, found)
  return found
}

/** Returns the fork of a state. */
export function chainFork(ctx: ReadContext): ForkName {
  const chosen = state.fork.get(ctx)
  return (chosen && parseFork(chosen)) || defaultFork(ctx)
}

/** Returns rules with those that a genesis sets. */
const withGenesisRules = cachePerObject(({ codeSizeLimit, hasNoTxGasLimit }: EvmRules) =>
  cachePerObject(
    (base: Rules): Rules => ({
      ...base,
      ...(codeSizeLimit !== undefined && { codeSizeLimit }),
      ...(hasNoTxGasLimit && { hasNoTxGasLimit }),
    }),
  ),
)

/** Returns the rules of a state. */
export function chainRules(ctx: ReadContext): Rules {
  const { behaviours, evm } = ctx.identity
  const ofFork = rules(chainFork(ctx), state.params.get(ctx)?.extraEips ?? [], behaviours.ownEvmRules)
  return evm ? withGenesisRules(evm)(ofFork) : ofFork
}
