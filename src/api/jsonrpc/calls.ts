/** Calls, estimates and access lists: arguments in, a job of the compute pool, geth's answers out. */

import { decodeRevert } from '../../evm/revert.ts'
import {
  type AccountOverride,
  type BlockOverrides,
  type CallArgs,
  readBlockOverrides,
  readCallArgs,
  readStateOverrides,
} from '../../modules/evm/call-args.ts'
import type { AccessListAnswer, CallAnswer, CallPayload, EstimateAnswer } from '../../modules/evm/jobs.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { stateHeight } from './block-ref.ts'
import { reverted, serverError } from './errors.ts'
import { formatAccess, type JsonObject, quantity } from './format.ts'
import type { RpcCall } from './method.ts'
import type { BlockRef, Param } from './params.ts'

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

function run(call: RpcCall, job: string, args: CallArgs, block: BlockRef, overrides: Overrides): Promise<unknown> {
  const { node, signal } = call
  if (args.blobs) throw serverError('blob transactions are not supported')
  const payload: CallPayload = {
    args,
    gasCap: node.settings.gasCap,
    stateOverrides: overrides.state,
    blockOverrides: overrides.block,
    ...(node.driver.development && { prints: true }),
  }
  return node.compute.run(job, payload, {
    height: stateHeight(node, block),
    signal: signal(),
    timeoutMs: node.settings.evmTimeoutMs,
  })
}

/** The failure of code as an error: code 3 with its bytes for a revert, -32000 for the rest. */
function failure(vmError: string, output: Uint8Array): Error {
  if (vmError !== 'execution reverted') return serverError(vmError)
  const reason = decodeRevert(output)
  return reverted(reason === undefined ? vmError : `${vmError}: ${reason}`, output)
}

/** `eth_call`: the bytes returned. Throws code 3 with the revert data, -32000 for other failures. */
export async function ethCall(
  call: RpcCall,
  args: CallArgs,
  block: BlockRef,
  state?: readonly AccountOverride[],
  blockFields?: BlockOverrides,
): Promise<string> {
  const answer = (await run(call, 'ethCall', args, block, { state, block: blockFields })) as CallAnswer
  for (const line of answer.printed ?? []) call.node.driver.development?.print(line)
  if (answer.vmError !== '') throw failure(answer.vmError, answer.output)
  return formatHex0x(answer.output)
}

/** `eth_estimateGas`. Throws code 3 for a revert, -32000 `gas required exceeds allowance (N)` or the failure. Unit: gas. */
export async function estimateGas(
  call: RpcCall,
  args: CallArgs,
  block: BlockRef,
  state?: readonly AccountOverride[],
  blockFields?: BlockOverrides,
): Promise<bigint> {
  const answer = (await run(call, 'estimateGas', args, block, { state, block: blockFields })) as EstimateAnswer
  if (answer.kind === 'estimate') return answer.gas
  if (answer.kind === 'allowance') throw serverError(`gas required exceeds allowance (${answer.gas})`)
  throw failure(answer.vmError, answer.output)
}

/** `eth_createAccessList`: what the call touches, and the gas it then uses; a failure of the code is told beside it. */
export async function createAccessList(
  call: RpcCall,
  args: CallArgs,
  block: BlockRef,
  state?: readonly AccountOverride[],
): Promise<JsonObject> {
  const answer = (await run(call, 'createAccessList', args, block, { state })) as AccessListAnswer
  return {
    accessList: answer.accessList.map(formatAccess),
    ...(answer.vmError === '' ? {} : { error: answer.vmError }),
    gasUsed: quantity(answer.gasUsed),
  }
}
