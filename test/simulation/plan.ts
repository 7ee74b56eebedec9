/** Plans: the steps of a simulated world as data. A seed determines a plan, and a plan determines every byte of its chain. */
import { seededRandom } from '../support/random.ts'

/** One transaction, described by choices that its kind interprets in the world of its block. */
export interface Action {
  readonly kind: string
  /** Index of the signing actor. */
  readonly by: number
  readonly draws: readonly number[]
  /** Number of the damage done to the transaction; 0 leaves it whole. */
  readonly spoil: number
}

export interface BlockStep {
  readonly kind: 'block'
  /** Time since the previous block. */
  readonly seconds: number
  /** Indexes of consensus keys that do not sign. */
  readonly absent: readonly number[]
  /** A double signature by a consensus key, this number of blocks ago. */
  readonly evidence?: { readonly key: number; readonly age: number }
  readonly actions: readonly Action[]
}

/** A block; a restart on the stored state; or an export, from whose import the chain continues. */
export type Step = BlockStep | { readonly kind: 'restart' } | { readonly kind: 'reimport' }

export interface Plan {
  readonly seed: number
  readonly steps: readonly Step[]
}

/** The names of actions with their frequencies. */
export type Weights = readonly { readonly name: string; readonly weight: number }[]

const DRAWS = 14
const SPOILS = 12
const ACTORS = 24
const CONSENSUS_KEYS = 10
const MOST_ACTIONS = 40
/** Size of the blocks of the opening, and the number of rich actors who sign it. */
const FIRST_ACTIONS = 5
const FIRST_ACTORS = 10
const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/** Lengths of jumps with their frequencies in percent. */
const JUMPS: readonly (readonly [percent: number, seconds: number])[] = [
  [70, 5],
  [12, 10 * MINUTE],
  [11, 8 * 60 * MINUTE],
  [5, DAY],
  [2, 6 * DAY],
]

/** Returns the item at a point from 0 to 1 of a list whose items have weights. */
function weighted<Item>(list: readonly Item[], weightOf: (item: Item) => number, point: number): Item {
  let left = point * list.reduce((sum, item) => sum + weightOf(item), 0)
  for (const item of list) {
    left -= weightOf(item)
    if (left < 0) return item
  }
  return list.at(-1)!
}

/** Returns the plan of a seed with a number of transactions. `opening` lists the kinds of its first actions. */
export function planOf(seed: number, transactions: number, weights: Weights, opening: readonly string[]): Plan {
  const random = seededRandom(seed)
  const below = (n: number): number => Math.floor(random() * n)
  const kindOf = (): string => weighted(weights, ({ weight }) => weight, random()).name
  const actionOf = (kind: string, spoil: number): Action => ({
    kind,
    by: below(ACTORS),
    draws: Array.from({ length: DRAWS }, () => below(2 ** 32)),
    spoil,
  })
  const jump = (): number => weighted(JUMPS, ([percent]) => percent, random())[1]

  const first = opening.map((kind, i) => {
    const { draws } = actionOf(kind, 0)
    return { kind, by: i % FIRST_ACTORS, draws: [i, ...draws.slice(1)], spoil: 0 }
  })
  const steps: Step[] = []
  for (let i = 0; i < first.length; i += FIRST_ACTIONS) {
    steps.push({ kind: 'block', seconds: 5, absent: [], actions: first.slice(i, i + FIRST_ACTIONS) })
  }
  let absent: readonly number[] = []
  for (let made = opening.length; made < transactions; ) {
    const actions: Action[] = []
    for (let i = Math.min(below(MOST_ACTIONS + 1), transactions - made); i > 0; i--) {
      actions.push(actionOf(kindOf(), below(100) < 8 ? 1 + below(SPOILS) : 0))
    }
    made += actions.length
    if (below(12) === 0) absent = below(2) === 0 ? [] : [below(CONSENSUS_KEYS)]
    const evidence = below(60) === 0 ? { key: below(CONSENSUS_KEYS), age: below(20) } : undefined
    steps.push({ kind: 'block', seconds: jump(), absent, ...(evidence && { evidence }), actions })
    const special = below(60)
    if (special === 0) steps.push({ kind: 'restart' })
    if (special === 1) steps.push({ kind: 'reimport' })
  }
  return { seed, steps }
}

export function transactionsOf({ steps }: Plan): number {
  return steps.reduce((sum, step) => sum + (step.kind === 'block' ? step.actions.length : 0), 0)
}
