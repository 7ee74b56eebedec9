/** What travels through every handler: state, block, gas and events. Nothing else is ambient. */
import type { DescMessage, DescMethod, Message, MessageInitShape } from '@bufbuild/protobuf'
import type { Header } from '../gen/tendermint/types/types_pb.ts'
import type { Identity } from '../identity/types.ts'
import type { GasMeter } from '../store/gas.ts'
import type { Branch, ChainEvent, EventAttribute, Reader, Writer } from '../store/types.ts'
import type { ModuleAccount } from './module-account.ts'

/** A vote of the last commit, as the consensus engine reports it. */
interface CommitVote {
  /** Consensus address, 20 bytes. */
  readonly validator: Uint8Array
  readonly power: bigint
  readonly signed: boolean
}

/** What the engine found a validator guilty of. */
interface Misbehaviour {
  readonly kind: 'duplicateVote' | 'lightClientAttack'
  /** Consensus address, 20 bytes. */
  readonly validator: Uint8Array
  readonly height: bigint
  readonly timeNs: bigint
  readonly power: bigint
}

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
  /** The whole header, where who orders the blocks gives it. */
  readonly header?: Header | undefined
  /** Block gas limit; 0 means none. */
  gasLimit: bigint
  /** Who signed the block before; empty outside of block execution. */
  readonly votes: readonly CommitVote[]
  /** What came to light with this block; absent is nothing. */
  readonly misbehaviour?: readonly Misbehaviour[]
}

/** One module's answer to a hook: plain data that a module definition lists. */
export interface HookListener {
  readonly hook: string
  readonly run: (ctx: Context, payload: never) => void
}

/** What a message that carries messages runs: the handler of one of them. */
interface MessageHandler {
  readonly method: DescMethod
  /** Takes a message of `method.input`, answers one of `method.output`. */
  readonly handle: (ctx: Context, message: Message) => Message
}

/** What a handler may know of the application it runs in: facts fixed at assembly. */
export interface AppFacts {
  /** Consensus version of a module in the state at hand; undefined: the module is no part of it. */
  versionOf(module: string): number | undefined
  /** Listeners of a hook, in module order. */
  listeners(hook: string): readonly HookListener[]
  /** Every module account of this build, sorted by name. */
  readonly moduleAccounts: readonly ModuleAccount[]
  /** The module account at an address. */
  moduleAccountAt(address: Uint8Array): ModuleAccount | undefined
  /** Whether sends from ordinary accounts may not reach the address (support-modules.md §6.3). */
  isBlocked(address: Uint8Array): boolean
  /** Descriptor of a message by its neutral full name, for what an Any may hold; undefined if this build does not know it. */
  message(neutralName: string): DescMessage | undefined
  /** Whether a module of this build handles the message as part of a transaction. */
  isRouted(neutralName: string): boolean
  /** The handler of a message by its neutral full name. */
  handlerOf(neutralName: string): MessageHandler | undefined
  /** Runs the stateless checks of a message, which admission runs on those of a transaction alone. */
  validate(ctx: ReadContext, schema: DescMessage, message: Message): void
  /**
   * To be told of an unexpected failure that does not go on to whoever called: its stack is for the node's log. It throws the
   * failures of the environment, which no block goes on from (ADR 0021).
   */
  onBug(error: unknown): void
}

export interface ReadContext {
  readonly store: Reader
  readonly block: Readonly<BlockInfo>
  readonly identity: Identity
  readonly gas: GasMeter
  readonly app: AppFacts
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
  /**
   * A context on a nested branch; its `merge` keeps writes and events, forgetting it drops both. With a meter of its
   * own, its accesses are charged there instead of to the parent's.
   */
  branch(options?: { readonly gas?: GasMeter }): BranchedContext
  /** The same branch with another meter: what it reads and writes is charged there. */
  withGas(gas: GasMeter): Context
  /** Values that live for one block and roll back with their branch (bloom, counters); never committed, metered apart. */
  readonly transient: Writer
}

export interface BranchedContext extends Context {
  merge(): void
}

/** What a migration of an upgrade writes with. */
export interface MigrationContext extends Context {
  /**
   * Writes a sorted run straight through to the store, so that no more than a piece of it is ever in memory: for migrations
   * of more keys than memory should hold. Keys ascend, each once; an undefined value deletes. The entries may be read from the
   * same store while they are written: they show what was there before. Still all or nothing with the block.
   */
  writeRun(store: string, entries: Iterable<readonly [key: Uint8Array, value: Uint8Array | undefined]>): void
}
