/** `trace_`: calls, state differences and opcodes in the forms of OpenEthereum, as Erigon, Reth and anvil answer them. */

import type { ReplayView } from '../../../evm/tracers/views/replay.ts'
import { decodeTransaction } from '../../../evm/transaction/decode.ts'
import { refuse } from '../../../evm/transaction/errors.ts'
import type { AccountOverride, BlockOverrides, CallArgs } from '../../../modules/evm/calls/call-args.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'
import { findStoredEvmTx } from '../../stored-evm-tx.ts'
import { unknownBlockOrder } from '../../trace-request.ts'
import { serverError } from '../errors.ts'
import { blockOf, stateHeight } from '../eth/block-ref.ts'
import { blockOverrides, callArgs, stateOverrides } from '../eth/calls.ts'
import { anyMethod, type Methods, type RpcCall } from '../method.ts'
import { type BlockRef, block, blockOrLatest, bytes, hash } from '../params.ts'
import type { Streamed } from '../streamed.ts'
import { streamMined, streamView, viewOrder, viewSettings, viewValues } from '../views.ts'
import { filterTraces } from './filter.ts'
import { callsWithParts, parts, traceFilter, tracePath } from './params.ts'

/** Size of the answer of `trace_get`. Beyond: an error. */
const MAX_TRACE_BYTES = 16 << 20

function requireNoBlobs({ blobs }: CallArgs): void {
  if (blobs) throw serverError('blob transactions are not supported')
}

/** `trace_block`: the calls of all transactions of a block; null for an unknown block. Block 0 has no calls. */
function traceBlock(call: RpcCall, ref: BlockRef): unknown {
  const found = blockOf(call.node, ref)
  if (!found) return null
  return found.evmTxs.length === 0 ? [] : streamMined(call, found, undefined, { kind: 'flat' }, true)
}

/** `trace_transaction`: the calls of a transaction; null for an unknown one. */
function traceTransaction(call: RpcCall, wanted: Uint8Array): Streamed | null {
  const mined = findStoredEvmTx(call.node, wanted)
  return mined ? streamMined(call, mined.block, mined.tx.evmIndex, { kind: 'flat' }, true) : null
}

/** `trace_get`: the call at a path of a transaction; null if there is no such call. */
async function traceGet(call: RpcCall, wanted: Uint8Array, path: readonly number[]): Promise<unknown> {
  const mined = findStoredEvmTx(call.node, wanted)
  if (!mined) return null
  const limits = { timeoutMs: call.node.settings.evmTimeoutMs, mostBytes: MAX_TRACE_BYTES }
  const [value] = await viewValues(call, mined.block, mined.tx.evmIndex, { kind: 'flat', path }, limits)
  return value === undefined ? null : JSON.parse(value)
}

function replayTransaction(call: RpcCall, wanted: Uint8Array, view: ReplayView): Streamed {
  const mined = findStoredEvmTx(call.node, wanted)
  if (!mined) throw serverError(`transaction ${formatHex0x(wanted)} not found`)
  return streamMined(call, mined.block, mined.tx.evmIndex, view, false)
}

function replayBlock(call: RpcCall, ref: BlockRef, view: ReplayView): unknown {
  const found = blockOf(call.node, ref)
  if (!found) return null
  return found.evmTxs.length === 0 ? [] : streamMined(call, found, undefined, { ...view, withHash: true }, true)
}

function traceCall(
  call: RpcCall,
  args: CallArgs,
  view: ReplayView,
  ref: BlockRef,
  state?: readonly AccountOverride[],
  fields?: BlockOverrides,
): Streamed {
  requireNoBlobs(args)
  const { node } = call
  const payload = { args, gasCap: node.settings.gasCap, stateOverrides: state, blockOverrides: fields }
  return streamView(call, viewOrder(node, { kind: 'call', call: payload }, stateHeight(node, ref), view), false)
}

function traceCallMany(
  call: RpcCall,
  calls: readonly { readonly args: CallArgs; readonly view: ReplayView }[],
  ref: BlockRef,
): Streamed {
  const { node } = call
  for (const { args } of calls) requireNoBlobs(args)
  const subject = { kind: 'calls', calls: { calls, gasCap: node.settings.gasCap } } as const
  return streamView(call, viewOrder(node, subject, stateHeight(node, ref)), true)
}

/** Overrides that change nothing. */
const AS_STATE: BlockOverrides = {
  number: undefined,
  time: undefined,
  gasLimit: undefined,
  feeRecipient: undefined,
  prevRandao: undefined,
  baseFeeWei: undefined,
  blobBaseFeeWei: undefined,
}

/** `trace_rawTransaction`: runs a signed transaction on a state, without sending it. */
async function traceRaw(call: RpcCall, raw: Uint8Array, view: ReplayView, ref: BlockRef): Promise<Streamed> {
  if (raw[0] === 3) throw refuse('typeNotSupported', 'this chain has no blob transactions')
  const { node } = call
  const described = { ...AS_STATE, txs: [decodeTransaction(raw)] }
  const order = await unknownBlockOrder(node, described, stateHeight(node, ref), viewSettings(node, view), false)
  return streamView(call, order, false)
}

export const parityMethods: Methods = {
  trace_block: anyMethod([block], traceBlock),
  trace_transaction: anyMethod([hash], traceTransaction),
  trace_get: anyMethod([hash, tracePath], traceGet),
  trace_filter: anyMethod([traceFilter], filterTraces),
  trace_call: anyMethod([callArgs, parts, blockOrLatest, stateOverrides, blockOverrides], traceCall),
  trace_callMany: anyMethod([callsWithParts, blockOrLatest], traceCallMany),
  trace_rawTransaction: anyMethod([bytes, parts, blockOrLatest], traceRaw),
  trace_replayTransaction: anyMethod([hash, parts], replayTransaction),
  trace_replayBlockTransactions: anyMethod([block, parts], replayBlock),
}
