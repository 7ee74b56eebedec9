/** Look-ups over the blocks that a node keeps. */
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

/** Look-ups over kept blocks. Bounds are the kept heights; nothing found is undefined, never an error. */
export interface BlockIndex {
  latestHeight(): bigint
  earliestHeight(): bigint
  block(height: bigint): StoredBlock | undefined
  /** The header without transactions and results: cheap. */
  header(height: bigint): { readonly header: BlockHeader; readonly hash: Uint8Array } | undefined
  heightOfHash(blockHash: Uint8Array): bigint | undefined
  /** Place of a consensus transaction by its hash (sha256 of its bytes). */
  tx(hash: Uint8Array): { readonly height: bigint; readonly index: number } | undefined
  /** Place of an EVM transaction by its Ethereum hash. */
  evmTx(hash: Uint8Array): { readonly height: bigint; readonly evmIndex: number } | undefined
  /**
   * Logs in order. Between them stand the heights that the search comes to, each before what is found there: places where a long
   * one may rest, also while blocks are made.
   */
  logs(query: LogQuery): IterableIterator<FoundLog | bigint>
  /** Heights and indexes of consensus transactions with an event attribute equal to a value (`transfer.recipient`). */
  txsByEvent(
    key: string,
    value: string,
    range?: { readonly from?: bigint; readonly to?: bigint; readonly reverse?: boolean },
  ): IterableIterator<{ readonly height: bigint; readonly index: number }>
  /** Drops what it remembers of blocks above a height: they were taken back. */
  forgetAbove(height: bigint): void
  /** The set that votes at a height, with the turns of proposers. */
  validators(height: bigint): readonly Validator[] | undefined
}
