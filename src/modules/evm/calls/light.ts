/**
 * Light work: an execution on a small budget, tried where a request arrived. It does exactly what it would do anywhere else, with
 * the same gas; but as soon as it turns out to be more than a moment's work it gives up, and is run from the start elsewhere.
 */
import type { Precompile, Precompiles } from '../../../evm/types.ts'
import { EMPTY, toKey } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import type { Reader } from '../../../store/types.ts'
import type { CallArgs } from './call-args.ts'

/** Thrown through everything by light work that turns out to be none. */
export const TOO_HEAVY = queryError('resourceExhausted', 'more than light work')

/** The budget of light work, as who tries it keeps it. */
export interface LightBudget {
  /** Counts one piece of work; true when there was enough of it. */
  shouldStop(): boolean
  /** Whether work under this name was too heavy a moment ago; later failures of this try are remembered under it. Seldom asked for it. */
  wasHeavy(subject: () => string): boolean
}

/** A precompile dearer than this, or one of the chain's own, is not light. Unit: gas. */
const MOST_PRECOMPILE_GAS = 6_000n
const MOST_DATA_BYTES = 4_096
const MOST_ACCESSES = 64

export function giveUp(): never {
  throw TOO_HEAVY
}

const dataOf = ({ input, data }: CallArgs): Uint8Array => input ?? data ?? EMPTY

/** Throws `TOO_HEAVY` for a call that cannot be light, or was not when the same function of the same account was called last. */
export function checkLight(args: CallArgs, light: LightBudget, hasOverrides = false): void {
  const { to, accessList = [], authorizations = [] } = args
  const data = dataOf(args)
  const isSmall =
    !hasOverrides &&
    to !== undefined &&
    data.length <= MOST_DATA_BYTES &&
    accessList.reduce((sum, { storageKeys }) => sum + 1 + storageKeys.length, 0) <= MOST_ACCESSES &&
    authorizations.length === 0
  if (!isSmall || light.wasHeavy(() => toKey(to) + toKey(data.subarray(0, 4)))) giveUp()
}

function lightPrecompile(precompile: Precompile): Precompile {
  if (precompile.kind === 'stateful') return { ...precompile, run: giveUp }
  return {
    ...precompile,
    run: (input: Uint8Array) => (precompile.gas(input) > MOST_PRECOMPILE_GAS ? giveUp() : precompile.run(input)),
  }
}

const made = new WeakMap<Precompiles, Precompiles>()

/** The same precompiles, of which the dear ones give up instead of running. */
export function lightPrecompiles(precompiles: Precompiles): Precompiles {
  let light = made.get(precompiles)
  if (!light) {
    light = new Map([...precompiles].map(([key, precompile]) => [key, lightPrecompile(precompile)]))
    made.set(precompiles, light)
  }
  return light
}

/** The same state, of which each read counts as work. */
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
