/** Headers and receipts of blocks in Ethereum's encoding. */
import { concat, EMPTY, ZERO_WORD } from '../primitives/bytes.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { encode, fromUint, type RlpItem } from '../primitives/rlp.ts'
import type { ForkName } from './forks.ts'
import { rulesOf } from './forks.ts'
import type { EvmLog } from './state.ts'
import { EMPTY_TRIE_ROOT } from './trie.ts'

/** The hash of an empty list of uncles. */
export const NO_UNCLES_HASH: Uint8Array = keccak256(encode([]))

/** Header fields that later forks added, of a block without withdrawals, blobs, beacon chain and requests. */
interface ForkFields {
  /** EIP-1559. */
  readonly baseFeeWei?: bigint
  /** EIP-4895. */
  readonly withdrawalsRoot?: Uint8Array
  /** EIP-4844. */
  readonly blobGasUsed?: bigint
  readonly excessBlobGas?: bigint
  /** EIP-4788. */
  readonly parentBeaconBlockRoot?: Uint8Array
  /** EIP-7685: sha256 of no requests. */
  readonly requestsHash?: Uint8Array
}

/** Header of a block; hashes have 32 bytes. */
export interface EthereumHeader extends ForkFields {
  readonly parentHash: Uint8Array
  readonly coinbase: Uint8Array
  readonly stateRoot: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  /** 256 bytes. */
  readonly bloom: Uint8Array
  readonly number: bigint
  readonly gasLimit: bigint
  readonly gasUsed: bigint
  /** Unit: seconds. */
  readonly timestamp: bigint
  readonly prevRandao: Uint8Array
}

const OF_SHANGHAI: ForkFields = { withdrawalsRoot: EMPTY_TRIE_ROOT }
const OF_CANCUN: ForkFields = {
  ...OF_SHANGHAI,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
  parentBeaconBlockRoot: ZERO_WORD,
}
const OF_PRAGUE: ForkFields = { ...OF_CANCUN, requestsHash: sha256(EMPTY) }

/** Returns the header fields that the forks up to one added. Before London there is no base fee, whatever a sender pays. */
export function forkFields(fork: ForkName, baseFeeWei: bigint): ForkFields {
  const { eips } = rulesOf(fork)
  if (!eips.has(1559)) return {}
  if (eips.has(7702)) return { baseFeeWei, ...OF_PRAGUE }
  if (eips.has(4844)) return { baseFeeWei, ...OF_CANCUN }
  return eips.has(4895) ? { baseFeeWei, ...OF_SHANGHAI } : { baseFeeWei }
}

/** Returns the header as an RLP item. The hash of its encoding is the hash of a block of Ethereum. */
export function headerItem(header: EthereumHeader): RlpItem {
  const { baseFeeWei, withdrawalsRoot, blobGasUsed, excessBlobGas, parentBeaconBlockRoot, requestsHash } = header
  return [
    header.parentHash,
    NO_UNCLES_HASH,
    header.coinbase,
    header.stateRoot,
    header.transactionsRoot,
    header.receiptsRoot,
    header.bloom,
    EMPTY,
    fromUint(header.number),
    fromUint(header.gasLimit),
    fromUint(header.gasUsed),
    fromUint(header.timestamp),
    EMPTY,
    header.prevRandao,
    new Uint8Array(8),
    ...(baseFeeWei === undefined ? [] : [fromUint(baseFeeWei)]),
    ...(withdrawalsRoot ? [withdrawalsRoot] : []),
    ...(parentBeaconBlockRoot ? [fromUint(blobGasUsed!), fromUint(excessBlobGas!), parentBeaconBlockRoot] : []),
    ...(requestsHash ? [requestsHash] : []),
  ]
}

/** Encodes a receipt as in the trie of receipts. */
export function encodeReceipt(receipt: {
  readonly type: number
  readonly status: 0 | 1
  readonly cumulativeGasUsed: bigint
  readonly bloom: Uint8Array
  readonly logs: readonly EvmLog[]
}): Uint8Array {
  const { type, status, cumulativeGasUsed, bloom, logs } = receipt
  const fields = encode([
    fromUint(BigInt(status)),
    fromUint(cumulativeGasUsed),
    bloom,
    logs.map(({ address, topics, data }) => [address, topics, data]),
  ])
  return type === 0 ? fields : concat(Uint8Array.of(type), fields)
}
