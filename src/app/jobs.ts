/** Jobs of the compute pool by name. Each runs on one snapshot. */

import { evmJobs } from '../modules/evm/calls/jobs.ts'
import type { LightBudget } from '../modules/evm/calls/light.ts'
import type { StorageRange } from '../modules/evm/tracing/storage-range.ts'
import type { TraceResources } from '../modules/evm/tracing/trace-writer.ts'
import type { ReadContext } from '../sdk/context.ts'
import { type ProvenKeys, proveKeys, type StoreKey } from './proofs.ts'
import { readStorage, type StoragePayload } from './storage-job.ts'
import { runTrace, type TracePayload } from './trace-jobs.ts'
import type { Application, CheckResult } from './types.ts'

/** Budget of a job: a deadline, an output for long answers, and a script engine on threads that can be killed. */
export interface JobBudget extends TraceResources {
  /** Limits the job to light work. Only jobs of `LIGHT_JOBS` support it. */
  readonly light?: LightBudget | undefined
}

type Job = (ctx: ReadContext, payload: never, budget: JobBudget) => unknown

/** Jobs by name. Payloads and answers are structured-cloneable. */
export type Jobs = Readonly<Record<string, Job>>

/** Returns the jobs of this build. */
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
