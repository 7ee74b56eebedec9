/** The sources of a follower: the changes of each block, and the blocks themselves. */
import type { Validator } from '../../app/records.ts'
import type { Change } from '../../store/types.ts'
import type { NodeBlock } from './node-block.ts'

/** The changes of one block, those of genesis included in the first. */
export interface StreamedBlock {
  readonly height: bigint
  /** In the order of the stream; a later change of a key replaces an earlier one. */
  readonly changes: readonly Change[]
  /** The fault of the source that these replace; absent without a fault. */
  readonly insteadOf?: string
  /** Asks another source, if these turn out wrong; absent without one. */
  readonly instead?: (signal: AbortSignal) => Promise<StreamedBlock | Gap>
}

/** Heights that a source does not have and never will. */
export interface Gap {
  /** The first height after the gap; undefined if the source has no later one. */
  readonly until: bigint | undefined
  /** One clause: what is missing, and where. */
  readonly reason: string
}

export const isGap = (found: StreamedBlock | Gap): found is Gap => 'reason' in found

export interface ChangeSource {
  /**
   * Resolves with the changes of a height once the source has all of them, or with the gap that the height is in. Rejects with
   * `dataLoss` for content that is no change of a block, and if the signal aborts.
   */
  next(height: bigint, signal: AbortSignal): Promise<StreamedBlock | Gap>
  /** Resolves with the changes of a height if the source has them now, else with why not. Rejects as `next`. */
  now?(height: bigint, signal: AbortSignal): Promise<StreamedBlock | Gap>
  /** Tells that all heights up to this one are durable. The source can delete what it has of them. */
  release(height: bigint): void
  /** Forgets what it has read ahead from this height on, since the node may have other blocks. */
  forget(height: bigint): void
  /** Returns the latest height that the source has seen; undefined before the first. */
  latest(): bigint | undefined
  close(): void
}

/** The latest block of a node. */
export interface NodeTip {
  readonly chainId: string
  readonly height: bigint
  readonly hash: Uint8Array
  readonly timeNs: bigint
  /** Earliest height whose block the node has. */
  readonly earliest: bigint
}

export interface BlockSource {
  /** Resolves with a block that the node has. Rejects with `unavailable` if no URL answers, `dataLoss` for an answer that is no block. */
  block(height: bigint, signal: AbortSignal): Promise<NodeBlock>
  tip(signal: AbortSignal): Promise<NodeTip>
  /** Resolves with the validators of a height, with their priorities. */
  validators(height: bigint, signal: AbortSignal): Promise<readonly Validator[]>
  /** Resolves with the app hash after a height as the node's application reports it; undefined unless it is the latest. */
  appHashAfter(height: bigint, signal: AbortSignal): Promise<Uint8Array | undefined>
  /** Resolves with the root hash of a store after a height; undefined if the node does not prove it. */
  storeRoot(height: bigint, store: string, signal: AbortSignal): Promise<Uint8Array | undefined>
  /** Forgets all blocks, and asks the next URL from now on, since the answers of the one in use may be wrong. */
  turn(): void
  /** Forgets the blocks from this height on, since the node may have others. */
  forget(height: bigint): void
}
