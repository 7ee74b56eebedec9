/** The prepared environment of calls: block, rules, precompiles, and views of the state with overrides in force. */
import type { Rules } from '../../../evm/forks.ts'
import type { Tracer } from '../../../evm/trace.ts'
import type { EvmBlockEnv, Precompiles } from '../../../evm/types.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { createContext, createTransient } from '../../../sdk/create-context.ts'
import { createBranch } from '../../../store/branch.ts'
import { type CachedReads, type ChainEvmState, createEvmState } from '../evm-state.ts'
import { precompilesOf } from '../precompiles/impersonated-signatures.ts'
import { chainRules } from '../rules.ts'
import { blockEnv } from './block-env.ts'
import type { AccountOverride, BlockOverrides } from './call-args.ts'
import { type LightBudget, lightPrecompiles, lightReader } from './light.ts'
import { applyOverrides, movePrecompiles } from './overrides.ts'

export interface CallOptions {
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly blockOverrides?: BlockOverrides | undefined
  /** Consensus address that determines COINBASE instead of the block's proposer (D38). */
  readonly proposer?: Uint8Array | undefined
  readonly shouldStop?: (() => boolean) | undefined
  /** Limits the call to light work: anything heavier throws `TOO_HEAVY`. Replaces `shouldStop`; excludes overrides. */
  readonly light?: LightBudget | undefined
  /** Traces every message that runs. */
  readonly tracer?: Tracer | undefined
}

/** The environment of one request's executions. Their writes are dropped. */
export interface CallSetup {
  readonly ctx: ReadContext
  readonly rules: Rules
  readonly block: EvmBlockEnv
  /** The block as a call without a gas price sees it: base fee 0, so that code comparing the two does not fail (as in geth). */
  readonly freeBlock: EvmBlockEnv
  /** Opens a new view of the state; writes to it affect no other view. */
  open(): ChainEvmState
  readonly precompiles: Precompiles
  readonly shouldStop: (() => boolean) | undefined
  readonly isLight: boolean
  /** Traces every message that runs. */
  readonly tracer?: Tracer | undefined
}

type BlockFacts = Pick<CallSetup, 'rules' | 'block' | 'freeBlock'>

/** Values that calls have read from a committed state, for later calls on the same state. */
interface StateCache {
  readonly facts: BlockFacts
  readonly reads: CachedReads
}

/** Caches by revision of the state. */
const caches = new WeakMap<object, StateCache>()

function blockFacts(ctx: ReadContext, overrides?: BlockOverrides, proposer?: Uint8Array): BlockFacts {
  const block = blockEnv(ctx, overrides, proposer)
  return { rules: chainRules(ctx), block, freeBlock: { ...block, baseFee: 0n } }
}

/** Returns the cache of a committed state; undefined for a state that can still change. */
function cacheOf(ctx: ReadContext): StateCache | undefined {
  const { revision } = ctx.store
  if (!revision) return undefined
  let cache = caches.get(revision)
  if (!cache) {
    cache = { facts: blockFacts(ctx), reads: { accounts: new Map(), codes: new Map() } }
    caches.set(revision, cache)
  }
  return cache
}

/** Prepares the calls of one request. */
export function callSetup(ctx: ReadContext, options: CallOptions = {}): CallSetup {
  const { stateOverrides = [], blockOverrides, proposer, light, tracer } = options
  const cache = cacheOf(ctx)
  const isPlain = !blockOverrides && !proposer
  const { rules, block, freeBlock } = cache && isPlain ? cache.facts : blockFacts(ctx, blockOverrides, proposer)
  const precompiles = precompilesOf(ctx, rules)
  const store = light ? lightReader(ctx.store, light) : ctx.store
  return {
    ctx,
    rules,
    block,
    freeBlock,
    precompiles: light ? lightPrecompiles(precompiles) : movePrecompiles(precompiles, stateOverrides),
    shouldStop: light?.shouldStop ?? options.shouldStop,
    isLight: light !== undefined,
    tracer,
    open() {
      const { block, identity, app } = ctx
      const branch = createBranch(store)
      const scratch = createContext({ branch, transient: createTransient(), block: { ...block }, identity, app })
      const state = createEvmState(scratch, cache?.reads)
      applyOverrides(state, stateOverrides)
      return state
    },
  }
}
