/** Shrinking of plans by delta debugging: the fewest steps and actions that still break the same invariant. */
import type { Action, BlockStep, Plan, Step } from './plan.ts'

/** Time between blocks that simplified plans use. */
const USUAL_SECONDS = 5

/** Removes parts of a list as long as the rest still fails: halves first, single items last. */
function fewest<Item>(items: readonly Item[], fails: (items: readonly Item[]) => boolean): readonly Item[] {
  let left = items
  for (let size = Math.ceil(left.length / 2); size >= 1; ) {
    let isShorter = false
    for (let at = 0; at < left.length; ) {
      const rest = [...left.slice(0, at), ...left.slice(at + size)]
      if (fails(rest)) {
        left = rest
        isShorter = true
      } else at += size
    }
    if (size > 1) size = Math.floor(size / 2)
    else if (!isShorter) break
  }
  return left
}

interface Placed {
  readonly step: number
  readonly action: Action
}

const placed = (steps: readonly Step[]): Placed[] =>
  steps.flatMap((step, i) => (step.kind === 'block' ? step.actions.map((action) => ({ step: i, action })) : []))

/** Returns the steps with only these actions. */
const withActions = (steps: readonly Step[], left: readonly Placed[]): Step[] =>
  steps.map((step, i) =>
    step.kind === 'block'
      ? { ...step, actions: left.filter((one) => one.step === i).map(({ action }) => action) }
      : step,
  )

/** Returns simpler forms of a block: without what makes it special. */
function simplerBlocks({ evidence, ...step }: BlockStep): BlockStep[] {
  const forms: BlockStep[] = evidence ? [step] : []
  const whole = evidence ? { ...step, evidence } : step
  if (step.absent.length > 0) forms.push({ ...whole, absent: [] })
  if (step.seconds !== USUAL_SECONDS) forms.push({ ...whole, seconds: USUAL_SECONDS })
  return forms
}

/** Returns simpler forms of an action: undamaged, with shorter or smaller choices. */
function simplerActions(action: Action): Action[] {
  const { draws, spoil, by } = action
  const forms: Action[] = spoil > 0 ? [{ ...action, spoil: 0 }] : []
  if (by > 0) forms.push({ ...action, by: 0 })
  for (let length = 0; length < draws.length; length += Math.max(1, draws.length >> 2)) {
    forms.push({ ...action, draws: draws.slice(0, length) })
  }
  for (const [i, draw] of draws.entries()) if (draw > 0) forms.push({ ...action, draws: draws.with(i, 0) })
  return forms
}

/**
 * Returns the smallest plan found that `fails` accepts, as the given one does. `mostRuns` bounds the calls of `fails`; when
 * they are used up, the result is the smallest plan so far.
 */
export function shrink(plan: Plan, fails: (plan: Plan) => boolean, mostRuns: number): Plan {
  let runs = 0
  const { seed } = plan
  const holds = (steps: readonly Step[]): boolean => runs++ < mostRuns && fails({ seed, steps })

  function lessOf(steps: readonly Step[]): readonly Step[] {
    const fewer = fewest(steps, holds)
    const actions = fewest(placed(fewer), (left) => holds(withActions(fewer, left)))
    return withActions(fewer, actions)
  }

  /** Replaces each action by its first simpler form that still fails, and each block until nothing is special about it. */
  function simplified(steps: readonly Step[]): readonly Step[] {
    let left = steps
    const replace = (i: number, step: Step): boolean => {
      const next = left.with(i, step)
      if (!holds(next)) return false
      left = next
      return true
    }
    for (const i of left.keys()) {
      const step = left[i]!
      if (step.kind !== 'block') continue
      for (let isSimpler = true; isSimpler; ) {
        isSimpler = simplerBlocks(left[i] as BlockStep).some((form) => replace(i, form))
      }
      for (const at of step.actions.keys()) {
        const block = left[i] as BlockStep
        const { actions } = block
        simplerActions(actions[at]!).some((form) => replace(i, { ...block, actions: actions.with(at, form) }))
      }
    }
    return left
  }

  let steps: readonly Step[] = plan.steps
  for (let size = -1; size !== weightOf(steps); ) {
    size = weightOf(steps)
    steps = simplified(lessOf(steps))
  }
  return { seed, steps }
}

/** Returns a number that falls with each simplification. */
const weightOf = (steps: readonly Step[]): number =>
  steps.reduce((sum, step) => {
    if (step.kind !== 'block') return sum + 1
    const special = step.absent.length + (step.evidence ? 1 : 0) + (step.seconds === USUAL_SECONDS ? 0 : 1)
    const draws = step.actions.flatMap(({ draws, spoil, by }) => [...draws, spoil, by])
    return sum + 1 + special + step.actions.length * 100 + draws.length + draws.filter((draw) => draw > 0).length
  }, 0)
