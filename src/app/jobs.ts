/** Jobs of the compute pool by name. Each runs on one snapshot. */

import {
  type AccountRange,
  type AccountRangeRequest,
  accountRange,
  writtenAccounts,
} from '../modules/evm/account-range.ts'
import { evmJobs } from '../modules/evm/calls/jobs.ts'
import type { LightBudget } from '../modules/evm/calls/light.ts'
import { storageRoot } from '../modules/evm/storage-root.ts'
import type { StorageRange } from '../modules/evm/tracing/storage-range.ts'
import type { TraceResources } from '../modules/evm/tracing/trace-writer.ts'
import { NotExecutable, queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import { withinPending } from './pending.ts'
import { type ProvenKeys, proveKeys, type StoreKey } from './proofs.ts'
import { QUERY_JOB, type QueryPayload, runQuery } from './query-job.ts'
import { readStorage, type StoragePayload } from './storage-job.ts'
import { runTrace, type TracePayload } from './trace-jobs.ts'
import type { Application, BlockInput, CheckResult, PendingOutcome, PendingState } from './types.ts'

/** Budget of a job: a deadline, an output for long answers, and a script engine on threads that can be killed. */
export interface JobBudget extends TraceResources {
  /** Limits the job to light work. Only jobs of `LIGHT_JOBS` support it. */
  readonly light?: LightBudget | undefined
}

type Job = (ctx: ReadContext, payload: never, budget: JobBudget) => unknown

/** A job of module `evm` on the state within a pending block. */
interface WithinPending {
  readonly pending: PendingState
  readonly job: 'ethCall' | 'estimateGas' | 'createAccessList'
  readonly payload: unknown
}

/** Jobs by name. Payloads and answers are structured-cloneable. */
export type Jobs = Readonly<Record<string, Job>>

/** Returns the jobs of this build. */
export function createJobs(app: Pick<Application, 'pendingBlock' | 'queries' | 'simulate' | 'traceBlock'>): Jobs {
  const jobs: Jobs = {
    ...evmJobs,
    pendingBlock: (ctx, { input }: { readonly input: BlockInput }, budget): PendingOutcome =>
      app.pendingBlock(ctx, input, () => budget.shouldStop()),
    withinPending: (ctx, { pending, job, payload }: WithinPending, budget): unknown =>
      evmJobs[job]!(withinPending(ctx, pending), payload as never, budget),
    [QUERY_JOB]: (ctx, payload: QueryPayload, budget): Uint8Array => runQuery(app.queries, ctx, payload, budget),
    prove: (ctx, { keys }: { readonly keys: readonly StoreKey[] }): ProvenKeys => proveKeys(ctx, keys),
    trace: (ctx, payload: TracePayload, budget): void => runTrace(app, ctx, payload, budget),
    storageRange: (ctx, payload: StoragePayload, budget): StorageRange =>
      readStorage(app, ctx, payload, () => budget.shouldStop()),
    storageRoot: (ctx, { address }: { readonly address: Uint8Array }, budget): Uint8Array =>
      storageRoot(ctx, address, () => budget.shouldStop()),
    accountRange: (ctx, payload: AccountRangeRequest, budget): AccountRange =>
      accountRange(ctx, payload, () => budget.shouldStop()),
    writtenAccounts: (ctx, range: { readonly first: bigint; readonly last: bigint }, budget): readonly Uint8Array[] =>
      writtenAccounts(ctx, range, () => budget.shouldStop()),
    simulate: (ctx, { tx }: { readonly tx: Uint8Array }): CheckResult => app.simulate(ctx, tx),
  }
  return Object.fromEntries(Object.entries(jobs).map(([name, job]) => [name, refusing(job)]))
}

/** Returns a job that refuses what only another build can execute, with the reason. */
const refusing =
  (job: Job): Job =>
  (ctx, payload, budget) => {
    try {
      return job(ctx, payload, budget)
    } catch (error) {
      if (error instanceof NotExecutable) throw queryError('unimplemented', error.message)
      throw error
    }
  }
