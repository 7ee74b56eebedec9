/** The types shared by the EVM, its precompiles and its callers. */
import type { Rules } from './forks.ts'
import type { EvmLog, EvmState } from './state.ts'
import type { Tracer } from './trace.ts'

/** The block as opcodes see it. */
export interface EvmBlockEnv {
  readonly number: bigint
  /** Unit: seconds. */
  readonly timestamp: bigint
  /** 20 bytes. */
  readonly coinbase: Uint8Array
  readonly gasLimit: bigint
  /** The value of opcode 0x44 from Paris on, 32 bytes. */
  readonly prevRandao: Uint8Array
  /** The value of opcode 0x44 before Paris. */
  readonly difficulty: bigint
  /** Unit: wei. */
  readonly baseFee: bigint
  /** Unit: wei. */
  readonly blobBaseFee: bigint
  readonly chainId: bigint
}

/** The transaction as opcodes see it. */
interface EvmTxEnv {
  /** 20 bytes. */
  readonly origin: Uint8Array
  /** The effective price. Unit: wei. */
  readonly gasPrice: bigint
  /** Versioned hashes, 32 bytes each. */
  readonly blobHashes: readonly Uint8Array[]
}

export type CallKind = 'CALL' | 'CALLCODE' | 'DELEGATECALL' | 'STATICCALL'

export interface CallMessage {
  /** The value of CALLER, 20 bytes. */
  readonly caller: Uint8Array
  /** The account whose storage and balance the code uses, and which receives the value, 20 bytes. */
  readonly to: Uint8Array
  /** The account whose code runs, 20 bytes. Default: `to`. A delegation (EIP-7702) is resolved. */
  readonly codeAddress?: Uint8Array
  /** The value transferred from `caller` to `to`. Unit: wei. */
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly gas: bigint
  readonly isStatic?: boolean
}

/** A call that a precompile makes. */
interface InnerCall extends CallMessage {
  /** The call begins with a new access list, as a transaction does. Accounts and slots warm before it stay cold after it. */
  readonly resetsAccess?: boolean
}

export interface CreateMessage {
  readonly caller: Uint8Array
  readonly valueWei: bigint
  readonly initCode: Uint8Array
  readonly gas: bigint
  /** Selects the address rule of CREATE2. 32 bytes. */
  readonly salt?: Uint8Array
  /** The nonce for the address, if the caller's nonce was incremented beforehand. Default: the caller's nonce, which is then incremented. */
  readonly nonce?: bigint
}

/** The result of an execution. Failing code never throws; a failure has reverted the writes of its frames. */
export interface CallResult {
  readonly success: boolean
  readonly gasLeft: bigint
  /** The data of RETURN or REVERT; for a successful creation the deployed code. */
  readonly output: Uint8Array
  /** The error with geth's text. `execution reverted` keeps gas and output; every other error consumes all gas. */
  readonly error?: string | undefined
  /** True if `shouldStop` ended the execution: then the result is not that of the code. */
  readonly stopped?: boolean
}

export interface CreateResult extends CallResult {
  /** The address of the contract, also of a failed creation, 20 bytes; absent if the creation failed before it was computed. */
  readonly address?: Uint8Array | undefined
}

/** A precompile that is a function of its input. The input is a view of the caller's memory: it is valid during the call only and must not be returned. */
export interface PurePrecompile {
  readonly kind: 'pure'
  gas(input: Uint8Array): bigint
  /** Returns the output; undefined refuses the input and consumes all gas of the call. Called only if the gas suffices. */
  run(input: Uint8Array): Uint8Array | undefined
  /** Returns the reason for refusing an input, with geth's text; undefined if it is unknown. */
  refusal?(input: Uint8Array): string | undefined
}

export interface StatefulPrecompile {
  readonly kind: 'stateful'
  /** A lower bound of the minimum gas of every call; 0 by default. */
  readonly least?: bigint
  /** Returns the minimum gas: with less it does not run, and all gas is consumed. Default: 0. The input is a view of the caller's memory. */
  gas?(input: Uint8Array, work: PendingWork): bigint
  /**
   * Runs on the chain's state inside a branch of `EvmState`, in which all earlier writes of the EVM are visible. A failure
   * (`success` false) drops the branch, and so does a failure of any enclosing frame. A thrown error drops it and is rethrown by `call`.
   */
  run(context: PrecompileContext): PrecompileOutcome
}

export type Precompile = PurePrecompile | StatefulPrecompile

/** The precompiles by `toKey(address)`. All are warm from the start (EIP-2929). */
export type Precompiles = ReadonlyMap<string, Precompile>

/** Work that a call of a stateful precompile causes before it runs. */
export interface PendingWork {
  readonly state: EvmState
  /** Changes of accounts that the call writes to the state. */
  readonly unwritten: number
}

export interface PrecompileContext extends PendingWork {
  readonly input: Uint8Array
  readonly caller: Uint8Array
  /** The account it runs as: its own address, or the caller's under DELEGATECALL and CALLCODE. */
  readonly address: Uint8Array
  /** The address of the precompile. */
  readonly codeAddress: Uint8Array
  readonly kind: CallKind
  /** The value of the call, already transferred to `address`. Unit: wei. */
  readonly valueWei: bigint
  readonly gas: bigint
  readonly isStatic: boolean
  readonly origin: Uint8Array
  /** Calls a contract, one level deeper, in the same transaction. Each side sees the writes of the other. */
  call(message: InnerCall): CallResult
  log(log: EvmLog): void
}

interface PrecompileOutcome {
  readonly success: boolean
  readonly gasUsed: bigint
  /** The return data; on failure it is kept only if `error` is `execution reverted`. */
  readonly output: Uint8Array
  /** Default on failure: `execution reverted`. Any other error consumes all gas. */
  readonly error?: string
}

export interface EvmOptions {
  readonly state: EvmState
  readonly rules: Rules
  readonly block: EvmBlockEnv
  readonly tx: EvmTxEnv
  readonly precompiles: Precompiles
  /** Called at calls, precompiles and every few milliseconds of running code; true ends the execution. */
  readonly shouldStop?: (() => boolean) | undefined
  /** Selects light mode: `shouldStop` is called every few microseconds of code, and `giveUp` ends the execution inside long opcodes. */
  readonly light?: { giveUp(): never } | undefined
  /**
   * The number of calls at which code is prepared for the fast loop, unless it runs long before that. Default 2: most code
   * that runs once never runs again. Tests of the fast loop set 1.
   */
  readonly optimiseAtCall?: number | undefined
  /** Receives the events of the execution; if it reads steps, the code runs on the traced build. */
  readonly tracer?: Tracer | undefined
}
