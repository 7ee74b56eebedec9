/** The context that every handler receives: state, block, gas and events. Nothing else is ambient. */
import type { DescMessage, DescMethod, Message, MessageInitShape } from '@bufbuild/protobuf'
import type { Header } from '../gen/tendermint/types/types_pb.ts'
import type { Identity } from '../identity/types.ts'
import type { GasMeter } from '../store/gas.ts'
import type { Branch, ChainEvent, EventAttribute, Reader, Writer } from '../store/types.ts'
import type { ModuleAccount } from './module-account.ts'

/** A vote of the last commit, as reported by the consensus engine. */
interface CommitVote {
  /** Consensus address, 20 bytes. */
  readonly validator: Uint8Array
  readonly power: bigint
  readonly signed: boolean
}

/** Misbehaviour of a validator, as reported by the consensus engine. */
interface Misbehaviour {
  readonly kind: 'duplicateVote' | 'lightClientAttack'
  /** Consensus address, 20 bytes. */
  readonly validator: Uint8Array
  readonly height: bigint
  readonly timeNs: bigint
  readonly power: bigint
}

/** The block being executed, or for a query the block whose state is read. */
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
  /** The whole header, if the consensus driver provides it and the profile records it. */
  readonly header?: Header | undefined
  /** Block gas limit; 0 means no limit. */
  gasLimit: bigint
  /** Votes for the previous block; empty outside of block execution. */
  readonly votes: readonly CommitVote[]
  /** Misbehaviour that this block reports; absent means none was reported. */
  readonly misbehaviour?: readonly Misbehaviour[]
}

/** A module's listener on a hook: plain data that a module definition lists. */
export interface HookListener {
  readonly hook: string
  readonly run: (ctx: Context, payload: never) => void
}

/** The handler of one message, for messages that carry other messages. */
interface MessageHandler {
  readonly method: DescMethod
  /** Takes a message of `method.input`, returns one of `method.output`. */
  readonly handle: (ctx: Context, message: Message) => Message
}

/** Facts about the application that a handler can read. They are fixed at assembly. */
export interface AppFacts {
  /** Returns a module's consensus version in the state being read; undefined if that state does not contain the module. */
  versionOf(module: string): number | undefined
  /** Returns the listeners on a hook, in module order. */
  listeners(hook: string): readonly HookListener[]
  /** Every module account of this build, sorted by name. */
  readonly moduleAccounts: readonly ModuleAccount[]
  /** Returns the module account at an address. */
  moduleAccountAt(address: Uint8Array): ModuleAccount | undefined
  /** Whether the address refuses sends from ordinary accounts (docs/modules/bank.md#state). */
  isBlocked(address: Uint8Array): boolean
  /**
   * Returns the descriptor of a message that an Any can contain, by its neutral full name; undefined if this build lacks
   * it.
   */
  message(neutralName: string): DescMessage | undefined
  /** Whether a module of this build handles the message as part of a transaction. */
  isRouted(neutralName: string): boolean
  /** Returns the handler of a message by its neutral full name. */
  handlerOf(neutralName: string): MessageHandler | undefined
  /** Runs the stateless checks of a message. Admission runs them only on the messages directly in a transaction. */
  validate(ctx: ReadContext, schema: DescMessage, message: Message): void
}

export interface ReadContext {
  readonly store: Reader
  readonly block: Readonly<BlockInfo>
  readonly identity: Identity
  readonly gas: GasMeter
  readonly app: AppFacts
}

/** A context that can write. Every write and event belongs to its branch. */
export interface Context extends ReadContext {
  /** Metered view of the branch. */
  readonly store: Writer
  readonly block: BlockInfo
  readonly branchStore: Branch
  /**
   * Emits a typed event: its type is the message's full name under the profile, its attributes are the fields as JSON, sorted
   * by key.
   */
  emit<Desc extends DescMessage>(schema: Desc, init: MessageInitShape<Desc>): void
  /** Emits an untyped event with its attributes in the given order. */
  emitEvent(type: string, attributes: Readonly<Record<string, string>> | readonly EventAttribute[]): void
  readonly events: readonly ChainEvent[]
  /**
   * Returns a context on a nested branch. Its `merge` keeps writes and events; without it both are discarded. A separate
   * meter is charged for the branch's accesses instead of the parent's.
   */
  branch(options?: { readonly gas?: GasMeter }): BranchedContext
  /** Returns a context on the same branch whose reads and writes are charged to another meter. */
  withGas(gas: GasMeter): Context
  /**
   * Values that live for one block and roll back with their branch (bloom, counters). They are never committed and have their
   * own gas prices.
   */
  readonly transient: Writer
}

export interface BranchedContext extends Context {
  merge(): void
}

/** The context of an upgrade's migration. */
export interface MigrationContext extends Context {
  /** Says how many keys the step will set and delete, so that its progress has a remaining time. Absent if nobody watches. */
  readonly expectKeys?: ((count: number) => void) | undefined
  /**
   * Streams a sorted run of entries to the store, for migrations with more keys than should be in memory at once. Keys ascend
   * and occur once; an undefined value deletes. The entries can be read from the same store during the write: reads return
   * the state before the run. The run commits or fails as a whole with its block.
   */
  writeRun(store: string, entries: Iterable<readonly [key: Uint8Array, value: Uint8Array | undefined]>): void
}
