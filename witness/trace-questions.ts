/** Details of recorded requests for traces. */
import type { EvmTx } from '../src/app/records.ts'
import type { BlockIndex } from '../src/indexer/types.ts'
import { parseHex } from '../src/primitives/bytes.ts'
import type { RecordedRpcAnswer } from './recording.ts'

export interface TraceQuestion {
  /** Name of the tracer; undefined if the request has no tracer. */
  readonly tracer: string | undefined
  /** Options of the tracer. */
  readonly config: Readonly<Record<string, unknown>>
  /** The mined transactions that are traced, with their receipts. */
  readonly txs: readonly EvmTx[]
}

function txOf(blocks: BlockIndex, hash: string | null | undefined): readonly EvmTx[] {
  const bytes = parseHex(hash ?? '')
  const place = bytes?.length === 32 ? blocks.evmTx(bytes) : undefined
  const tx = place && blocks.block(place.height)?.evmTxs[place.evmIndex]
  return tx ? [tx] : []
}

function txsOfBlock(blocks: BlockIndex, named: unknown): readonly EvmTx[] {
  const bytes = parseHex(String(named))
  const height =
    bytes?.length === 32
      ? blocks.heightOfHash(bytes)
      : /^0x[0-9a-f]+$/i.test(String(named))
        ? BigInt(String(named))
        : undefined
  return (height !== undefined && blocks.block(height)?.evmTxs) || []
}

/** Returns the details of a REST path, or undefined if it does not request a trace. */
export function traceOfPath(blocks: BlockIndex, path: string): TraceQuestion | undefined {
  const [route = '', query = ''] = path.split('?')
  if (!/\/trace_(tx|call|block)$/.test(route)) return undefined
  const parameters = new URLSearchParams(query)
  const onlyTopCall = parameters.get('trace_config.tracer_config.only_top_call')
  return {
    tracer: parameters.get('trace_config.tracer') ?? undefined,
    config: onlyTopCall === null ? {} : { onlyTopCall: onlyTopCall === 'true' },
    txs: txOf(blocks, parameters.get('msg.hash')),
  }
}

/** Returns the details of a JSON-RPC call, or undefined if it does not request a trace. */
export function traceOfCall(blocks: BlockIndex, request: RecordedRpcAnswer['request']): TraceQuestion | undefined {
  const { method, params } = request
  if (!/^debug_trace/.test(method ?? '')) return undefined
  const last = params.at(-1)
  const options = typeof last === 'object' && last !== null ? (last as Record<string, unknown>) : {}
  return {
    tracer: options['tracer'] as string | undefined,
    config: (options['tracerConfig'] ?? {}) as Record<string, unknown>,
    txs: method === 'debug_traceTransaction' ? txOf(blocks, String(params[0])) : txsOfBlock(blocks, params[0]),
  }
}
