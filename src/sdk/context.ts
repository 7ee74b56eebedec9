/** What travels through every handler: state, block, gas and events. Nothing else is ambient. */
import type { DescMessage, MessageInitShape } from '@bufbuild/protobuf'
import type { Identity } from '../identity/types.ts'
import type { GasMeter } from '../store/gas.ts'
import type { Branch, ChainEvent, EventAttribute, Reader, Writer } from '../store/types.ts'

/** The block in progress, or for a query the block whose state is read. */
export interface BlockInfo {
  height: bigint
  timeNs: bigint
  readonly chainId: string
  readonly evmChainId: bigint
  /** Consensus address of the proposer, 20 bytes; empty if unknown. */
  proposer: Uint8Array
  /** Hash of this block's header, 32 bytes; empty if not known yet. */
  hash: Uint8Array
  lastCommitHash: Uint8Array
  /** Block gas limit; 0 means none. */
  gasLimit: bigint
}

export interface ReadContext {
  readonly store: Reader
  readonly block: Readonly<BlockInfo>
  readonly identity: Identity
  readonly gas: GasMeter
}

/** A context that writes. Every write and event belongs to its branch. */
export interface Context extends ReadContext {
  /** Metered view of the branch. */
  readonly store: Writer
  readonly block: BlockInfo
  readonly branchStore: Branch
  /** A typed event: type is the full message name under the profile, attributes its fields as JSON, sorted by key. */
  emit<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): void
  /** An untyped event, attributes in the order given. */
  emitEvent(type: string, attributes: Readonly<Record<string, string>> | readonly EventAttribute[]): void
  readonly events: readonly ChainEvent[]
  /** A context on a nested branch; its `merge` keeps writes and events, forgetting it drops both. */
  branch(options?: { readonly gas?: GasMeter }): BranchedContext
  /** Values that live for one block and roll back with their branch (bloom, counters); never committed. */
  readonly transient: Writer
}

export interface BranchedContext extends Context {
  merge(): void
}
