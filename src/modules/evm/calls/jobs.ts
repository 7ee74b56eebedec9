/** Calls as jobs: they run on one snapshot, in a worker or in this thread; payloads and answers are plain data. */
import type { EvmLog } from '../../../evm/state.ts'
import type { Tracer } from '../../../evm/trace.ts'
import type { AccessList } from '../../../evm/transaction/types.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { consoleTracer } from '../tracing/console-log.ts'
import { createAccessList } from './access-list.ts'
import { callMessage, requireValue, runCall } from './call.ts'
import type { AccountOverride, BlockOverrides, CallArgs } from './call-args.ts'
import { callSetup } from './call-setup.ts'
import { type EstimateOutcome, estimateGas } from './estimate.ts'
import { checkLight, type LightBudget } from './light.ts'
import { estimateGasJob, ethCallJob } from './query-calls.ts'
import { simulate } from './simulate.ts'

interface JobBudget {
  /** True once the job's deadline has passed or its client has gone. */
  shouldStop(): boolean
  readonly light?: LightBudget | undefined
}

export interface CallPayload {
  readonly args: CallArgs
  /** Gas cap of one execution. */
  readonly gasCap: bigint
  readonly stateOverrides?: readonly AccountOverride[] | undefined
  readonly blockOverrides?: BlockOverrides | undefined
  /** Consensus address that determines COINBASE. */
  readonly proposer?: Uint8Array | undefined
  /** Whether the answer includes the lines that code prints. */
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

function setupOf(ctx: ReadContext, payload: CallPayload, budget: JobBudget, tracer?: Tracer) {
  const { args, stateOverrides, blockOverrides, proposer } = payload
  const { light } = budget
  if (light) checkLight(args, light, (stateOverrides?.length ?? 0) > 0)
  const shouldStop = () => budget.shouldStop()
  return callSetup(ctx, { stateOverrides, blockOverrides, proposer, light, shouldStop, tracer })
}

/** Returns the gas of a call: the gas of the arguments, at most the cap. */
function gasOf({ args, gasCap }: CallPayload): bigint {
  return args.gas !== undefined && args.gas < gasCap ? args.gas : gasCap
}

/** Runs one call. Throws the errors of `requireValue` and `runCall`. */
function ethCall(ctx: ReadContext, payload: CallPayload, budget: JobBudget): CallAnswer {
  const printed: string[] = []
  const tracer = payload.prints ? consoleTracer((line) => printed.push(line)) : undefined
  const setup = setupOf(ctx, payload, budget, tracer)
  const message = callMessage(setup, payload.args, gasOf(payload))
  const { output, vmError, gasUsed, logs } = runCall(setup, message)
  if (vmError !== '') requireValue(setup, payload.args)
  return printed.length === 0 ? { output, vmError, gasUsed, logs } : { output, vmError, gasUsed, logs, printed }
}

/** Runs one estimate. Throws the errors of `requireValue` and `estimateGas`. */
function estimate(ctx: ReadContext, payload: CallPayload, budget: JobBudget): EstimateOutcome {
  const setup = setupOf(ctx, payload, budget)
  const outcome = estimateGas(setup, payload.args, payload.gasCap)
  if (outcome.kind === 'failure') requireValue(setup, payload.args)
  return outcome
}

/** Finds one access list. Throws the errors of `requireValue` and `runCall`. */
function accessList(ctx: ReadContext, payload: CallPayload, budget: JobBudget): AccessListAnswer {
  const setup = setupOf(ctx, payload, budget)
  const found = createAccessList(setup, payload.args, gasOf(payload))
  if (found.vmError !== '') requireValue(setup, payload.args)
  return found
}

type Job = (ctx: ReadContext, payload: never, budget: JobBudget) => unknown

/** Jobs that can run as light work (ADR 0014). */
export const LIGHT_JOBS: ReadonlySet<string> = new Set([
  'ethCall',
  'estimateGas',
  'withinPending',
  '/chain.evm.v1.Query/EthCall',
  '/chain.evm.v1.Query/EstimateGas',
])

/** Jobs of this module by name. */
export const evmJobs: Readonly<Record<string, Job>> = {
  ethCall,
  estimateGas: estimate,
  createAccessList: accessList,
  simulateV1: simulate,
  // Query methods: encoded requests and responses.
  '/chain.evm.v1.Query/EthCall': ethCallJob,
  '/chain.evm.v1.Query/EstimateGas': estimateGasJob,
}
