/** Simulated blocks in Ethereum's encoding: header, roots and hash. */
import { bloomOf } from '../../../evm/bloom.ts'
import type { EvmLog } from '../../../evm/state.ts'
import { encodeTransaction } from '../../../evm/transaction/encode.ts'
import type { Transaction } from '../../../evm/transaction/types.ts'
import { listTrieRoot } from '../../../evm/trie.ts'
import type { EvmBlockEnv } from '../../../evm/types.ts'
import { concat, EMPTY, ZERO_WORD } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { encode, fromUint } from '../../../primitives/rlp.ts'

const EMPTY_UNCLES = keccak256(encode([]))

export interface SimulatedCall {
  readonly transaction: Transaction
  readonly hash: Uint8Array
  readonly from: Uint8Array
  readonly output: Uint8Array
  readonly gasUsed: bigint
  /** Maximum gas in use, before refunds. */
  readonly maxGasUsed: bigint
  /** Empty on success. */
  readonly vmError: string
  readonly logs: readonly EvmLog[]
}

export interface SimulatedBlock {
  readonly env: EvmBlockEnv
  readonly hash: Uint8Array
  readonly parentHash: Uint8Array
  readonly gasUsed: bigint
  readonly bloom: Uint8Array
  readonly transactionsRoot: Uint8Array
  readonly receiptsRoot: Uint8Array
  /** Size of the block in Ethereum's encoding. */
  readonly sizeBytes: number
  readonly calls: readonly SimulatedCall[]
}

/** Encodes a receipt for the receipts root. */
function receiptOf({ transaction, vmError, logs }: SimulatedCall, cumulativeGas: bigint): Uint8Array {
  const fields = encode([
    vmError === '' ? Uint8Array.of(1) : EMPTY,
    fromUint(cumulativeGas),
    bloomOf(logs),
    logs.map(({ address, topics, data }) => [address, topics, data]),
  ])
  return transaction.type === 0 ? fields : concat(Uint8Array.of(transaction.type), fields)
}

/** Builds the simulated block around its calls: an Ethereum header in which only the state root is empty. */
export function sealBlock(env: EvmBlockEnv, parentHash: Uint8Array, calls: readonly SimulatedCall[]): SimulatedBlock {
  let gasUsed = 0n
  const receipts = calls.map((call) => {
    gasUsed += call.gasUsed
    return receiptOf(call, gasUsed)
  })
  const transactions = calls.map(({ transaction }) => encodeTransaction(transaction))
  const roots = {
    transactionsRoot: listTrieRoot(transactions),
    receiptsRoot: listTrieRoot(receipts),
    bloom: bloomOf(calls.flatMap(({ logs }) => logs)),
  }
  const header = [
    parentHash,
    EMPTY_UNCLES,
    env.coinbase,
    ZERO_WORD,
    roots.transactionsRoot,
    roots.receiptsRoot,
    roots.bloom,
    EMPTY,
    fromUint(env.number),
    fromUint(env.gasLimit),
    fromUint(gasUsed),
    fromUint(env.timestamp),
    EMPTY,
    env.prevRandao,
    new Uint8Array(8),
    fromUint(env.baseFee),
  ]
  const hash = keccak256(encode(header))
  const sizeBytes = encode([header, transactions, []]).length
  return { env, hash, parentHash, gasUsed, ...roots, sizeBytes, calls }
}
