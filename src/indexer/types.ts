/** The interface of lookups in stored blocks. */
import type { BlockHeader, EvmTx, StoredBlock, Validator } from '../app/records.ts'
import type { LogConditions } from './log-matcher.ts'

export interface LogQuery extends LogConditions {
  readonly fromHeight: bigint
  readonly toHeight: bigint
  readonly limit?: number
}

export interface FoundLog {
  readonly height: bigint
  readonly blockHash: Uint8Array
  readonly timeNs: bigint
  readonly tx: EvmTx
  readonly logIndex: number
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}

/** Lookups in stored blocks. Results are limited to the stored heights. Nothing found is undefined, never an error. */
export interface BlockIndex {
  latestHeight(): bigint
  earliestHeight(): bigint
  block(height: bigint): StoredBlock | undefined
  /** Returns the record of the block whose state was restored from a snapshot. Only its header is known, in part. */
  restored(height: bigint): Omit<StoredBlock, 'results' | 'blockEvents' | 'evmTxs'> | undefined
  /** Reads only the header, which is cheap. That of a restored state is known too, in part. */
  header(height: bigint): { readonly header: BlockHeader; readonly hash: Uint8Array } | undefined
  /** Caches the header of a block that has just been committed, which its listeners read. */
  learn(block: StoredBlock): void
  heightOfHash(blockHash: Uint8Array): bigint | undefined
  /** Finds a consensus transaction by its hash (sha256 of its bytes). */
  tx(hash: Uint8Array): { readonly height: bigint; readonly index: number } | undefined
  /** Finds an EVM transaction by its Ethereum hash. */
  evmTx(hash: Uint8Array): { readonly height: bigint; readonly evmIndex: number } | undefined
  /**
   * Yields logs in order, and before those of a height the height itself. A long search can pause at each height, even while
   * blocks are committed.
   */
  logs(query: LogQuery): IterableIterator<FoundLog | bigint>
  /** Yields the heights of blocks with EVM transactions, both ends included. A long search can pause at each height. */
  evmHeights(range: { readonly from: bigint; readonly to: bigint; readonly reverse: boolean }): IterableIterator<bigint>
  /** Yields consensus transactions with an event attribute, such as `transfer.recipient`, equal to a value. */
  txsByEvent(
    key: string,
    value: string,
    range?: { readonly from?: bigint; readonly to?: bigint; readonly reverse?: boolean },
  ): IterableIterator<{ readonly height: bigint; readonly index: number }>
  /** Evicts cached blocks above a height, after a rollback. */
  evictAbove(height: bigint): void
  /** Returns the validators that vote at a height, with their proposer priorities. */
  validators(height: bigint): readonly Validator[] | undefined
}
