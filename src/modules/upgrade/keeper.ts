/** The scheduled plan, what has been applied, and the consensus versions of modules. */
import { create } from '@bufbuild/protobuf'
import { type Plan, PlanSchema } from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { toTimestamp, ZERO_TIME_NS } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { factsOf, type PlanFacts, validatePlan } from './plan.ts'
import * as state from './state.ts'

export { type PlanFacts, validatePlan } from './plan.ts'

/** Reading needs a state alone: what is read here decides which application the state is of. */
type StateAtHand = Pick<ReadContext, 'store' | 'identity'>

/** Consensus versions by module name. */
export type VersionMap = ReadonlyMap<string, number>

/** The scheduled plan. */
export function plan(ctx: StateAtHand): PlanFacts | undefined {
  const stored = state.plan.get(ctx)
  return stored && factsOf(stored)
}

/**
 * Stores a plan in place of the one there is. Throws sdk 18 for one that is wrong, past, or of a name that is done. A plan
 * for the current block is run by the next.
 */
export function schedule(ctx: Context, plan: Plan): void {
  validatePlan(plan)
  if (plan.height < ctx.block.height) throw errors.invalidRequest('upgrade cannot be scheduled in the past')
  if (doneHeight(ctx, plan.name) !== undefined) {
    throw errors.invalidRequest(`upgrade with name ${plan.name} has already been completed`)
  }
  const old = state.plan.get(ctx)
  if (old) forgetClients(ctx, old.height)
  const { name, height, info } = plan
  state.plan.set(ctx, create(PlanSchema, { name, height, info, time: toTimestamp(ZERO_TIME_NS) }))
}

/** Removes the plan, if there is one. */
export function clearPlan(ctx: Context): void {
  const old = state.plan.get(ctx)
  if (old) forgetClients(ctx, old.height)
  state.plan.delete(ctx)
}

function forgetClients(ctx: Context, height: bigint): void {
  state.upgradedClient(height).delete(ctx)
  state.upgradedConsensusState(height).delete(ctx)
}

/** Height of the block that applied an upgrade; undefined if none has. */
export function doneHeight(ctx: StateAtHand, name: string): bigint | undefined {
  if (!ctx.identity.behaviours.doneMarkersByHeight) return state.doneByName.get(ctx, name)
  for (const [height, done] of state.doneByHeight.keys(ctx)) if (done === name) return height
  return undefined
}

/** The upgrade that was applied last. */
export function lastApplied(ctx: StateAtHand): { readonly name: string; readonly height: bigint } | undefined {
  if (ctx.identity.behaviours.doneMarkersByHeight) {
    for (const [height, name] of state.doneByHeight.keys(ctx, { reverse: true })) return { name, height }
    return undefined
  }
  let last: { readonly name: string; readonly height: bigint } | undefined
  for (const [name, height] of state.doneByName.iterate(ctx)) {
    if (!last || height > last.height) last = { name, height }
  }
  return last
}

/** Marks the plan as applied by the current block, counts it, and removes it (upgrade.md §4.2, S3). */
export function finish(ctx: Context, { name }: PlanFacts): void {
  const { height } = ctx.block
  state.protocolVersion.set(ctx, protocolVersion(ctx) + 1n)
  clearPlan(ctx)
  if (ctx.identity.behaviours.doneMarkersByHeight) state.doneByHeight.set(ctx, [height, name], state.DONE_MARK)
  else state.doneByName.set(ctx, name, height)
}

/** How many upgrades have been applied. */
export function protocolVersion(ctx: StateAtHand): bigint {
  return state.protocolVersion.get(ctx) ?? 0n
}

export function moduleVersion(ctx: StateAtHand, module: string): number | undefined {
  const version = state.moduleVersions.get(ctx, module)
  return version === undefined ? undefined : Number(version)
}

/** Sorted by module name. */
export function moduleVersions(ctx: StateAtHand): VersionMap {
  return new Map([...state.moduleVersions.iterate(ctx)].map(([name, version]) => [name, Number(version)]))
}

/** Replaces the map: what it does not name is forgotten. */
export function setModuleVersions(ctx: Context, versions: VersionMap): void {
  for (const name of [...state.moduleVersions.keys(ctx)]) {
    if (!versions.has(name)) state.moduleVersions.delete(ctx, name)
  }
  for (const [name, version] of [...versions].sort(([a], [b]) => (a < b ? -1 : 1))) {
    state.moduleVersions.set(ctx, name, BigInt(version))
  }
}
