/** Heavy work by name: what the compute pool can run on a read snapshot. */

import type { LightBudget } from '../modules/evm/calls/light.ts'
import { evmJobs } from '../modules/evm/jobs.ts'
import type { StorageRange } from '../modules/evm/tracing/storage-range.ts'
import type { TraceMeans } from '../modules/evm/tracing/tracing.ts'
import type { ReadContext } from '../sdk/context.ts'
import { type ProvenKeys, proveKeys, type StoreKey } from './proofs.ts'
import { readStorage, type StoragePayload } from './storage-job.ts'
import { runTrace, type TracePayload } from './trace-jobs.ts'
import type { Application, CheckResult } from './types.ts'

/** What a job may use: time, room for a long answer in parts, and, where its end can be forced, scripts. */
export interface JobBudget extends TraceMeans {
  /** Present where only light work is wanted, which jobs of `LIGHT_JOBS` alone understand. */
  readonly light?: LightBudget | undefined
}

type Job = (ctx: ReadContext, payload: never, budget: JobBudget) => unknown

/** Payloads and answers are structured-cloneable. */
export type Jobs = Readonly<Record<string, Job>>

/** The jobs of this build. `simulate` runs a transaction as it would be run next, and keeps nothing. */
export function createJobs(app: Pick<Application, 'simulate' | 'traceBlock'>): Jobs {
  return {
    ...evmJobs,
    prove: (ctx, { keys }: { readonly keys: readonly StoreKey[] }): ProvenKeys => proveKeys(ctx, keys),
    trace: (ctx, payload: TracePayload, budget): void => runTrace(app, ctx, payload, budget),
    storageRange: (ctx, payload: StoragePayload, budget): StorageRange =>
      readStorage(app, ctx, payload, () => budget.shouldStop()),
    simulate: (ctx, { tx }: { readonly tx: Uint8Array }): CheckResult => app.simulate(ctx, tx),
  }
}
