/** `debug_trace*`: geth's methods over the traces of the compute pool (evm.md §2.11, §4). */
import type { StoredBlock } from '../../app/records.ts'
import type { TracePayload } from '../../app/trace-jobs.ts'
import { type CallArgs, readBlockOverrides, readStateOverrides } from '../../modules/evm/call-args.ts'
import { readObject } from '../../modules/evm/hex-json.ts'
import type { CallPayload } from '../../modules/evm/jobs.ts'
import { formatHex0x } from '../../primitives/bytes.ts'
import { readTraceOptions } from '../trace-config.ts'
import { findMined, minedOrder, type TraceOrder } from '../trace-request.ts'
import { runTrace } from '../traces.ts'
import { blockOf, stateHeight } from './block-ref.ts'
import { callArgs } from './calls.ts'
import { invalidParams, serverError } from './errors.ts'
import { type Methods, method, type RpcCall } from './method.ts'
import { type BlockRef, blockNumber, blockOrLatest, hash, json, optional } from './params.ts'
import { type Streamed, streamed } from './streamed.ts'

const config = optional(json, undefined)

const run = ({ node, signal }: RpcCall, order: TraceOrder): Streamed =>
  streamed((onPart) => runTrace(node, order, { signal: signal(), onPart }))

function traceTransaction(call: RpcCall, wanted: Uint8Array, options: unknown): Streamed {
  const { node } = call
  const settings = readTraceOptions(node, options)
  const mined = findMined(node, wanted)
  if (!mined) throw serverError('transaction not found')
  return run(call, minedOrder(node, mined.block, mined.tx.evmIndex, settings))
}

function traceBlock(call: RpcCall, block: StoredBlock | undefined, name: string, options: unknown): Streamed {
  const settings = readTraceOptions(call.node, options)
  if (!block) throw serverError(`block ${name} not found`)
  return run(call, minedOrder(call.node, block, undefined, settings))
}

/** How an error names a block. */
function nameOf(ref: BlockRef): string {
  if ('hash' in ref) return formatHex0x(ref.hash)
  return `#${'number' in ref ? ref.number : ref.tag}`
}

function isGenesis(ref: BlockRef): boolean {
  return 'number' in ref && ref.number === 0n
}

function traceBlockByNumber(call: RpcCall, ref: BlockRef, options: unknown): Streamed {
  if (isGenesis(ref)) throw serverError('genesis is not traceable')
  return traceBlock(call, blockOf(call.node, ref), nameOf(ref), options)
}

/** Overrides lie in the options, beside those of the tracer. */
function traceCall(call: RpcCall, args: CallArgs, ref: BlockRef, options: unknown): Streamed {
  const { node } = call
  if (args.blobs) throw serverError('blob transactions are not supported')
  const settings = readTraceOptions(node, options)
  const fields = options === undefined ? {} : readObject(options, { type: 'tracers.TraceCallConfig' })
  if ((fields['txIndex'] ?? undefined) !== undefined) throw invalidParams('txIndex is not supported')
  const given = (name: string): unknown => fields[name] ?? undefined
  const state = given('stateOverrides')
  const block = given('blockOverrides')
  const payload: CallPayload = {
    args,
    gasCap: node.settings.gasCap,
    stateOverrides: state === undefined ? undefined : readStateOverrides(state),
    blockOverrides: block === undefined ? undefined : readBlockOverrides(block),
  }
  const trace: TracePayload = {
    config: settings.config,
    subject: { kind: 'call', call: payload },
    outputBytes: Number.POSITIVE_INFINITY,
  }
  return run(call, { payload: trace, height: stateHeight(node, ref), shownHeight: undefined, settings })
}

export const traceMethods: Methods = {
  debug_traceTransaction: method([hash, config], traceTransaction),
  debug_traceCall: method([callArgs, blockOrLatest, config], traceCall),
  debug_traceBlockByNumber: method([blockNumber, config], traceBlockByNumber),
  debug_traceBlockByHash: method([hash, config], (call, wanted, options) => {
    const ref = { hash: wanted }
    return traceBlock(call, blockOf(call.node, ref), nameOf(ref), options)
  }),
}
