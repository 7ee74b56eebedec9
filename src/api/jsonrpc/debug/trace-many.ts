/** `debug_traceCallMany`: bundles of calls, each call on the state after the one before, as Erigon and Reth answer them. */
import {
  type BlockOverrides,
  type CallArgs,
  readBlockOverrides,
  readCallArgs,
  readStateOverrides,
} from '../../../modules/evm/calls/call-args.ts'
import { readObject } from '../../../modules/evm/calls/hex-json.ts'
import { readTraceOptions } from '../../trace-config.ts'
import { placeBefore } from '../../trace-request.ts'
import { runTrace } from '../../traces.ts'
import { invalidParams, serverError } from '../errors.ts'
import { stateHeight, storedBlock } from '../eth/block-ref.ts'
import { anyMethod, type Methods, type RpcCall } from '../method.ts'
import { type BlockRef, blockOrLatest, json, optional } from '../params.ts'
import { streamed } from '../streamed.ts'

/** Calls in one `debug_traceCallMany`. Beyond: -32602. */
const MAX_CALLS = 1000

interface Bundle {
  readonly calls: readonly CallArgs[]
  readonly blockOverrides: BlockOverrides | undefined
}

function readCall(value: unknown): CallArgs {
  const args = readCallArgs(value)
  if (args.blobs) throw serverError('blob transactions are not supported')
  return args
}

function readBundles(value: unknown): readonly Bundle[] {
  if (!Array.isArray(value) || value.length === 0) throw invalidParams('bundles is not a list of at least one bundle')
  const bundles = value.map((item: unknown, i): Bundle => {
    const { transactions, blockOverride } = readObject(item, { type: 'tracers.Bundle' })
    if (!Array.isArray(transactions)) throw invalidParams(`bundles[${i}].transactions is not a list`)
    const overrides = blockOverride ?? undefined
    return {
      calls: transactions.map(readCall),
      blockOverrides: overrides === undefined ? undefined : readBlockOverrides(overrides),
    }
  })
  const total = bundles.reduce((sum, { calls }) => sum + calls.length, 0)
  if (total > MAX_CALLS) throw invalidParams(`${total} calls exceed the limit of ${MAX_CALLS}`)
  return bundles
}

/** Returns the block of a context, and the index of the transaction before which the calls run; undefined: after all. */
function readContext(value: unknown): { readonly ref: BlockRef; readonly index: bigint | undefined } {
  const { blockNumber, transactionIndex } =
    value === undefined ? {} : readObject(value, { type: 'tracers.StateContext' })
  const index = transactionIndex ?? -1
  if (typeof index !== 'number' || !Number.isSafeInteger(index) || index < -1) {
    throw invalidParams('transactionIndex is not an index from 0, or -1 for the state after the block')
  }
  return { ref: blockOrLatest.read(blockNumber ?? undefined), index: index === -1 ? undefined : BigInt(index) }
}

/** Runs the calls and answers with a list of traces for each bundle. The options are those of `debug_traceCall`. */
function traceCallMany(call: RpcCall, given: unknown, context: unknown, options: unknown) {
  const { node, signal } = call
  const bundles = readBundles(given)
  const { ref, index } = readContext(context)
  const settings = readTraceOptions(node, options)
  const state =
    options === undefined ? undefined : readObject(options, { type: 'tracers.TraceConfig' })['stateOverrides']
  const place =
    index === undefined ? { height: stateHeight(node, ref) } : placeBefore(node, storedBlock(node, ref), index)
  const subject = {
    kind: 'bundles',
    bundles: {
      bundles,
      stateOverrides: state === undefined || state === null ? undefined : readStateOverrides(state),
      gasCap: node.settings.gasCap,
    },
    within: 'within' in place ? place.within : undefined,
  } as const
  const payload = { config: settings.config, subject, outputBytes: Number.POSITIVE_INFINITY }
  const order = { payload, height: place.height, shownHeight: undefined, settings }
  return streamed((onPart) => runTrace(node, order, { signal: signal(), onPart }))
}

const absent = optional(json, undefined)

export const manyMethods: Methods = { debug_traceCallMany: anyMethod([json, absent, absent], traceCallMany) }
