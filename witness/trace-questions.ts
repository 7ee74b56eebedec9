/** What a recorded question about a trace asks for. */
import type { BlockIndex } from '../src/indexer/types.ts'
import { parseHex } from '../src/primitives/bytes.ts'
import type { RecordedRpcAnswer } from './recording.ts'

export interface TraceQuestion {
  /** Undefined where none is named. */
  readonly tracer: string | undefined
  /** What is given to the tracer. */
  readonly config: Readonly<Record<string, unknown>>
  /** Place in its block of the transaction asked about; undefined if it is not about one of a block. */
  readonly txIndex: number | undefined
}

function placeOf(blocks: BlockIndex, hash: string | null | undefined): number | undefined {
  const bytes = parseHex(hash ?? '')
  const place = bytes?.length === 32 ? blocks.evmTx(bytes) : undefined
  return place && blocks.block(place.height)?.evmTxs[place.evmIndex]?.txIndex
}

/** Of a REST path; undefined where it asks for no trace. */
export function traceOfPath(blocks: BlockIndex, path: string): TraceQuestion | undefined {
  const [route = '', query = ''] = path.split('?')
  if (!/\/trace_(tx|call|block)$/.test(route)) return undefined
  const parameters = new URLSearchParams(query)
  const onlyTopCall = parameters.get('trace_config.tracer_config.only_top_call')
  return {
    tracer: parameters.get('trace_config.tracer') ?? undefined,
    config: onlyTopCall === null ? {} : { onlyTopCall: onlyTopCall === 'true' },
    txIndex: placeOf(blocks, parameters.get('msg.hash')),
  }
}

/** Of a JSON-RPC call; undefined where it asks for no trace. */
export function traceOfCall(blocks: BlockIndex, request: RecordedRpcAnswer['request']): TraceQuestion | undefined {
  const { method, params } = request
  if (!/^debug_trace/.test(method ?? '')) return undefined
  const last = params.at(-1)
  const options = typeof last === 'object' && last !== null ? (last as Record<string, unknown>) : {}
  return {
    tracer: options['tracer'] as string | undefined,
    config: (options['tracerConfig'] ?? {}) as Record<string, unknown>,
    txIndex: method === 'debug_traceTransaction' ? placeOf(blocks, String(params[0])) : undefined,
  }
}
