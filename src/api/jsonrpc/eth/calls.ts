/** Calls, estimates and access lists, run as compute jobs, with the answers of geth. */
import { decodeRevert } from '../../../evm/revert.ts'
import {
  type AccountOverride,
  type BlockOverrides,
  type CallArgs,
  readBlockOverrides,
  readCallArgs,
  readStateOverrides,
} from '../../../modules/evm/calls/call-args.ts'
import {
  type AccessListAnswer,
  type CallAnswer,
  type CallPayload,
  type EstimateAnswer,
  LIGHT_JOBS,
} from '../../../modules/evm/calls/jobs.ts'
import type { GatewayNode } from '../../gateway.ts'
import { pendingBlock } from '../../pending-block.ts'
import { reverted, serverError } from '../errors.ts'
import { formatAccess, type JsonObject, quantity } from '../format.ts'
import { hexResult } from '../long-hex.ts'
import type { RpcCall } from '../method.ts'
import { type BlockRef, isPending, type Param } from '../params.ts'
import { stateHeight } from './block-ref.ts'

export const callArgs: Param<CallArgs> = { required: true, read: readCallArgs }
export const stateOverrides: Param<readonly AccountOverride[] | undefined> = {
  required: false,
  read: (value) => (value === undefined ? undefined : readStateOverrides(value)),
}
export const blockOverrides: Param<BlockOverrides | undefined> = {
  required: false,
  read: (value) => (value === undefined ? undefined : readBlockOverrides(value)),
}

interface Overrides {
  readonly state?: readonly AccountOverride[] | undefined
  readonly block?: BlockOverrides | undefined
}

/** Throws geth's error for arguments that name another chain. */
export function requireChainId({ evmChainId }: GatewayNode, { chainId }: CallArgs): void {
  if (chainId === undefined || chainId === evmChainId) return
  throw serverError(`chainId does not match node's (have=${chainId}, want=${evmChainId})`)
}

/** Runs a job and converts its answer: synchronously if it is light, else as a promise. */
function run<Answer, Result>(
  { node, signal }: RpcCall,
  job: string,
  { args, block, overrides }: { readonly args: CallArgs; readonly block: BlockRef; readonly overrides: Overrides },
  resultOf: (answer: Answer) => Result,
): Result | Promise<Result> {
  if (args.blobs) throw serverError('blob transactions are not supported')
  requireChainId(node, args)
  const { gasCap, evmTimeoutMs: timeoutMs } = node.settings
  const payload: CallPayload = {
    args,
    gasCap,
    stateOverrides: overrides.state,
    blockOverrides: overrides.block,
    prints: node.print !== undefined,
  }
  if (isPending(block)) return runAtPending(node, job, payload, signal()).then(resultOf as (answer: unknown) => Result)
  const height = stateHeight(node, block)
  const light = node.compute.attempt?.(job, payload, height)
  if (light) return resultOf(light.result as Answer)
  const answer = node.compute.run(job, payload, { height, signal: signal(), timeoutMs }) as Promise<Answer>
  return answer.then(resultOf)
}

/** Runs a job on the state within the pending block; on the latest state if the chain makes no further block. */
async function runAtPending(
  node: GatewayNode,
  job: string,
  payload: CallPayload,
  signal: AbortSignal,
): Promise<unknown> {
  const pending = await pendingBlock(node)
  const { evmTimeoutMs: timeoutMs } = node.settings
  if (!pending) return node.compute.run(job, payload, { signal, timeoutMs })
  const { facts, changes } = pending.outcome
  const within = { pending: { facts, changes }, job, payload }
  const light = LIGHT_JOBS.has(job) ? node.compute.attempt?.('withinPending', within, pending.parent) : undefined
  if (light) return light.result
  return node.compute.run('withinPending', within, { height: pending.parent, signal, timeoutMs })
}

/** Returns the error of a failed execution: code 3 with the revert bytes, -32000 for any other failure. */
function failure(vmError: string, output: Uint8Array): Error {
  if (vmError !== 'execution reverted') return serverError(vmError)
  const reason = decodeRevert(output)
  return reverted(reason === undefined ? vmError : `${vmError}: ${reason}`, output)
}

/** `eth_call`: returns the output. Throws code 3 with the revert data, -32000 for other failures. */
export function ethCall(
  call: RpcCall,
  args: CallArgs,
  block: BlockRef,
  state?: readonly AccountOverride[],
  blockFields?: BlockOverrides,
): unknown {
  const overrides = { state, block: blockFields }
  return run(call, 'ethCall', { args, block, overrides }, ({ output, vmError, printed }: CallAnswer) => {
    if (printed) for (const line of printed) call.node.print?.(line)
    if (vmError !== '') throw failure(vmError, output)
    return hexResult(output)
  })
}

/** `eth_estimateGas`. Throws code 3 for a revert, -32000 `gas required exceeds allowance (N)` or the failure. Unit: gas. */
export function estimateGas(
  call: RpcCall,
  args: CallArgs,
  block: BlockRef,
  state?: readonly AccountOverride[],
  blockFields?: BlockOverrides,
): bigint | Promise<bigint> {
  const overrides = { state, block: blockFields }
  return run(call, 'estimateGas', { args, block, overrides }, (answer: EstimateAnswer) => {
    if (answer.kind === 'estimate') return answer.gas
    if (answer.kind === 'allowance') throw serverError(`gas required exceeds allowance (${answer.gas})`)
    throw failure(answer.vmError, answer.output)
  })
}

/** `eth_createAccessList`: returns the accessed slots and the gas used with them. A failed execution is a field beside them. */
export function createAccessList(
  call: RpcCall,
  args: CallArgs,
  block: BlockRef,
  state?: readonly AccountOverride[],
): JsonObject | Promise<JsonObject> {
  return run(call, 'createAccessList', { args, block, overrides: { state } }, (answer: AccessListAnswer) => ({
    accessList: answer.accessList.map(formatAccess),
    ...(answer.vmError === '' ? {} : { error: answer.vmError }),
    gasUsed: quantity(answer.gasUsed),
  }))
}
