/** Whoever decides the next block. Gateways know only this. */
import type { StoredBlock, TxResult } from '../app/records.ts'
import type { Amendment } from '../modules/evm/keeper.ts'
import type { ValidatorBehaviour } from './validators.ts'

/** What admission said of a transaction. */
export interface Admission {
  readonly code: number
  readonly codespace: string
  readonly log: string
  readonly gasWanted: bigint
  readonly gasUsed: bigint
  /** sha256 of the bytes, 32 bytes. */
  readonly hash: Uint8Array
  /** The expected failure itself, so that a gateway can answer in its own words. */
  readonly error?: Error
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

export interface Driver {
  /**
   * Checks a consensus transaction and puts it into the pool. With blocks on arrival the promise resolves after the
   * commit of the block that holds it (an answered hash survives a kill); otherwise it resolves on admission.
   * Never rejects for a bad transaction: that is `code`. Rejects `unavailable` when the node is stopping or halted.
   */
  submit(tx: Uint8Array): Promise<Admission>
  /** As `submit`, and waits for inclusion. Rejects `deadlineExceeded` when not included in time. */
  submitAndWait(
    tx: Uint8Array,
    timeoutMs: number,
  ): Promise<{ readonly admission: Admission; readonly inclusion?: Inclusion }>
  /** Makes the next block now (solo). Resolves with its height after the commit. */
  nextBlock(): Promise<bigint>
  /**
   * Resolves when the header after a committed height exists, which holds its app hash. At the tip a block is made for
   * it (solo), at most one a second. Rejects `unavailable` when the node is stopping or halted.
   */
  nextHeader(height: bigint): Promise<void>
  pending(): readonly PendingTx[]
  pendingCount(): { readonly count: number; readonly sizeBytes: number }
  onBlock(listener: (block: StoredBlock) => void): () => void
  onPending(listener: (tx: PendingTx) => void): () => void
  /** Told of the height to which the chain went back: what was known of later heights is no longer so. */
  onRollback(listener: (height: bigint) => void): () => void
  status(): {
    readonly catchingUp: boolean
    readonly halted?: Halted
    readonly latestHeight: bigint
    readonly latestTimeNs: bigint
    /** How often the chain went back since the driver started: what was remembered of its heights holds no more. */
    readonly rollbacks?: number
  }
  /** What the tools of a development chain may do; absent on every other. */
  readonly development?: Development | undefined
  stop(): Promise<void>
}

/** Why no further block is made. */
export interface Halted {
  /** One sentence without its full stop. */
  readonly reason: string
  /** What an operator does about it, likewise. */
  readonly next: string
  /** The block that was not made. */
  readonly height: bigint
  /** The upgrade that is the reason, if one is. */
  readonly upgrade?: string | undefined
}

/** What makes blocks: the arrival of a transaction, the passing of time, both, or nothing but being asked. */
export interface Mining {
  readonly automine: boolean
  /** 0: not by time. */
  readonly intervalMs: number
}

/** What the tools of a development chain may do to it beside sending transactions (ADR 0006). */
export interface Development {
  /** Makes the changes in an administrative block. Resolves with its height; rejects, with nothing changed, for what the chain cannot hold. */
  amend(amendments: readonly Amendment[]): Promise<bigint>
  /** Makes blocks, the second and later ones `stepSeconds` after the one before if that is given. */
  mine(count: bigint, stepSeconds?: bigint): Promise<void>
  /** Remembers the chain as it is, its pool and its clock. The numbers count from 1. */
  snapshot(): bigint
  /** Goes back to a remembered chain, which is forgotten with those after it. False if there is none of this number. */
  revert(id: bigint): Promise<boolean>
  /** Goes back to the first kept block, with an empty pool and the real clock. */
  reset(): Promise<void>
  /** Goes back by a number of blocks; the pool stays. Throws when there are not so many. */
  rollback(blocks: bigint): Promise<void>
  /**
   * Puts the clock forward, and makes the blocks that are needed until no epoch is due. Resolves with how far the clock is
   * ahead of the real one. Unit: seconds.
   */
  increaseTime(seconds: bigint): Promise<bigint>
  /** Sets the clock, which then goes on, and makes blocks as `increaseTime` does. Resolves with the same. Unit: seconds. */
  setTime(seconds: bigint): Promise<bigint>
  /** Sets the time of the next block alone, and the clock with it. Throws for a time that is not after the last block's. */
  setNextTime(seconds: bigint): void
  /** Every block follows the one before after so many seconds; undefined: by the clock again. */
  setTimeInterval(seconds: bigint | undefined): void
  mining(): Mining
  setMining(mining: Mining): void
  /** How a validator of this node behaves from the next block on. Throws `invalidArgument` if there is no such validator. */
  setValidator(index: number, behaviour: ValidatorBehaviour): void
  /** Lowest price that the pool takes from now on. Unit: wei a gas unit. */
  setMinGasPrice(wei: bigint): void
  /** Whether what contracts print reaches the node's log. */
  setLogging(on: boolean): void
  /** Writes what a contract printed to the node's log, unless that is off. */
  print(line: string): void
  /** Takes a transaction out of the pool. False if it does not wait. */
  drop(hash: Uint8Array): boolean
}
