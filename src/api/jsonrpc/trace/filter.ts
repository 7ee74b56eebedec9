/** `trace_filter`: the calls from and to accounts in a range of blocks, which are executed again. */
import { isTooLong } from '../../../modules/evm/tracing/trace-writer.ts'
import { writePieces } from '../../long-json.ts'
import { scanBlocks } from '../block-scan.ts'
import { invalidParams, limitExceeded } from '../errors.ts'
import { firstStateHeight, heightOf } from '../eth/block-ref.ts'
import { type LogRange, within } from '../eth/logs.ts'
import { quantity } from '../format.ts'
import type { RpcCall } from '../method.ts'
import { type Streamed, streamed } from '../streamed.ts'
import { viewValues } from '../views.ts'
import type { TraceFilter } from './params.ts'

/** Traces in one answer of `trace_filter`. Beyond: -32005 with the range to ask for. */
const MAX_TRACES = 10_000
/** Size of one answer of `trace_filter`. Beyond: -32005 with the range to ask for. */
const MAX_TRACE_BYTES = 8 * 1024 * 1024
/** Size of the matching traces of one block, those that are passed over included. Beyond: -32005 with the range to ask for. */
const MAX_BLOCK_BYTES = 32 * 1024 * 1024

/** Returns the stored heights that a filter names: from the first whose calls can be traced, up to the newest one. */
function rangeOf({ node }: RpcCall, { from, to }: TraceFilter): LogRange {
  const [first, latest] = [node.blocks.earliestHeight(), node.blocks.latestHeight()]
  const traceable = firstStateHeight(node)
  const isFirst = !from || ('tag' in from && from.tag === 'earliest')
  const range = {
    from: isFirst ? (traceable > first ? traceable + 1n : first) : heightOf(node, from)!,
    to: to ? heightOf(node, to)! : latest,
  }
  if (range.from > range.to && !isFirst) throw invalidParams('invalid block range params')
  return within(range, { from: first, to: latest })
}

/**
 * Returns the traces that match, in order, without the first `after`, and at most `count`. Rejects with -32005 if there are
 * too many for one answer or the time ends, with a range to ask for in the form that clients parse.
 */
export async function filterTraces(call: RpcCall, filter: TraceFilter): Promise<Streamed> {
  const { from, to } = rangeOf(call, filter)
  const { addresses, count } = filter
  const found: string[] = []
  let [skip, bytes] = [filter.after, 0]
  const end = (reason: string, height: bigint): Error => {
    if (height > from) {
      return limitExceeded(`${reason}. Try with this block range [${quantity(from)}, ${quantity(height - 1n)}].`)
    }
    return limitExceeded(
      `${reason} in block ${quantity(height)} alone: narrow it by address, by "after" and "count", or read trace_block`,
    )
  }
  const isFull = (): boolean => count !== undefined && BigInt(found.length) >= count

  const late = isFull()
    ? undefined
    : await scanBlocks(call, { from, to, reverse: false }, async (block, leftMs) => {
        const { height } = block.header
        const limits = { timeoutMs: leftMs, mostBytes: MAX_BLOCK_BYTES }
        const values = await viewValues(call, block, undefined, { kind: 'flat', addresses }, limits).catch(
          (error: unknown) => {
            throw isTooLong(error) ? end(`query matched more than ${MAX_BLOCK_BYTES} bytes of a block`, height) : error
          },
        )
        for (const value of values) {
          if (skip > 0n) {
            skip--
            continue
          }
          if (isFull()) return true
          bytes += value.length
          if (found.length === MAX_TRACES) throw end(`query returned more than ${MAX_TRACES} traces`, height)
          if (bytes > MAX_TRACE_BYTES) throw end(`query returned more than ${MAX_TRACE_BYTES} bytes`, height)
          found.push(value)
        }
        return isFull()
      })
  if (late !== undefined) throw end('query timed out', late)
  return streamed((onPart) => writePieces(listOf(found), onPart, call.signal()))
}

function* listOf(values: readonly string[]): Iterable<string> {
  let separator = '['
  for (const value of values) {
    yield separator
    yield value
    separator = ','
  }
  yield values.length === 0 ? '[]' : ']'
}
