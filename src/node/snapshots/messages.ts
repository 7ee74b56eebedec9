/** The messages between a node and the process that makes a snapshot for it. */
import type { StoreList } from '../../app/stores.ts'

export interface SnapshotJob {
  /** Folders of the database and of the snapshots. */
  readonly data: string
  readonly snapshots: string
  readonly stores: StoreList
  readonly height: string
}

export type FromSnapshotWorker =
  /** The height is held, and the chain can prune it. */
  | { readonly kind: 'open' }
  | { readonly kind: 'made'; readonly chunks: number; readonly appHash: string }
  | { readonly kind: 'failed'; readonly reason: string }
