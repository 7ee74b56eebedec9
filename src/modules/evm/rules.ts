/** Which EVM rules a chain runs under: the fork of its genesis and the EIPs of its parameters (evm.md §3.2). */
import { FORK_NAMES, type ForkName, parseFork, type Rules, rulesOf } from '../../evm/forks.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as state from './state.ts'

const NEWEST_FORK: ForkName = FORK_NAMES.at(-1)!

/** What a genesis without `chain_config` means: the newest fork, or the one of the profile. */
export function defaultFork({ identity }: Pick<ReadContext, 'identity'>): ForkName {
  return identity.behaviours.shanghaiRules ? 'Shanghai' : NEWEST_FORK
}

/** The forks a chain may be configured to, oldest first. */
export const CHAIN_FORKS: readonly ForkName[] = FORK_NAMES.slice(FORK_NAMES.indexOf('Berlin'))

const RULES: ReadonlyMap<ForkName, Rules> = new Map(CHAIN_FORKS.map((fork) => [fork, rulesOf(fork)]))
/** What the reference does otherwise at every fork. */
const REFERENCE_RULES: ReadonlyMap<ForkName, Rules> = new Map(
  CHAIN_FORKS.map((fork) => [fork, { ...rulesOf(fork), freeInitCode: true, earlyP256: true }]),
)

/** EIPs that `extra_eips` may name (evm.md §3.2). */
export const ALLOWED_EXTRA_EIPS: readonly number[] = [
  1153, 1344, 1884, 2200, 2929, 3198, 3529, 3855, 3860, 4762, 5656, 6780,
]

/** By the rules that others are added to, and the list of those: whatever is made for rules is made once. */
const extended = new WeakMap<Rules, Map<string, Rules>>()

/** Rules of a fork and further EIPs; those that the fork has, and those without effect on a chain (4762), change nothing. */
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

/** The fork in force at a state. */
export function chainFork(ctx: ReadContext): ForkName {
  const chosen = state.fork.get(ctx)
  return (chosen && parseFork(chosen)) || defaultFork(ctx)
}

/** The rules in force at a state. */
export function chainRules(ctx: ReadContext): Rules {
  return rules(chainFork(ctx), state.params.get(ctx)?.extraEips ?? [], ctx.identity.behaviours.ownEvmRules)
}
