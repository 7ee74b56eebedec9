/** Whoever decides the next block. Gateways know only this. */
import type { StoredBlock, TxResult } from '../app/records.ts'

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
  pending(): readonly PendingTx[]
  pendingCount(): { readonly count: number; readonly sizeBytes: number }
  onBlock(listener: (block: StoredBlock) => void): () => void
  onPending(listener: (tx: PendingTx) => void): () => void
  status(): {
    readonly catchingUp: boolean
    readonly halted?: string
    readonly latestHeight: bigint
    readonly latestTimeNs: bigint
  }
  stop(): Promise<void>
}
