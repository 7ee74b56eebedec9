/** Traces as work for the compute pool: what runs, under which tracer, and the result in parts. */
import type { CallPayload } from '../modules/evm/jobs.ts'
import { chainPrecompiles, chainRules } from '../modules/evm/keeper.ts'
import type { TracedMessages } from '../modules/evm/tracing/trace-call.ts'
import { traceCall } from '../modules/evm/tracing/trace-call.ts'
import {
  createTraceWriter,
  HOLD_BACK_BYTES,
  needsScripts,
  type OpenTrace,
  type TraceConfig,
  type TraceMeans,
  type TraceWriter,
  timedOut,
} from '../modules/evm/tracing/tracing.ts'
import { equal, formatHex0x } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { EvmTx } from './records.ts'
import { withinBlock } from './trace.ts'
import type { Application, BlockInput } from './types.ts'

/** What a receipt says, for a trace must say the same. */
type TracedReceipt = Pick<EvmTx, 'hash' | 'txIndex' | 'evmIndex' | 'status' | 'gasUsed'>

export type TraceSubject =
  /** One transaction of a block, or all of them; the job runs on the state before the block. */
  | {
      readonly kind: 'mined'
      readonly input: BlockInput
      readonly receipts: readonly TracedReceipt[]
      readonly target: number | undefined
    }
  /** A call that nobody keeps, on the state of the job, or within the block that `within` begins on that state. */
  | { readonly kind: 'call'; readonly call: CallPayload; readonly within?: BlockInput | undefined }
  /** Transactions that are in no block: each on the state that those before it left. */
  | { readonly kind: 'messages'; readonly messages: TracedMessages }

export interface TracePayload {
  readonly config: TraceConfig
  readonly subject: TraceSubject
  /** Most bytes of the result. */
  readonly outputBytes: number
}

/** Whether a job must run where its end can be forced. Throws 3 for a tracer that there is not. */
export function isIsolated(job: string, payload: unknown): boolean {
  return job === 'trace' && needsScripts((payload as TracePayload).config)
}

/** Runs a trace and writes its result, JSON text. Throws 4 `deadlineExceeded`, 3 for the tracer, or why there is no result. */
export function runTrace(
  app: Pick<Application, 'traceBlock'>,
  ctx: ReadContext,
  payload: TracePayload,
  means: TraceMeans,
): void {
  const { config, subject } = payload
  needsScripts(config)
  const outputBytes = Math.min(payload.outputBytes, means.outputBytes)
  const writer = createTraceWriter(config, {
    shouldStop: () => means.shouldStop(),
    write: (chunk) => means.write(chunk),
    outputBytes,
    scripts: means.scripts,
  })
  if (subject.kind === 'mined') traceMined(app, ctx, subject, writer, means)
  else if (subject.kind === 'call' && subject.within) {
    withinBlock(
      app,
      ctx,
      subject.within,
      () => means.shouldStop(),
      (behind) => traceCall(behind, subject, writer, means),
    )
  } else traceCall(ctx, subject, writer, means)
  writer.flush()
}

type Mined = Extract<TraceSubject, { kind: 'mined' }>

function traceMined(
  app: Pick<Application, 'traceBlock'>,
  ctx: ReadContext,
  { input, receipts, target }: Mined,
  writer: TraceWriter,
  means: TraceMeans,
): void {
  const precompiles = chainPrecompiles(chainRules(ctx))
  const { output } = writer
  const isWhole = target === undefined
  const wanted = receipts.filter(({ evmIndex }) => isWhole || evmIndex === target)
  const waiting = new Map(wanted.map((receipt) => [receipt.txIndex, receipt]))
  let current: OpenTrace | undefined
  let items = 0

  /** How the element of a transaction begins: in front of its result, or of why there is none. */
  const headOf = ({ hash }: TracedReceipt): string => {
    const comma = items++ === 0 ? '' : ','
    return isWhole ? `${comma}{"txHash":"${formatHex0x(hash)}",` : ''
  }

  /** Ends the result of a transaction; in a block a failure is its result. */
  function close(head: string, trace: OpenTrace): void {
    if (!isWhole) {
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
  if (isWhole) output.text('[')
  app.traceBlock(ctx, input, {
    shouldStop: () => (isWhole || !current ? means.shouldStop() : current.shouldStop()),
    before(txIndex) {
      const receipt = waiting.get(txIndex)
      if (!receipt) return undefined
      const { hash: txHash, evmIndex } = receipt
      head = headOf(receipt)
      const place = { blockNumber: input.height, blockHash: input.hash, txHash, txIndex: evmIndex }
      current = writer.open(place, precompiles, isWhole ? `${head}"result":` : '')
      return current.tracer
    },
    after(evmTx) {
      const receipt = waiting.get(evmTx.txIndex)
      if (!receipt || !current) return
      const { hash, status, gasUsed } = receipt
      if (!equal(hash, evmTx.hash) || status !== evmTx.status || gasUsed !== evmTx.gasUsed) {
        throw queryError('dataLoss', `running transaction ${formatHex0x(hash)} again does not give its receipt`)
      }
      waiting.delete(evmTx.txIndex)
      close(head, current)
      current = undefined
    },
  })
  if (waiting.size > 0) {
    // Told to stop. What has not left yet is taken back; else what there is ends as it should.
    if (!means.shouldStop() && !current) throw queryError('dataLoss', 'the block does not hold its transactions')
    if (means.shouldStop() && (output.written < HOLD_BACK_BYTES || (!isWhole && !current))) throw timedOut()
    if (current) {
      const [txIndex] = waiting.keys()
      waiting.delete(txIndex!)
      close(head, current)
    }
    for (const receipt of waiting.values()) output.text(`${headOf(receipt)}"error":"execution timeout"}`)
  }
  if (isWhole) output.text(']')
}
