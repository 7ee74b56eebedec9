/** `EthCall` and `EstimateGas` of the query service, in a handler or as jobs (docs/modules/evm.md#calls). */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { decodeRevert } from '../../../evm/revert.ts'
import { RevertSchema } from '../../../gen/chain/errors/v1/errors_pb.ts'
import {
  type EstimateGasResponseSchema,
  EstimateGasResponseSchema as EstimateSchema,
  type EthCallRequest,
  EthCallRequestSchema,
} from '../../../gen/chain/evm/v1/query_pb.ts'
import { MsgEthereumTxResponseSchema } from '../../../gen/chain/evm/v1/tx_pb.ts'
import { formatEip55 } from '../../../primitives/address.ts'
import { formatHex, formatHex0x, formatUtf8, ZERO_WORD_HEX } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { parseRequestJson } from '../../../primitives/request-json.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { parseField, wrongField } from '../../../sdk/request.ts'
import { callMessage, DEFAULT_GAS_CAP, runCall } from './call.ts'
import { type CallArgs, readCallArgs } from './call-args.ts'
import { callSetup } from './call-setup.ts'
import { type EstimateOutcome, estimateGas } from './estimate.ts'
import { checkLight, type LightBudget } from './light.ts'

const MIN_GAS_CAP = 21_000n

/** Limits of the node, which a request cannot raise. */
export interface CallLimits {
  readonly gasCap: bigint
  readonly shouldStop?: (() => boolean) | undefined
  readonly light?: LightBudget | undefined
}

const DEFAULT_LIMITS: CallLimits = { gasCap: DEFAULT_GAS_CAP }

function readArgs(bytes: Uint8Array): CallArgs {
  if (bytes.length === 0) throw wrongField('args', 'args: unexpected end of JSON input')
  let parsed: unknown
  try {
    parsed = parseRequestJson(formatUtf8(bytes))
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    throw wrongField('args', 'args: invalid JSON')
  }
  const args = parseField('args', () => readCallArgs(parsed))
  if (args.blobs) throw queryError('invalidArgument', 'blob transactions are not supported')
  return args
}

/** Returns the gas cap of the request, at most the configured cap. */
function capOf({ gasCap }: EthCallRequest, limits: CallLimits): bigint {
  return gasCap === 0n || gasCap > limits.gasCap ? limits.gasCap : gasCap
}

function setupOf(ctx: ReadContext, request: EthCallRequest, args: CallArgs, { shouldStop, light }: CallLimits) {
  const { proposerAddress, chainId } = request
  if (chainId !== 0n && chainId !== ctx.block.evmChainId) {
    throw wrongField('chain_id', `chain_id ${chainId} is not this chain's, ${ctx.block.evmChainId}`)
  }
  if (proposerAddress.length !== 0 && proposerAddress.length !== 20) {
    throw wrongField('proposer_address', `proposer_address has ${proposerAddress.length} bytes, not 20`)
  }
  if (light) checkLight(args, light)
  return callSetup(ctx, { proposer: proposerAddress.length === 20 ? proposerAddress : undefined, shouldStop, light })
}

/** Runs a call; a failure of the code is part of the answer. Throws 3 for invalid arguments. */
export function answerEthCall(
  ctx: ReadContext,
  request: EthCallRequest,
  limits: CallLimits = DEFAULT_LIMITS,
): MessageInitShape<typeof MsgEthereumTxResponseSchema> {
  const args = readArgs(request.args)
  const cap = capOf(request, limits)
  const setup = setupOf(ctx, request, args, limits)
  const gasLimit = args.gas !== undefined && args.gas < cap ? args.gas : cap
  const { output, vmError, gasUsed, logs } = runCall(setup, callMessage(setup, args, gasLimit))
  return {
    hash: ZERO_WORD_HEX,
    logs: logs.map(({ address, topics, data }, i) => ({
      address: formatEip55(address),
      topics: topics.map(formatHex0x),
      data,
      blockNumber: ctx.block.height,
      txHash: ZERO_WORD_HEX,
      blockHash: ZERO_WORD_HEX,
      index: BigInt(i),
    })),
    ret: output,
    vmError,
    gasUsed,
  }
}

/** Returns the error of a failed estimate, in the reference's words; a revert has `Revert` in its details (D14, D23). */
function estimateFailure(outcome: Exclude<EstimateOutcome, { kind: 'estimate' }>): Error {
  if (outcome.kind === 'allowance') {
    return queryError('invalidArgument', `gas required exceeds allowance (${outcome.gas})`)
  }
  const { vmError, output } = outcome
  const prefix = `estimate gas VMError: ${vmError}`
  if (vmError !== 'execution reverted') return queryError('invalidArgument', prefix)
  const reason = decodeRevert(output)
  const details = [create(RevertSchema, { reason: reason ?? '', data: output })]
  if (output.length === 0) return queryError('invalidArgument', prefix, details)
  const text =
    reason === undefined
      ? `${prefix} with undecodable reason (raw hex: ${formatHex(output)})`
      : `${prefix} with reason "${reason}"`
  return queryError('invalidArgument', text, details)
}

/** Estimates the gas of a call. Throws 3 for invalid arguments, a failure of the code, or an allowance that is too low. */
export function answerEstimateGas(
  ctx: ReadContext,
  request: EthCallRequest,
  limits: CallLimits = DEFAULT_LIMITS,
): MessageInitShape<typeof EstimateGasResponseSchema> {
  const cap = capOf(request, limits)
  if (cap < MIN_GAS_CAP) throw wrongField('gas_cap', `gas cap cannot be lower than ${MIN_GAS_CAP}`)
  const args = readArgs(request.args)
  const outcome = estimateGas(setupOf(ctx, request, args, limits), args, cap)
  if (outcome.kind !== 'estimate') throw estimateFailure(outcome)
  return { gas: outcome.gas }
}

/** A request to a worker. */
export interface QueryPayload {
  /** Encoded request. */
  readonly request: Uint8Array
  /** The node's cap; 25,000,000 if absent. */
  readonly gasCap?: bigint | undefined
}

interface Budget {
  shouldStop(): boolean
  readonly light?: LightBudget | undefined
}

const limitsOf = ({ gasCap }: QueryPayload, budget: Budget): CallLimits => ({
  gasCap: gasCap ?? DEFAULT_GAS_CAP,
  shouldStop: () => budget.shouldStop(),
  light: budget.light,
})

/** Runs `EthCall` as a job: encoded request in, encoded response out. */
export function ethCallJob(ctx: ReadContext, payload: QueryPayload, budget: Budget): Uint8Array {
  const request = fromBinary(EthCallRequestSchema, payload.request)
  const response = answerEthCall(ctx, request, limitsOf(payload, budget))
  return toBinary(MsgEthereumTxResponseSchema, create(MsgEthereumTxResponseSchema, response))
}

/** Runs `EstimateGas` as a job: encoded request in, encoded response out. */
export function estimateGasJob(ctx: ReadContext, payload: QueryPayload, budget: Budget): Uint8Array {
  const request = fromBinary(EthCallRequestSchema, payload.request)
  const response = answerEstimateGas(ctx, request, limitsOf(payload, budget))
  return toBinary(EstimateSchema, create(EstimateSchema, response))
}
