/** Differences in traces over REST and JSON-RPC, a section of the list in `differences.ts`. */
import type { EvmTx } from '../src/app/records.ts'
import type { Mismatch } from './compare.ts'
import type { AnswerDifference } from './difference.ts'
import { type Exchange, errorOf, isAdded, referenceError, statuses } from './exchange.ts'

const TRACE = /^(debug_trace|evm\.Query\/Trace)/

const tracerOf = ({ question }: Exchange): string | undefined => question.trace?.tracer

/** Returns the mined transaction that contains a mismatch. */
function txOf({ at }: Mismatch, { question }: Exchange): EvmTx | undefined {
  const item = /^body\.(?:result|data)\[(\d+)\]/.exec(at)?.[1]
  return question.trace?.txs[Number(item ?? 0)]
}

const ROWS: readonly AnswerDifference[] = [
  {
    id: 'trace-failures',
    where:
      'traces on which the reference fails: prestateTracer, transactions that call the FunToken precompile directly',
    explanation: 'The trace is answered. The failure of one transaction does not fail the trace of its block.',
    source: 'docs/modules/evm.md#traces',
    operation: TRACE,
    explains: (_, exchange) =>
      /incorrect number of top-level calls|nil pointer/.test(referenceError(exchange).message ?? ''),
  },
  {
    id: 'struct-logger',
    where: 'traces without a tracer',
    explanation: 'The trace is a struct log, as in geth. The reference uses callTracer.',
    source: 'D20',
    operation: TRACE,
    explains: (_, exchange) => tracerOf(exchange) === undefined,
  },
  {
    id: 'unknown-tracer',
    where: 'unknown tracers',
    explanation: 'The answer is 400 with code 3. The reference uses callTracer without a notice.',
    source: 'D16',
    operation: TRACE,
    explains: (_, exchange) =>
      statuses(exchange, [200], [400]) && /tracer/.test(errorOf(exchange.oursBody)?.message ?? ''),
  },
  {
    id: 'trace-block',
    where: 'trace_block over REST',
    explanation:
      'The block is read from the store. The reference expects its transactions in the request and answers `[]`.',
    source: 'D15',
    operation: /^evm\.Query\/TraceBlock$/,
    explains: (_, { referenceBody }) => (referenceBody as { data?: readonly unknown[] }).data?.length === 0,
  },
  {
    id: 'tracer-options',
    where: 'callTracer with `withLog`',
    explanation: 'The trace has logs. The reference passes no option but `onlyTopCall` to tracers.',
    source: 'docs/modules/evm.md#traces',
    operation: TRACE,
    explains: (mismatch, { question }) => question.trace?.config['withLog'] === true && isAdded(mismatch, /^logs$/),
  },
  {
    id: 'prestate',
    where: 'prestateTracer',
    explanation:
      'The trace has every touched account, coinbase and recipient included, and `diffMode` works. The reference has neither.',
    source: 'docs/evm-internals.md#tracing',
    operation: TRACE,
    explains: (_, exchange) => tracerOf(exchange) === 'prestateTracer',
  },
  {
    id: 'predecessors',
    where: 'traces of transactions that are not the first of their block',
    explanation: 'The transaction runs on the state after its predecessors. The reference runs it on the parent state.',
    source: 'D15',
    operation: TRACE,
    explains: (mismatch, exchange) => (txOf(mismatch, exchange)?.txIndex ?? 0) > 0,
  },
  {
    id: 'trace-environment',
    where: 'gas of traced transactions that store values of their block',
    explanation: 'The gas is that of the receipt. The reference traces with a coinbase and a gas limit of zero.',
    source: 'D15',
    operation: TRACE,
    explains: (mismatch, exchange) =>
      mismatch.at.endsWith('gasUsed') && mismatch.ours === `0x${txOf(mismatch, exchange)?.gasUsed.toString(16)}`,
  },
  {
    id: 'trace-height',
    where: 'height header of traces over REST',
    explanation:
      'The height is that of the block of the transaction, found by its hash. The reference repeats the requested height.',
    source: 'D15, D17',
    operation: /^evm\.Query\/Trace/,
    explains: ({ at, reference, ours }) => at.startsWith('header.') && Number(ours) === Number(reference) + 1,
  },
  {
    id: 'trace-call',
    where: 'trace_call of a mined transaction',
    explanation:
      'The call has the sender, the base fee and the preceding state of the transaction. The reference uses the zero address and a base fee of 1.',
    source: 'D15, docs/modules/evm.md#traces',
    operation: /^evm\.Query\/TraceCall$/,
    explains: (_, exchange) => txOf({ at: '', reference: 0, ours: 0 }, exchange) !== undefined,
  },
  {
    id: 'trace-call-gas',
    where: 'debug_traceCall without `gas`',
    explanation: 'The call runs with the configured cap, as in geth. The reference takes 0 and fails.',
    source: 'D24',
    operation: /^debug_traceCall$/,
    explains: (_, exchange) => /provided msg\.Gas \(0\)/.test(referenceError(exchange).message ?? ''),
  },
  {
    id: 'trace-not-found',
    where: 'traces of unknown transactions',
    explanation: "The text is geth's.",
    source: 'D24',
    operation: /^debug_trace/,
    explains: ({ at, ours }) => at === 'body.error.message' && ours === 'transaction not found',
  },
]

/** Codes of unknown operations: REST's and JSON-RPC's. */
const UNIMPLEMENTED = [12, -32601]

/** Differences in traces. None of them explains a missing operation. */
export const TRACES: readonly AnswerDifference[] = ROWS.map((row) => ({
  ...row,
  explains: (mismatch, exchange) =>
    !UNIMPLEMENTED.includes(errorOf(exchange.oursBody)?.code ?? 0) && row.explains(mismatch, exchange),
}))
