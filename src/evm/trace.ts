/**
 * The interface between an execution and its tracer: frames, logs and accounts as they occur, and steps in batches. A tracer that
 * reads no steps costs almost nothing: the execution uses the plain build.
 */
import type { EvmLog } from './state.ts'

export type FrameKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL' | 'CREATE' | 'CREATE2' | 'SELFDESTRUCT'

export interface FrameStart {
  readonly kind: FrameKind
  /** 1 for the outermost. */
  readonly depth: number
  /** The account that calls, creates or is destructed; for DELEGATECALL the account whose storage the code uses. */
  readonly from: Uint8Array
  /** The account called or created, or the beneficiary of a self-destruct. */
  readonly to: Uint8Array
  /** Calldata or init code. */
  readonly input: Uint8Array
  readonly gas: bigint
  /** The value transferred; for DELEGATECALL the value of the calling frame. Unit: wei. */
  readonly valueWei: bigint
  readonly isPrecompile: boolean
}

export interface FrameEnd {
  readonly depth: number
  readonly success: boolean
  /** The error with geth's text. */
  readonly error: string | undefined
  readonly gasUsed: bigint
  /** Return or revert data; for a creation the deployed code. */
  readonly output: Uint8Array
}

/** The accounts and slots that running code sees. */
export interface TraceState {
  exists(address: Uint8Array): boolean
  balance(address: Uint8Array): bigint
  nonce(address: Uint8Array): bigint
  code(address: Uint8Array): Uint8Array
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Whether the account is deleted at the end of the transaction. */
  isDestructed(address: Uint8Array): boolean
}

/** The traced transaction. */
export interface TracedTransaction {
  readonly from: Uint8Array
  /** Undefined for a creation. */
  readonly to: Uint8Array | undefined
  /** The address of the contract that a creation creates. */
  readonly contractAddress?: Uint8Array | undefined
  readonly gasLimit: bigint
  readonly gasPriceWei: bigint
  readonly valueWei: bigint
  readonly input: Uint8Array
  readonly coinbase: Uint8Array
  /** The recovered signers of its authorizations (EIP-7702); authorizations with an invalid signature are omitted. */
  readonly authorities: readonly Uint8Array[]
}

/** The result of the traced transaction, as in its receipt. */
export interface TracedResult {
  readonly success: boolean
  readonly error?: string | undefined
  readonly gasUsed: bigint
  readonly output: Uint8Array
}

/** The call frame of a batch of steps, as its code sees it. */
export interface RunningContract {
  readonly address: Uint8Array
  readonly caller: Uint8Array
  readonly valueWei: bigint
  readonly input: Uint8Array
}

/** Offsets in the record of a step: see `evm/trace.ts`. The stack follows, bottom first; a word is four limbs, the lowest first. */
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

/** Offsets in the record of a write to memory. The bytes follow it if `whole` is 1; else they are in the frame's memory. */
export const WRITE = { size: 0, kind: 4, offset: 8, length: 12, whole: 16, bytes: 24 } as const

/** Kinds of records. */
export const RECORD = { step: 0, write: 1 } as const

/** The progress of a step that ended its frame: not begun (stack, gas), or begun (any other failure, and REVERT). */
export const FAILURE = { none: 0, notBegun: 1, begun: 2 } as const

/** Steps as entries of a struct log, each with a leading comma. */
export interface FormattedSteps {
  /** ASCII, valid during the call of `steps` only. */
  readonly text: Uint8Array
  /** The number of entries. */
  readonly count: number
  /** The record of the last entry if its object is left open for more fields and the `}`; else 0. */
  readonly open: number
  /** The record to continue with; the batch's `end` after the last record. */
  readonly next: number
}

export interface StepFormat {
  readonly withStack: boolean
  /** The entries to leave open, besides those of steps that failed before they began. */
  readonly open: 'storage' | 'all' | 'none'
}

/** The steps of one frame until it called, ended, or filled the buffer. Everything in it is valid during the call of `steps` only. */
export interface StepBatch {
  /** 1 for the outermost frame. */
  readonly depth: number
  readonly contract: RunningContract
  /** Linear memory: records follow each other from `start` to `end`; the first u32 of each is its length. */
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  /** The offset of the frame's memory in `bytes`. */
  readonly memory: number
  /** The error of the last step with geth's text, if it failed. */
  readonly error: string | undefined
  /** Returns the return data of the frame's last call. */
  returnData(): Uint8Array
  /** Formats steps from a record on as JSON: until the buffer is full, at most `most`, and up to the first one left open. */
  format(from: number, format: StepFormat, most: number): FormattedSteps
  /** Returns the state before the step with the record at this address. */
  stateBefore(record: number): TraceState
}

/** The parts of steps that a tracer reads. */
export interface StepReads {
  readonly stack: boolean
  readonly memory: boolean
}

/** A listener to an execution. Order of calls: `start`, `enter`, the frame's batches and inner frames, `exit`, `end`. */
export interface Tracer {
  /** Limits `enter` to calls of one account, given by `toKey`. Default: every call, creation and self-destruct. */
  readonly callee?: string
  /** Returns undefined if the tracer reads no steps, or no further ones. Called before every run of code. */
  reads?(): StepReads | undefined
  /** Called before nonce, fees and authorizations change. The caller of the EVM calls `start`, and `end` after fees and refunds. */
  start?(transaction: TracedTransaction, state: TraceState): void
  end?(result: TracedResult, state: TraceState): void
  enter?(frame: FrameStart, state: TraceState): void
  exit?(frame: FrameEnd): void
  steps?(batch: StepBatch): void
  log?(log: EvmLog): void
  /** Called when an opcode with enough gas reads an account or is about to call it. */
  account?(address: Uint8Array, state: TraceState): void
  slot?(address: Uint8Array, slot: Uint8Array, state: TraceState): void
}
