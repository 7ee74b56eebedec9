/** Differences in traces, over REST and JSON-RPC. Part of the list in `differences.ts`. */
import type { EvmTx } from '../src/app/records.ts'
import type { Part } from './compare.ts'
import type { AnswerDifference } from './difference.ts'
import { type Exchange, errorOf, isAdded, referenceError, statuses } from './explain.ts'

const TRACE = /^(debug_trace|evm\.Query\/Trace)/

const tracerOf = ({ question }: Exchange): string | undefined => question.trace?.tracer

/** The mined transaction that a part is about. */
function txOf({ at }: Part, { question }: Exchange): EvmTx | undefined {
  const item = /^body\.(?:result|data)\[(\d+)\]/.exec(at)?.[1]
  return question.trace?.txs[Number(item ?? 0)]
}

const ROWS: readonly AnswerDifference[] = [
  {
    id: 'trace-failures',
    where:
      'traces that the reference fails on: prestateTracer, transactions that call the FunToken precompile directly',
    why: 'are given; a failure of one transaction does not fail its block',
    decision: 'evm.md §7 rows 5, 6',
    operation: TRACE,
    explains: (_, exchange) =>
      /incorrect number of top-level calls|nil pointer/.test(referenceError(exchange).message ?? ''),
  },
  {
    id: 'struct-logger',
    where: 'traces without a tracer',
    why: 'are those of the struct logger, as in geth; the reference takes callTracer',
    decision: 'D20',
    operation: TRACE,
    explains: (_, exchange) => tracerOf(exchange) === undefined,
  },
  {
    id: 'unknown-tracer',
    where: 'tracers that do not exist',
    why: 'are 400 with code 3; the reference silently takes callTracer',
    decision: 'D16',
    operation: TRACE,
    explains: (_, exchange) =>
      statuses(exchange, [200], [400]) && /tracer/.test(errorOf(exchange.oursBody)?.message ?? ''),
  },
  {
    id: 'trace-block',
    where: 'trace_block over REST',
    why: 'finds the block in the store; the reference knows no transactions there and answers `[]`',
    decision: 'D15',
    operation: /^evm\.Query\/TraceBlock$/,
    explains: (_, { referenceBody }) => (referenceBody as { data?: readonly unknown[] }).data?.length === 0,
  },
  {
    id: 'tracer-options',
    where: 'callTracer with `withLog`',
    why: 'has its logs; of all options only `onlyTopCall` reaches a tracer of the reference',
    decision: 'evm.md §7 row 8',
    operation: TRACE,
    explains: (part, { question }) => question.trace?.config['withLog'] === true && isAdded(part, /^logs$/),
  },
  {
    id: 'prestate',
    where: 'prestateTracer',
    why: 'shows every account that was touched, coinbase and target among them, and obeys `diffMode`; the reference does neither',
    decision: 'evm.md §7 rows 5, 8',
    operation: TRACE,
    explains: (_, exchange) => tracerOf(exchange) === 'prestateTracer',
  },
  {
    id: 'predecessors',
    where: 'traces of transactions that are not the first of their block',
    why: 'run on what came before them; the reference runs each on the state of the parent',
    decision: 'D15',
    operation: TRACE,
    explains: (part, exchange) => (txOf(part, exchange)?.txIndex ?? 0) > 0,
  },
  {
    id: 'trace-environment',
    where: 'gas of traced transactions that store what they see of their block',
    why: 'is that of the receipt; the reference traces with a coinbase and a gas limit of zero',
    decision: 'D15',
    operation: TRACE,
    explains: (part, exchange) =>
      part.at.endsWith('gasUsed') && part.ours === `0x${txOf(part, exchange)?.gasUsed.toString(16)}`,
  },
  {
    id: 'trace-height',
    where: 'height header of traces over REST',
    why: 'is that of the block of the transaction, which is found by its hash; the reference echoes the height asked for',
    decision: 'D15, D17',
    operation: /^evm\.Query\/Trace/,
    explains: ({ at, reference, ours }) => at.startsWith('header.') && Number(ours) === Number(reference) + 1,
  },
  {
    id: 'trace-call',
    where: 'trace_call of a mined transaction',
    why: 'has its sender, its base fee and the state before it; the reference takes the zero address and a base fee of 1',
    decision: 'D15, evm.md §7 row 7',
    operation: /^evm\.Query\/TraceCall$/,
    explains: (_, exchange) => txOf({ at: '', reference: 0, ours: 0 }, exchange) !== undefined,
  },
  {
    id: 'trace-call-gas',
    where: 'debug_traceCall without `gas`',
    why: 'runs with the configured cap, as in geth; the reference takes 0 and fails',
    decision: 'D24',
    operation: /^debug_traceCall$/,
    explains: (_, exchange) => /provided msg\.Gas \(0\)/.test(referenceError(exchange).message ?? ''),
  },
  {
    id: 'trace-not-found',
    where: 'traces of unknown transactions',
    why: "are told in geth's words",
    decision: 'D24',
    operation: /^debug_trace/,
    explains: ({ at, ours }) => at === 'body.error.message' && ours === 'transaction not found',
  },
]

/** Codes that say that nothing answers: REST's and JSON-RPC's. */
const UNIMPLEMENTED = [12, -32601]

/** No difference explains that a method is not there. */
export const TRACES: readonly AnswerDifference[] = ROWS.map((row) => ({
  ...row,
  explains: (part, exchange) =>
    !UNIMPLEMENTED.includes(errorOf(exchange.oursBody)?.code ?? 0) && row.explains(part, exchange),
}))
