/** Heavy work by name: what the compute pool can run on a read snapshot. */
import { evmJobs } from '../modules/evm/jobs.ts'
import type { ReadContext } from '../sdk/context.ts'
import { type ProvenKeys, proveKeys, type StoreKey } from './proofs.ts'
import type { Application, CheckResult } from './types.ts'

export interface JobBudget {
  /** True once the job's time is up or nobody waits for it. */
  shouldStop(): boolean
}

type Job = (ctx: ReadContext, payload: never, budget: JobBudget) => unknown

/** Payloads and answers are structured-cloneable. */
export type Jobs = Readonly<Record<string, Job>>

/** The jobs of this build. `simulate` runs a transaction as it would be run next, and keeps nothing. */
export function createJobs(app: Pick<Application, 'simulate'>): Jobs {
  return {
    ...evmJobs,
    prove: (ctx, { keys }: { readonly keys: readonly StoreKey[] }): ProvenKeys => proveKeys(ctx, keys),
    simulate: (ctx, { tx }: { readonly tx: Uint8Array }): CheckResult => app.simulate(ctx, tx),
  }
}
