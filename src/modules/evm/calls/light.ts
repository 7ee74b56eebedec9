/**
 * Light work: an execution with a small budget on the thread that received the request (ADR 0014). It gives the same result and
 * gas as anywhere else. Once it exceeds the budget it gives up, and the compute pool runs it from the start.
 */
import type { Precompile, Precompiles } from '../../../evm/types.ts'
import { EMPTY, toKey } from '../../../primitives/bytes.ts'
import { cachePerObject } from '../../../primitives/cache.ts'
import { queryError } from '../../../primitives/errors.ts'
import type { Reader } from '../../../store/types.ts'
import type { CallArgs } from './call-args.ts'

/** The error that light work throws when it exceeds its budget. No code catches it before the caller. */
export const TOO_HEAVY = queryError('resourceExhausted', 'more than light work')

/** The budget of one try of light work. */
export interface LightBudget {
  /** Counts one piece of work. True once the budget is used up. */
  shouldStop(): boolean
  /** Whether recent work with this subject was too heavy. If this try fails, the caller records the subject. `subject` is called lazily. */
  wasHeavy(subject: () => string): boolean
}

/** Precompiles above this price, and the chain's own precompiles, are not light. Unit: gas. */
const MAX_PRECOMPILE_GAS = 6_000n
const MAX_DATA_BYTES = 4_096
const MAX_ACCESSES = 64

export function giveUp(): never {
  throw TOO_HEAVY
}

const dataOf = ({ input, data }: CallArgs): Uint8Array => input ?? data ?? EMPTY

/** Throws `TOO_HEAVY` for a call that cannot be light, or whose function was recently too heavy. */
export function checkLight(args: CallArgs, light: LightBudget, hasOverrides = false): void {
  const { to, accessList = [], authorizations = [] } = args
  const data = dataOf(args)
  const isSmall =
    !hasOverrides &&
    to !== undefined &&
    data.length <= MAX_DATA_BYTES &&
    accessList.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0) <= MAX_ACCESSES &&
    authorizations.length === 0
  if (!isSmall || light.wasHeavy(() => toKey(to) + toKey(data.subarray(0, 4)))) giveUp()
}

function lightPrecompile(precompile: Precompile): Precompile {
  if (precompile.kind === 'stateful') return { ...precompile, run: giveUp }
  return {
    ...precompile,
    run: (input: Uint8Array) => (precompile.gas(input) > MAX_PRECOMPILE_GAS ? giveUp() : precompile.run(input)),
  }
}

/** Returns the same precompiles, except that expensive ones give up instead of running. */
export const lightPrecompiles: (precompiles: Precompiles) => Precompiles = cachePerObject(
  (precompiles: Precompiles): Precompiles =>
    new Map([...precompiles].map(([key, precompile]) => [key, lightPrecompile(precompile)])),
)

/** Returns the same state, whose reads count as work. */
export function lightReader(reader: Reader, { shouldStop }: LightBudget): Reader {
  const count = (): void => {
    if (shouldStop()) giveUp()
  }
  return {
    get(store, key) {
      count()
      return reader.get(store, key)
    },
    has(store, key) {
      count()
      return reader.has(store, key)
    },
    *iterate(store, range) {
      for (const entry of reader.iterate(store, range)) {
        count()
        yield entry
      }
    },
  }
}
