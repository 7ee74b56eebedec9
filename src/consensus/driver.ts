/** The interface between engines, which decide the next block, and everything that follows the chain. */
import type { Commit, StoredBlock, TxResult } from '../app/records.ts'
import type { BlockInput } from '../app/types.ts'
import type { Amendment } from '../modules/evm/keeper.ts'
import type { ReadContext } from '../sdk/context.ts'
import type { ValidatorBehaviour } from './validators.ts'

/** The result of admission. */
export interface Admission {
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  /** sha256 of the bytes, 32 bytes. */
  readonly hash: Uint8Array
  /** The expected failure, for gateways with their own texts. */
  readonly error?: Error
  /** Whether it waits behind a missing nonce of its sender. */
  readonly isQueued?: boolean
}

export interface Inclusion {
  readonly height: bigint
  readonly index: number
  readonly result: TxResult
}

export interface PendingTx {
  readonly hash: Uint8Array
  readonly bytes: Uint8Array
  /** Present for an EVM transaction. */
  readonly evm?: {
    readonly hash: Uint8Array
    readonly raw: Uint8Array
    readonly from: Uint8Array
    readonly nonce: bigint
  }
}

/** Transactions on their way into a block. */
export interface Submission {
  /**
   * Checks a transaction and adds it to the pool. With blocks on arrival the promise resolves after the commit of the block
   * that includes it, so that a returned hash survives a kill; otherwise it resolves after admission. Never rejects for a bad
   * transaction: see `code`. Rejects with `unavailable` while the chain takes no transactions. `client` is the address whose
   * transactions take turns with those of others, where another process submits them.
   */
  submit(tx: Uint8Array, client?: string): Promise<Admission>
  /** Submits and waits for inclusion. Rejects with `deadlineExceeded` after the timeout. */
  submitAndWait(
    tx: Uint8Array,
    timeoutMs: number,
  ): Promise<{ readonly admission: Admission; readonly inclusion?: Inclusion }>
}

/** A block that another chain made: its transactions and receipts, to be recorded without being executed. */
export type AdoptedBlock = Pick<
  StoredBlock,
  'hash' | 'txs' | 'results' | 'evmTxs' | 'evmGasUsed' | 'baseFeeWei' | 'gasLimit' | 'coinbase' | 'prevRandao'
> & {
  readonly height: bigint
  readonly timeNs: bigint
  /** Returns the changes to the state after the block before; absent for a block that changes nothing. */
  readonly amendments?: ((ctx: ReadContext) => readonly Amendment[]) | undefined
}

/** A block that is not made yet. */
export interface NextBlock {
  readonly input: BlockInput
  /** Commit of the last block. */
  readonly lastCommit: Commit | undefined
  /** Hash and parts of the block with these transactions. */
  readonly blockId: StoredBlock['blockId']
}

/** The transactions that wait in this process. */
export interface PoolView {
  /** Returns all waiting transactions by arrival. */
  pending(): readonly PendingTx[]
  /** Returns the waiting Ethereum transaction with this Ethereum hash. */
  ofEvmHash(hash: Uint8Array): PendingTx | undefined
  /** Returns the waiting transactions of a sender by nonce, and how many of them no nonce is missing before. */
  ofSender(sender: Uint8Array): { readonly txs: readonly PendingTx[]; readonly ready: number }
  /** Returns the number of Ethereum transactions that no nonce is missing before, and of the others. */
  evmCounts(): { readonly ready: number; readonly queued: number }
  /** Whether a transaction waits that the next block can include. */
  hasReady(): boolean
  /** Returns a number that grows with every change of the pool. */
  version(): number
  /** Returns the time of the block that would be made now. */
  nextTimeNs(): bigint
  /** Returns the block that would be made now, with the first `most` of its transactions in the order in which they would run. */
  next(most: number): NextBlock
  pendingCount(): { readonly count: number; readonly sizeBytes: number }
  /** Removes all waiting transactions, and answers their clients. Returns their number. */
  flush(): number
}

/** Notifications about the chain. Each method returns a function that removes the listener. */
export interface ChainEvents {
  onBlock(listener: (block: StoredBlock) => void): () => void
  onPending(listener: (tx: PendingTx) => void): () => void
  /** Calls the listener with the height that the chain went back to: facts about later heights no longer hold. */
  onRollback(listener: (height: bigint) => void): () => void
  onHalt(listener: () => void): () => void
  /** Calls the listener when the node stops: it waits for no further block. */
  onStop(listener: () => void): () => void
  /** Calls the listener when the status of a replica changes without a block. Absent for other engines. */
  onStatus?(listener: () => void): () => void
}

/** How far a replica is behind the node that it follows. */
export interface FollowStatus {
  /** Latest height of the node; undefined if it has not answered for ten seconds. */
  readonly nodeHeight: bigint | undefined
  /** Undefined as `nodeHeight` is. */
  readonly lagBlocks: bigint | undefined
  /** From the time of the latest block here to that of the node, or to the clock if the node does not answer. */
  readonly lagSeconds: number
  /** The latest height whose app hash is the node's; undefined if blocks are not verified. */
  readonly verifiedHeight: bigint | undefined
  /** The latest height whose app hash is in a signed header; undefined if blocks are not verified. */
  readonly confirmedHeight: bigint | undefined
  /** Blocks of the stream that wait here. */
  readonly queue: bigint
  /** Why the replica does not go on, until the cause is gone. */
  readonly stopped?: string
}

export interface ChainStatus {
  readonly catchingUp: boolean
  /** Present for a replica. */
  readonly follow?: FollowStatus
  readonly halted?: Halted
  readonly latestHeight: bigint
  readonly latestTimeNs: bigint
  /** Number of rollbacks since the start: caches keyed by height are stale after each. */
  readonly rollbacks?: number
}

/** Adds a transaction to the block that is about to be made, without causing one. */
export type Offer = (tx: Uint8Array) => Admission

/** Block production by this process. */
export interface BlockProduction {
  /** Makes the next block now. Resolves with its height after the commit. */
  nextBlock(): Promise<bigint>
  /**
   * Moves the clock forward and makes blocks until no epoch is due. Resolves with the latest height. Rejects with
   * `resourceExhausted` if that takes more than 52,560 blocks.
   */
  advance(byNs: bigint): Promise<bigint>
  timing(): BlockTiming
  /**
   * Runs a step before each block, which waits for it. Transactions that the step offers go into that block. A step handles
   * its own errors. Returns a function that removes the step.
   */
  beforeBlock(step: (offer: Offer) => Promise<void>): () => void
}

/** When blocks are made. */
export type BlockTiming =
  /** After transactions arrive and, with `everyMs`, at least once in that time. */
  | { readonly mode: 'arrival'; readonly everyMs?: number }
  | { readonly mode: 'manual' }
  | { readonly mode: 'interval'; readonly intervalMs: number }

/** The consensus interface used by gateways. Optional parts are present if this process has them. */
export interface Driver extends Submission, ChainEvents {
  /**
   * Resolves when the header after a committed height exists, which contains its app hash. At the tip the embedded engine
   * makes a block for it, at most one a second. Rejects with `unavailable` while no block can follow.
   */
  nextHeader(height: bigint): Promise<void>
  status(): ChainStatus
  /** Absent if the pool is in another process. */
  readonly pool?: PoolView | undefined
  /** Absent if another process or program decides the next block. */
  readonly production?: BlockProduction | undefined
  /** Absent except on a development chain. */
  readonly development?: Development | undefined
  /**
   * Begins the stop: refuses further transactions, waits for the block in progress, and rejects the clients that wait for
   * another with `unavailable`. State is still served.
   */
  drain(): Promise<void>
  /** Drains, and ends the engine. */
  stop(): Promise<void>
}

/** The reason why no further block is made. */
export interface Halted {
  /** One sentence, without full stop. */
  readonly reason: string
  /** The operator's next step: one sentence, without full stop. */
  readonly next: string
  /** Height of the block that was not made. */
  readonly height: bigint
  /** Name of the upgrade that caused the halt. */
  readonly upgrade?: string | undefined
}

/** Triggers of block production: arriving transactions, an interval, both, or requests only. */
export interface Mining {
  readonly automine: boolean
  /** 0 for no interval. */
  readonly intervalMs: number
  /** With automine and without an interval, the longest time between two blocks; 0 for none. */
  readonly everyMs: number
}

/** Changes that tools make to a development chain without a transaction (ADR 0006). */
export interface Development {
  /** Changes the state after the latest block, at once and without another block. Rejects invalid changes; then nothing changes. */
  amend(amendments: readonly Amendment[]): Promise<void>
  /**
   * Makes blocks. With a step of seconds, each after the first is that much later than its predecessor, and with `stepsFirst`
   * the first is that much later than the clock.
   */
  mine(count: bigint, step?: { readonly seconds: bigint; readonly stepsFirst: boolean }): Promise<void>
  /**
   * Records blocks of another chain, consecutive and ascending, after going back to the height before them. One at the first
   * height replaces the record of that block. Throws `invalidArgument` for blocks that do not follow a kept one.
   */
  adopt(blocks: readonly AdoptedBlock[]): Promise<void>
  /** Saves the chain with its pool and clock. Returns the snapshot's id; ids count from 1. */
  snapshot(): bigint
  /** Restores a snapshot, and deletes it and all later ones. Resolves with false if the id is unknown. */
  revert(id: bigint): Promise<boolean>
  /** Goes back to the earliest block, with an empty pool and the real clock. */
  reset(): Promise<void>
  /** Goes back by a number of blocks; the pool stays. Rejects if the chain has fewer. */
  rollback(blocks: bigint): Promise<void>
  /** Lets each block end every epoch that is over, since verbs move the clock (D56). */
  followClock(): Promise<void>
  /** Moves the clock forward, for the next block. Resolves with the clock's offset. Unit: seconds. */
  increaseTime(seconds: bigint): Promise<bigint>
  /** Sets the clock, which keeps running, for the next block. Resolves with its offset. Unit: seconds. */
  setTime(seconds: bigint): Promise<bigint>
  /** Sets the time of the next block, and the clock with it. Throws unless it is after the last block's time. */
  setNextTime(seconds: bigint): void
  /** Makes block times a fixed number of seconds apart; undefined returns to the clock. */
  setTimeInterval(seconds: bigint | undefined): void
  mining(): Mining
  setMining(mining: Mining): void
  /** Sets the behaviour of a validator of this node from the next block on. Throws `invalidArgument` for an unknown index. */
  setValidator(index: number, behaviour: ValidatorBehaviour): void
  /** Sets the lowest gas price that the pool accepts. Unit: wei per gas. */
  setMinGasPrice(wei: bigint): void
  /** Switches logging of what contracts print. */
  setLogging(on: boolean): void
  /** Logs a line that a contract printed, unless logging is off. */
  print(line: string): void
  /** Removes transactions from the pool. Returns how many of them were there. */
  drop(hashes: readonly Uint8Array[]): number
}
