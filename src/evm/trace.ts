/**
 * What an execution tells whoever traces it: frames, logs and accounts as they come, and steps in batches. A tracer that reads no
 * steps costs the execution next to nothing: it runs on the plain build.
 */
import type { EvmLog } from './state.ts'

export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'

export interface FrameStart {
  readonly kind: FrameKind
  /** 1 for the outermost. */
  readonly depth: number
  /** Who calls, creates or is destructed: for DELEGATECALL the account that the code works on. */
  readonly from: Uint8Array
  /** The account called or to be created, or the heir. */
  readonly to: Uint8Array
  /** Calldata or init code; copied when it is read, which is possible during `enter` only. */
  readonly input: Uint8Array
  readonly gas: bigint
  /** What is moved; under DELEGATECALL what the frame around it got. Unit: wei. */
  readonly valueWei: bigint
  readonly isPrecompile: boolean
}

export interface FrameEnd {
  readonly depth: number
  readonly success: boolean
  /** In geth's words. */
  readonly error: string | undefined
  readonly gasUsed: bigint
  /** Return or revert data; of a creation the deployed code. */
  readonly output: Uint8Array
}

/** Accounts and slots as running code sees them. */
export interface TraceState {
  exists(address: Uint8Array): boolean
  balance(address: Uint8Array): bigint
  nonce(address: Uint8Array): bigint
  code(address: Uint8Array): Uint8Array
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Whether it is gone at the end of the transaction. */
  isDestructed(address: Uint8Array): boolean
}

/** The transaction that is traced, before anything of it happened. */
export interface TracedTransaction {
  readonly from: Uint8Array
  /** Undefined for a creation. */
  readonly to: Uint8Array | undefined
  /** Where a creation creates. */
  readonly contractAddress?: Uint8Array | undefined
  readonly gasLimit: bigint
  readonly gasPriceWei: bigint
  readonly valueWei: bigint
  readonly input: Uint8Array
  readonly coinbase: Uint8Array
  /** The signers of its authorizations (EIP-7702) that can be recovered. */
  readonly authorities: readonly Uint8Array[]
}

/** How the traced transaction ended: what its receipt says. */
export interface TracedResult {
  readonly success: boolean
  readonly error?: string | undefined
  readonly gasUsed: bigint
  readonly output: Uint8Array
}

/** The frame whose steps a batch holds, as its code sees itself. */
export interface RunningContract {
  readonly address: Uint8Array
  readonly caller: Uint8Array
  readonly valueWei: bigint
  readonly input: Uint8Array
}

/** Offsets in the record of a step: see `evm/trace.ts`. The stack lies behind it, bottom first, words as four limbs, the lowest first. */
export const STEP = {
  size: 0,
  kind: 4,
  pc: 8,
  op: 12,
  depth: 16,
  memorySize: 20,
  gas: 24,
  cost: 32,
  refund: 40,
  height: 48,
  failure: 52,
  stack: 56,
} as const

/** Offsets in the record of a write into memory; the bytes lie behind it if `whole` is 1, else in the frame's memory. */
export const WRITE = { size: 0, kind: 4, offset: 8, length: 12, whole: 16, bytes: 24 } as const

/** Kinds of records. */
export const RECORD = { step: 0, write: 1 } as const

/** How far a step got that ended its frame: not begun (stack, gas), or begun (everything else, REVERT too). */
export const FAILURE = { none: 0, notBegun: 1, begun: 2 } as const

/** Steps as entries of a struct log, each with a comma in front. */
export interface FormattedSteps {
  /** ASCII, valid during the call of `steps` only. */
  readonly text: Uint8Array
  /** How many entries it is. */
  readonly count: number
  /** The record of the last entry, if its object is left open for more fields and the `}`; else 0. */
  readonly open: number
  /** The record to go on with; the batch's `end` when all is done. */
  readonly next: number
}

export interface StepFormat {
  readonly withStack: boolean
  /** Which entries are left open, besides those of steps that failed before they began. */
  readonly open: 'storage' | 'all' | 'none'
}

/** What one frame did until it called, ended, or filled the buffer. Everything in it is valid during the call of `steps` only. */
export interface StepBatch {
  /** 1 for the outermost frame. */
  readonly depth: number
  readonly contract: RunningContract
  /** Linear memory: records lie one behind the other from `start` to `end`, each as long as its first u32 says. */
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  /** Where the frame's memory begins in `bytes`. */
  readonly memory: number
  /** Why the last step failed, in geth's words, if it did. */
  readonly error: string | undefined
  /** Return data of the frame's last call. */
  returnData(): Uint8Array
  /** The steps from a record on as JSON: as many as there is room for, no more than `most`, up to the first that is left open. */
  format(from: number, format: StepFormat, most: number): FormattedSteps
  /** The state before the step whose record lies at an address. */
  stateBefore(record: number): TraceState
}

/** What a tracer reads of steps. */
export interface StepReads {
  readonly stack: boolean
  readonly memory: boolean
}

/** Whoever listens. Order: `start`, then `enter`, the frame's batches and inner frames, `exit`, then `end`. */
export interface Tracer {
  /** The account, by `toKey`, of whose calls alone `enter` hears. Default: every call, creation and self-destruct. */
  readonly callee?: string
  /** Undefined for a tracer that reads no steps, or no more of them. Asked before every run of code. */
  reads?(): StepReads | undefined
  /** Before nonce, fees and authorizations. What runs the transaction calls this and `end`, after fees and refunds. */
  start?(transaction: TracedTransaction, state: TraceState): void
  end?(result: TracedResult, state: TraceState): void
  enter?(frame: FrameStart, state: TraceState): void
  exit?(frame: FrameEnd): void
  steps?(batch: StepBatch): void
  log?(log: EvmLog): void
  /** An opcode that was paid for looked at an account, or is about to call it. */
  account?(address: Uint8Array, state: TraceState): void
  slot?(address: Uint8Array, slot: Uint8Array, state: TraceState): void
}
