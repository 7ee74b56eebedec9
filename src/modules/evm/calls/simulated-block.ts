/** Simulated blocks in Ethereum's encoding: header, roots and hash. */
import { bloomOf } from '../../../evm/bloom.ts'
import { type EthereumHeader, encodeReceipt, forkFields, headerItem } from '../../../evm/ethereum-block.ts'
import type { ForkName } from '../../../evm/forks.ts'
import type { EvmLog } from '../../../evm/state.ts'
import { encodeTransaction } from '../../../evm/transaction/encode.ts'
import type { Transaction } from '../../../evm/transaction/types.ts'
import { listTrieRoot } from '../../../evm/trie.ts'
import type { EvmBlockEnv } from '../../../evm/types.ts'
import { ZERO_WORD } from '../../../primitives/bytes.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { encode } from '../../../primitives/rlp.ts'

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
  readonly header: EthereumHeader
  readonly hash: Uint8Array
  /** Size of the block in Ethereum's encoding. */
  readonly sizeBytes: number
  readonly calls: readonly SimulatedCall[]
}

/** Builds the simulated block around its calls: an Ethereum header in which only the state root is empty. */
export function sealBlock(
  env: EvmBlockEnv,
  parentHash: Uint8Array,
  calls: readonly SimulatedCall[],
  fork: ForkName,
): SimulatedBlock {
  let gasUsed = 0n
  const receipts = calls.map(({ transaction: { type }, vmError, logs, gasUsed: own }) => {
    gasUsed += own
    return encodeReceipt({
      type,
      status: vmError === '' ? 1 : 0,
      cumulativeGasUsed: gasUsed,
      bloom: bloomOf(logs),
      logs,
    })
  })
  const transactions = calls.map(({ transaction }) => encodeTransaction(transaction))
  const header: EthereumHeader = {
    parentHash,
    coinbase: env.coinbase,
    stateRoot: ZERO_WORD,
    transactionsRoot: listTrieRoot(transactions),
    receiptsRoot: listTrieRoot(receipts),
    bloom: bloomOf(calls.flatMap(({ logs }) => logs)),
    number: env.number,
    gasLimit: env.gasLimit,
    gasUsed,
    timestamp: env.timestamp,
    prevRandao: env.prevRandao,
    ...forkFields(fork, env.baseFee),
  }
  const item = headerItem(header)
  const sizeBytes = encode([item, transactions, [], ...(header.withdrawalsRoot ? [[]] : [])]).length
  return { header, hash: keccak256(encode(item)), sizeBytes, calls }
}
