/** The scheduled plan, applied upgrades, and the consensus versions of modules. */
import { create } from '@bufbuild/protobuf'
import { type Plan, PlanSchema } from '../../gen/sdk/upgrade/v1beta1/upgrade_pb.ts'
import { toTimestamp, ZERO_TIME_NS } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { factsOf, type PlanFacts, validatePlan } from './plan.ts'
import * as state from './state.ts'

export { type PlanFacts, validatePlan } from './plan.ts'

/** The parts of a context that reads need. These reads decide which application a state belongs to. */
type StateContext = Pick<ReadContext, 'store' | 'identity'>

/** Consensus versions by module name. */
export type VersionMap = ReadonlyMap<string, number>

/** Returns the scheduled plan; undefined without one. */
export function plan(ctx: StateContext): PlanFacts | undefined {
  const stored = state.plan.get(ctx)
  return stored && factsOf(stored)
}

/**
 * Schedules a plan and replaces an existing one. Throws sdk 18 for a plan that is invalid, in the past, or already
 * applied under its name. A plan for the current block runs in the next one.
 */
export function schedule(ctx: Context, plan: Plan): void {
  validatePlan(plan)
  if (plan.height < ctx.block.height) throw errors.invalidRequest('upgrade cannot be scheduled in the past')
  if (doneHeight(ctx, plan.name) !== undefined) {
    throw errors.invalidRequest(`upgrade with name ${plan.name} has already been completed`)
  }
  const old = state.plan.get(ctx)
  if (old) deleteClients(ctx, old.height)
  const { name, height, info } = plan
  state.plan.set(ctx, create(PlanSchema, { name, height, info, time: toTimestamp(ZERO_TIME_NS) }))
}

/** Removes the plan, if one is scheduled. */
export function clearPlan(ctx: Context): void {
  const old = state.plan.get(ctx)
  if (old) deleteClients(ctx, old.height)
  state.plan.delete(ctx)
}

function deleteClients(ctx: Context, height: bigint): void {
  state.upgradedClient(height).delete(ctx)
  state.upgradedConsensusState(height).delete(ctx)
}

/** Returns the height of the block that applied an upgrade; undefined for a name that was not applied. */
export function doneHeight(ctx: StateContext, name: string): bigint | undefined {
  if (!ctx.identity.behaviours.doneMarkersByHeight) return state.doneByName.get(ctx, name)
  for (const [height, done] of state.doneByHeight.keys(ctx)) if (done === name) return height
  return undefined
}

/** Returns the upgrade that was applied last; undefined if none was. */
export function lastApplied(ctx: StateContext): { readonly name: string; readonly height: bigint } | undefined {
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

/** Marks the plan as applied in the current block, increments the protocol version, and removes the plan. */
export function markApplied(ctx: Context, { name }: PlanFacts): void {
  const { height } = ctx.block
  state.protocolVersion.set(ctx, protocolVersion(ctx) + 1n)
  clearPlan(ctx)
  if (ctx.identity.behaviours.doneMarkersByHeight) state.doneByHeight.set(ctx, [height, name], state.DONE_MARK)
  else state.doneByName.set(ctx, name, height)
}

/** Returns the number of applied upgrades. */
export function protocolVersion(ctx: StateContext): bigint {
  return state.protocolVersion.get(ctx) ?? 0n
}

/** Returns the consensus version of a module; undefined for a module that the map does not contain. */
export function moduleVersion(ctx: StateContext, module: string): number | undefined {
  const version = state.moduleVersions.get(ctx, module)
  return version === undefined ? undefined : Number(version)
}

/** Returns all consensus versions, sorted by module name. */
export function moduleVersions(ctx: StateContext): VersionMap {
  return new Map([...state.moduleVersions.iterate(ctx)].map(([name, version]) => [name, Number(version)]))
}

/** Replaces the version map. Modules that it does not contain are removed. */
export function setModuleVersions(ctx: Context, versions: VersionMap): void {
  for (const name of [...state.moduleVersions.keys(ctx)]) {
    if (!versions.has(name)) state.moduleVersions.delete(ctx, name)
  }
  for (const [name, version] of [...versions].sort(([a], [b]) => (a < b ? -1 : 1))) {
    state.moduleVersions.set(ctx, name, BigInt(version))
  }
}
