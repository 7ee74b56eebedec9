/** The heights that recorded requests are about, so that a node whose history begins later is not asked for them. */
import { receiptsOf } from '../src/consensus/follow/receipts.ts'
import type { Identity } from '../src/identity/types.ts'
import { formatHex } from '../src/primitives/bytes.ts'
import { sha256 } from '../src/primitives/hash.ts'
import { nodeBlockOf } from './recorded-block.ts'
import type { RecordedAnswer, RecordedRpcAnswer, Recording } from './recording.ts'

/** Heights of blocks and transactions, by their hashes as lower-case hexadecimal digits. */
export type Places = ReadonlyMap<string, number>

/** Reads the places of a recording. */
export async function placesOf(recording: Recording, identity: Identity, evmChainId: bigint): Promise<Places> {
  const places = new Map<string, number>()
  if (!recording.has('blocks')) return places
  for await (const block of recording.blocks()) {
    const { txs, results } = nodeBlockOf(block)
    places.set(block.hash.toLowerCase(), block.height)
    for (const tx of txs) places.set(formatHex(sha256(tx)), block.height)
    for (const { hash } of receiptsOf(identity, evmChainId, txs, results)) places.set(formatHex(hash), block.height)
  }
  return places
}

/** Place of the block among the parameters of methods that read the state after it. */
const STATE_AT: Readonly<Record<string, number>> = {
  ...{ eth_getBalance: 1, eth_getTransactionCount: 1, eth_getCode: 1, eth_getStorageAt: 2, eth_getProof: 2 },
  ...{ eth_call: 1, eth_estimateGas: 1, debug_traceCall: 1 },
}
/** Place of the block among the parameters of methods that read the block itself. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  ...{ eth_getBlockByNumber: 0, eth_getBlockTransactionCountByNumber: 0 },
  ...{ eth_getTransactionByBlockNumberAndIndex: 0, debug_traceBlockByNumber: 0 },
}

const HASH = /(?<![0-9a-f])(?:0x)?([0-9a-f]{64})(?![0-9a-f])/gi
/** A block within a path. */
const BLOCK_PATH = /\/(?:blocks|validatorsets|txs\/block)\/(\d+)(?:[/?]|$)/

/** Returns the height of the state before the blocks and transactions that a text names by hash. */
const beforeHashes = (text: string, places: Places): number[] =>
  [...text.matchAll(HASH)].flatMap(([, hash]) => {
    const height = places.get(hash!.toLowerCase())
    return height === undefined ? [] : [height - 1]
  })

/** Returns a block's number; 0 for the first block, undefined for a tag of the tip or anything else. */
function numberOf(value: unknown): number | undefined {
  if (value === 'earliest') return 0
  return typeof value === 'string' && /^0x[0-9a-f]{1,12}$/i.test(value) ? Number(value) : undefined
}

const lowest = (heights: readonly (number | undefined)[]): number | undefined =>
  heights.reduce((best, one) => (one === undefined || (best !== undefined && best <= one) ? best : one), undefined)

/**
 * Returns the lowest height whose state a REST request is about, that before a block or transaction included; undefined if it
 * names none.
 */
export function lowestOfPath({ path, header }: Pick<RecordedAnswer, 'path' | 'header'>, places: Places) {
  // 0 selects the latest height.
  const atHeight = header !== undefined && /^[1-9]\d*$/.test(header) ? Number(header) : undefined
  const block = BLOCK_PATH.exec(path)?.[1]
  return lowest([atHeight, block === undefined ? undefined : Number(block) - 1, ...beforeHashes(path, places)])
}

/** Returns the same of a JSON-RPC call, or of the calls of a batch. */
export function lowestOfCall(request: RecordedRpcAnswer['request'], places: Places): number | undefined {
  if (Array.isArray(request)) {
    return lowest((request as readonly RecordedRpcAnswer['request'][]).map((one) => lowestOfCall(one, places)))
  }
  const { method, params = [] } = request
  const stateAt = STATE_AT[method]
  const blockAt = BLOCK_AT[method]
  const block = blockAt === undefined ? undefined : numberOf(params[blockAt])
  const from =
    method === 'eth_getLogs' ? numberOf((params[0] as { fromBlock?: unknown } | undefined)?.fromBlock) : undefined
  return lowest([
    stateAt === undefined ? undefined : numberOf(params[stateAt]),
    block === undefined ? undefined : block - 1,
    from === undefined ? undefined : from - 1,
    ...beforeHashes(JSON.stringify(params), places),
  ])
}
