/** Heavy work by name, on one read snapshot, in a worker or in this thread: payloads and answers are plain data. */
import type { EvmLog } from '../../evm/state.ts'
import type { Tracer } from '../../evm/trace.ts'
import type { AccessList } from '../../evm/transaction/types.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { createAccessList } from './calls/access-list.ts'
import { callGround, callMessage, runCall } from './calls/call.ts'
import type { AccountOverride, BlockOverrides, CallArgs } from './calls/call-args.ts'
import { type EstimateOutcome, estimateGas } from './calls/estimate.ts'
import { checkLight, type LightBudget } from './calls/light.ts'
import { estimateGasJob, ethCallJob } from './calls/query-calls.ts'
import { simulate } from './calls/simulate.ts'
import { consoleTracer } from './tracing/printing.ts'

interface JobBudget {
  /** True once the job's time is up or nobody waits for it. */
  shouldStop(): boolean
  readonly light?: LightBudget | undefined
}

export interface CallPayload {
  readonly args: CallArgs
  /** Most gas of one execution. */
  readonly gasCap: bigint
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly blockOverrides?: BlockOverrides | undefined
  /** Consensus address that sets COINBASE. */
  readonly proposer?: Uint8Array | undefined
  /** Whether the answer tells what code prints. */
  readonly prints?: boolean
}

export interface CallAnswer {
  readonly output: Uint8Array
  /** Empty on success. */
  readonly vmError: string
  readonly gasUsed: bigint
  readonly logs: readonly EvmLog[]
  readonly printed?: readonly string[]
}

export type EstimateAnswer = EstimateOutcome

export interface AccessListAnswer {
  readonly accessList: AccessList
  readonly gasUsed: bigint
  /** Empty on success. */
  readonly vmError: string
}

function groundOf(ctx: ReadContext, payload: CallPayload, budget: JobBudget, tracer?: Tracer) {
  const { args, stateOverrides, blockOverrides, proposer } = payload
  const { light } = budget
  if (light) checkLight(args, light, (stateOverrides?.length ?? 0) > 0)
  const shouldStop = () => budget.shouldStop()
  return callGround(ctx, { stateOverrides, blockOverrides, proposer, light, shouldStop, tracer })
}

/** Gas of a call: what the arguments ask for, at most the cap. */
function gasOf({ args, gasCap }: CallPayload): bigint {
  return args.gas !== undefined && args.gas < gasCap ? args.gas : gasCap
}

/** One call. Throws as `runCall`. */
function ethCall(ctx: ReadContext, payload: CallPayload, budget: JobBudget): CallAnswer {
  const printed: string[] = []
  const tracer = payload.prints ? consoleTracer((line) => printed.push(line)) : undefined
  const ground = groundOf(ctx, payload, budget, tracer)
  const message = callMessage(payload.args, gasOf(payload), ground.block.baseFee)
  const { output, vmError, gasUsed, logs } = runCall(ground, message)
  return printed.length === 0 ? { output, vmError, gasUsed, logs } : { output, vmError, gasUsed, logs, printed }
}

/** One estimate. Throws as `estimateGas`. */
function estimate(ctx: ReadContext, payload: CallPayload, budget: JobBudget): EstimateAnswer {
  return estimateGas(groundOf(ctx, payload, budget), payload.args, payload.gasCap)
}

/** One access list. Throws as `runCall`. */
function accessList(ctx: ReadContext, payload: CallPayload, budget: JobBudget): AccessListAnswer {
  return createAccessList(groundOf(ctx, payload, budget), payload.args, gasOf(payload))
}

type Job = (ctx: ReadContext, payload: never, budget: JobBudget) => unknown

/** Jobs that may be tried as light work. */
export const LIGHT_JOBS: ReadonlySet<string> = new Set([
  'ethCall',
  'estimateGas',
  '/chain.evm.v1.Query/EthCall',
  '/chain.evm.v1.Query/EstimateGas',
])

/** The jobs of this module, by the names that gateways use. */
export const evmJobs: Readonly<Record<string, Job>> = {
  ethCall,
  estimateGas: estimate,
  createAccessList: accessList,
  simulateV1: simulate,
  // The same by query method, encoded as the query service has them.
  '/chain.evm.v1.Query/EthCall': ethCallJob,
  '/chain.evm.v1.Query/EstimateGas': estimateGasJob,
}
