/** `ots_searchTransactionsBefore` and `After`: the transactions of an account, those that call it inside another call included. */
import type { EvmTx, StoredBlock } from '../../../app/records.ts'
import { decodeTransaction } from '../../../evm/transaction/decode.ts'
import { equal, formatHex0x } from '../../../primitives/bytes.ts'
import { ChainError, type Status } from '../../../primitives/errors.ts'
import { NS_PER_SECOND } from '../../../primitives/time.ts'
import { longList } from '../../long-json.ts'
import { type ScanRange, scanBlocks } from '../block-scan.ts'
import { limitExceeded } from '../errors.ts'
import { firstStateHeight } from '../eth/block-ref.ts'
import { inPieces, logSize, longReceipt } from '../eth/receipts.ts'
import { formatMined, type JsonObject, quantity } from '../format.ts'
import type { RpcCall } from '../method.ts'
import type { Streamed } from '../streamed.ts'
import { participantsOf } from './participants.ts'

/** Approximate size of the transactions and receipts in one answer, after which the page ends. Beyond: the page is shorter. */
const MAX_PAGE_BYTES = 8 * 1024 * 1024
/** Approximate size of a transaction with its receipt as JSON, without input and logs. */
const TX_BYTES = 2_500
/** Gas limit of a transaction that pays for no opcode. */
const TRANSFER_GAS = 21_000n

/** A page: before or after a block, which is 0 for the newest or the first one. */
interface PageRequest {
  readonly number: bigint
  readonly size: number
  readonly isBefore: boolean
}

/** Matching transactions of a block. */
interface Match {
  readonly block: StoredBlock
  readonly txs: readonly EvmTx[]
}

const isNamed = (address: Uint8Array, { from, to, contractAddress }: EvmTx): boolean =>
  [from, to, contractAddress].some((one) => one !== undefined && equal(one, address))

/** Whether a transaction can have made calls. */
const hasCalls = ({ gasUsed, raw }: EvmTx): boolean =>
  gasUsed > TRANSFER_GAS || decodeTransaction(raw).gasLimit > TRANSFER_GAS

function sizeOf({ txs }: Match): number {
  let size = 0
  for (const { raw, logs } of txs) {
    size += TX_BYTES + raw.length * 2
    for (const log of logs) size += logSize(log)
  }
  return size
}

function rangeOf({ node }: RpcCall, { number, isBefore }: PageRequest): ScanRange {
  const [first, last] = [node.blocks.earliestHeight(), node.blocks.latestHeight()]
  if (number === 0n) return { from: first, to: last, reverse: isBefore }
  return isBefore
    ? { from: first, to: number - 1n < last ? number - 1n : last, reverse: true }
    : { from: number + 1n > first ? number + 1n : first, to: last, reverse: false }
}

/** Statuses of an answer about a block that does not run again here, such as one of a loaded dump: its calls are not known. */
const NOT_AGAIN: ReadonlySet<Status> = new Set(['dataLoss', 'unimplemented'])

/** Returns undefined for a block that does not run again here. */
function unlessForeign(error: unknown): undefined {
  if (!(error instanceof ChainError) || !NOT_AGAIN.has(error.status)) throw error
}

/** Returns the matching transactions of a block. Calls are known only where the state before the block is stored. */
async function matchesIn(
  call: RpcCall,
  address: Uint8Array,
  block: StoredBlock,
  { firstState, leftMs }: { readonly firstState: bigint; readonly leftMs: number },
): Promise<readonly EvmTx[]> {
  const { evmTxs } = block
  const needsCalls = block.header.height > firstState && evmTxs.some((tx) => !isNamed(address, tx) && hasCalls(tx))
  const inCalls = needsCalls ? await participantsOf(call, block, leftMs).catch(unlessForeign) : undefined
  const text = formatHex0x(address)
  return evmTxs.filter((tx) => isNamed(address, tx) || inCalls?.get(tx.evmIndex)?.has(text))
}

function* receiptsOf(matches: readonly Match[]): Iterable<JsonObject> {
  for (const { block, txs } of matches) {
    const timestamp = quantity(block.header.timeNs / NS_PER_SECOND)
    for (const tx of txs) yield { ...longReceipt(block, tx), timestamp }
  }
}

function* transactionsOf(matches: readonly Match[]): Iterable<JsonObject> {
  for (const { block, txs } of matches) for (const tx of txs) yield formatMined(block, tx)
}

/**
 * Returns a page, the newest transaction first. A page ends with a block: it has at least `size` transactions, unless the
 * blocks, its bytes or the time end. Rejects with -32005 and the block to go on with if the time ends before the first
 * match; what was searched is remembered, so that the same request gets further, too.
 */
export async function searchTransactions(call: RpcCall, address: Uint8Array, request: PageRequest): Promise<Streamed> {
  const range = rangeOf(call, request)
  const firstState = firstStateHeight(call.node)
  const matches: Match[] = []
  let [count, bytes, hasMore] = [0, 0, false]
  const late = await scanBlocks(call, range, async (block, leftMs) => {
    hasMore = count >= request.size
    if (hasMore) return true
    const txs = await matchesIn(call, address, block, { firstState, leftMs })
    if (txs.length === 0) return false
    const match = { block, txs: [...txs].reverse() }
    bytes += sizeOf(match)
    hasMore = bytes > MAX_PAGE_BYTES && matches.length > 0
    if (hasMore) return true
    matches.push(match)
    count += txs.length
    return false
  })
  if (late !== undefined && matches.length === 0) throw lateError(late, request)
  hasMore ||= late !== undefined
  if (!request.isBefore) matches.reverse()
  const isEdge = request.number === 0n
  return inPieces(call, {
    txs: longList(() => transactionsOf(matches)),
    receipts: longList(() => receiptsOf(matches)),
    firstPage: request.isBefore ? isEdge : !hasMore,
    lastPage: request.isBefore ? !hasMore : isEdge,
  })
}

/** Returns the error of a search that reached a block without a match. The next search begins with that block. */
function lateError(height: bigint, { isBefore }: PageRequest): Error {
  const next = isBefore ? height + 1n : height - 1n
  const side = isBefore ? 'above' : 'below'
  return limitExceeded(
    `the time ended at block ${height}; no transaction was found in the blocks ${side} it. Go on with block ${next}`,
  )
}
