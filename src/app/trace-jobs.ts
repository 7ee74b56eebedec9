/** Traces as jobs of the compute pool, with results in parts. */
import type { TraceView } from '../evm/tracers/views/view.ts'
import type { CallPayload } from '../modules/evm/calls/jobs.ts'
import { chainPrecompiles, chainRules } from '../modules/evm/keeper.ts'
import type { TracedMessages } from '../modules/evm/tracing/trace-call.ts'
import { type TracedBundles, type TracedCalls, traceCall } from '../modules/evm/tracing/trace-call.ts'
import { needsScripts, type TraceConfig } from '../modules/evm/tracing/trace-config.ts'
import {
  createTraceWriter,
  HOLD_BACK_BYTES,
  type OpenTrace,
  type TraceResources,
  type TraceWriter,
  timedOut,
} from '../modules/evm/tracing/trace-writer.ts'
import { equal, formatHex0x } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { EvmTx } from './records.ts'
import { withinBlock } from './trace.ts'
import type { Application, PastBlock } from './types.ts'

/** Fields of a receipt that a trace must reproduce. */
type TracedReceipt = Pick<EvmTx, 'hash' | 'txIndex' | 'evmIndex' | 'status' | 'gasUsed' | 'bloom'>

export type TraceSubject =
  /** One transaction of a block, or all of them. The job runs on the state before the block. */
  | {
      readonly kind: 'mined'
      readonly input: PastBlock
      readonly receipts: readonly TracedReceipt[]
      readonly target: number | undefined
    }
  /** A call on the state of the job, or within the block that `within` starts on that state. */
  | { readonly kind: 'call'; readonly call: CallPayload; readonly within?: PastBlock | undefined }
  /** Calls on the state of the job, each in its own form. */
  | { readonly kind: 'calls'; readonly calls: TracedCalls }
  /** Calls in blocks of their own, on the state of the job or within the block that `within` starts on that state. */
  | { readonly kind: 'bundles'; readonly bundles: TracedBundles; readonly within?: PastBlock | undefined }
  /** Transactions that are in no block: each runs on the state after the previous one. */
  | { readonly kind: 'messages'; readonly messages: TracedMessages }

export interface TracePayload {
  readonly config: TraceConfig
  readonly subject: TraceSubject
  /** Whether the values of a view are a list; else there is one. */
  readonly isList?: boolean
  /** Maximum size of the result. Unit: bytes. */
  readonly outputBytes: number
}

/** Whether a job must run on a thread that can be killed. Throws 3 for an unknown tracer. */
export function isIsolated(job: string, payload: unknown): boolean {
  return job === 'trace' && needsScripts((payload as TracePayload).config)
}

/** Runs a trace and writes its result as JSON. Throws 4 `deadlineExceeded`, 3 for an unknown tracer, and the errors of the trace. */
export function runTrace(
  app: Pick<Application, 'traceBlock'>,
  ctx: ReadContext,
  payload: TracePayload,
  resources: TraceResources,
): void {
  const { config, subject } = payload
  needsScripts(config)
  const outputBytes = Math.min(payload.outputBytes, resources.outputBytes)
  const writer = createTraceWriter(config, {
    shouldStop: () => resources.shouldStop(),
    write: (chunk) => resources.write(chunk),
    outputBytes,
    scripts: resources.scripts,
  })
  if (payload.isList) writer.output.text('[')
  if (subject.kind === 'mined') traceMined(app, ctx, subject, writer, resources, config.view)
  else if ('within' in subject && subject.within) {
    withinBlock(
      app,
      ctx,
      subject.within,
      () => resources.shouldStop(),
      (behind) => traceCall(behind, subject, writer, resources, config.view),
    )
  } else traceCall(ctx, subject, writer, resources, config.view)
  if (payload.isList) writer.output.text(']')
  writer.flush()
}

type Mined = Extract<TraceSubject, { kind: 'mined' }>

function traceMined(
  app: Pick<Application, 'traceBlock'>,
  ctx: ReadContext,
  { input, receipts, target }: Mined,
  writer: TraceWriter,
  resources: TraceResources,
  view: TraceView | undefined,
): void {
  const precompiles = chainPrecompiles(chainRules(ctx))
  const { output } = writer
  const isWhole = target === undefined
  /** Whether each result is an element with the hash of its transaction. */
  const isGeths = isWhole && !view
  const wanted = receipts.filter(({ evmIndex }) => isWhole || evmIndex === target)
  const waiting = new Map(wanted.map((receipt) => [receipt.txIndex, receipt]))
  let current: OpenTrace | undefined
  let items = 0

  /** Returns the start of a transaction's element, before its result or error. */
  const headOf = ({ hash }: TracedReceipt): string => {
    const comma = items++ === 0 ? '' : ','
    return isGeths ? `${comma}{"txHash":"${formatHex0x(hash)}",` : ''
  }

  /** Ends the result of a transaction; in a block a failure becomes its result. */
  function close(head: string, trace: OpenTrace): void {
    if (!isGeths) {
      trace.finish()
      return
    }
    try {
      trace.finish()
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      output.text(`${head}"error":${JSON.stringify(error.message)}`)
    }
    output.text('}')
  }

  let head = ''
  if (isGeths) output.text('[')
  app.traceBlock(ctx, input, {
    shouldStop: () => (isGeths || !current ? resources.shouldStop() : current.shouldStop()),
    before(txIndex) {
      const receipt = waiting.get(txIndex)
      if (!receipt) return undefined
      const { hash: txHash, evmIndex } = receipt
      head = headOf(receipt)
      const place = { blockNumber: input.height, blockHash: input.hash, txHash, txIndex: evmIndex }
      current = view ? writer.openView(view, place) : writer.open(place, precompiles, isWhole ? `${head}"result":` : '')
      return current.tracer
    },
    after(evmTx, left) {
      const receipt = waiting.get(evmTx.txIndex)
      if (!receipt || !current) return
      const { hash, status, gasUsed, bloom } = receipt
      // In a loaded dump the transaction of an impersonated sender has the hash of its own chain.
      const isNamed = input.isAdopted || equal(hash, evmTx.hash)
      const isSame = isNamed && status === evmTx.status && gasUsed === evmTx.gasUsed
      if (!isSame || (left && !equal(bloom, evmTx.bloom))) {
        throw (
          left ??
          queryError('dataLoss', `executing transaction ${formatHex0x(hash)} again does not reproduce its receipt`)
        )
      }
      waiting.delete(evmTx.txIndex)
      close(head, current)
      current = undefined
    },
  })
  if (waiting.size > 0) {
    // Stopped. A result that has not been sent yet becomes an error; else it ends as valid JSON.
    if (!resources.shouldStop() && !current) throw queryError('dataLoss', 'the block does not contain its transactions')
    if (view) {
      if (current?.shouldStop()) current.finish()
      throw resources.shouldStop()
        ? timedOut()
        : queryError('dataLoss', 'a transaction of the block does not run again')
    }
    if (resources.shouldStop() && (output.written < HOLD_BACK_BYTES || (!isWhole && !current))) throw timedOut()
    if (current) {
      const [txIndex] = waiting.keys()
      waiting.delete(txIndex!)
      close(head, current)
    }
    for (const receipt of waiting.values()) output.text(`${headOf(receipt)}"error":"execution timeout"}`)
  }
  if (isGeths) output.text(']')
}
