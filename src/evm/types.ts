/** What travels between the EVM, its precompiles and those who run transactions on it. */
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
  /** 32 bytes; what opcode 0x44 reads from Paris on. */
  readonly prevRandao: Uint8Array
  /** What opcode 0x44 reads before Paris. */
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
  /** 20 bytes: what CALLER reads. */
  readonly caller: Uint8Array
  /** 20 bytes: the account whose storage and balance the code works on, and which receives the value. */
  readonly to: Uint8Array
  /** 20 bytes: where the code comes from. Default: `to`. A delegation (EIP-7702) is followed. */
  readonly codeAddress?: Uint8Array
  /** Moved from caller to `to`. Unit: wei. */
  readonly valueWei: bigint
  readonly data: Uint8Array
  readonly gas: bigint
  readonly isStatic?: boolean
}

/** A call that a precompile makes. */
interface InnerCall extends CallMessage {
  /** It begins with an access list of its own, as a transaction does, and what was warm before stays cold after it. */
  readonly forgetsAccess?: boolean
}

export interface CreateMessage {
  readonly caller: Uint8Array
  readonly valueWei: bigint
  readonly initCode: Uint8Array
  readonly gas: bigint
  /** 32 bytes; present for the address rule of CREATE2. */
  readonly salt?: Uint8Array
  /** The nonce the address is made from, when the caller's nonce was raised beforehand. Default: the caller's, which is then raised. */
  readonly nonce?: bigint
}

/** How an execution ended. Nothing is thrown for what code can do; a failure has undone the writes of its frames. */
export interface CallResult {
  readonly success: boolean
  readonly gasLeft: bigint
  /** What RETURN or REVERT gave; for a creation that succeeded, the deployed code. */
  readonly output: Uint8Array
  /** The failure in geth's words; `execution reverted` keeps gas and output, every other takes all gas. */
  readonly error?: string | undefined
  /** True when `shouldStop` ended it: the result is no result of the code. */
  readonly stopped?: boolean
}

export interface CreateResult extends CallResult {
  /** 20 bytes: where the contract is or would have been; absent when it failed before that was known. */
  readonly address?: Uint8Array | undefined
}

/** A precompile that is a function of its input, which is the caller's memory: it is read during the call only, and never given back. */
export interface PurePrecompile {
  readonly kind: 'pure'
  gas(input: Uint8Array): bigint
  /** The output, or undefined when the input is refused, which takes all gas of the call. Called only with the gas paid. */
  run(input: Uint8Array): Uint8Array | undefined
  /** Why a refused input was, in geth's words; undefined if that is not known. */
  refusal?(input: Uint8Array): string | undefined
}

export interface StatefulPrecompile {
  readonly kind: 'stateful'
  /** With less gas than this it is not run, and takes all of it. Default: 0. The input is the caller's memory. */
  gas?(input: Uint8Array): bigint
  /**
   * Runs on the chain's state inside a branch of `EvmState`, with everything the EVM wrote so far visible in it; a
   * failure (`success` false), and the failure of any frame around it, drops the branch. A thrown error also drops it and leaves `call`.
   */
  run(context: PrecompileContext): PrecompileOutcome
}

export type Precompile = PurePrecompile | StatefulPrecompile

/** By `toKey(address)`. All of them are warm from the start (EIP-2929). */
export type Precompiles = ReadonlyMap<string, Precompile>

export interface PrecompileContext {
  readonly input: Uint8Array
  readonly caller: Uint8Array
  /** The account on whose behalf it runs: its own address, or the caller's under DELEGATECALL and CALLCODE. */
  readonly address: Uint8Array
  /** Where the precompile is. */
  readonly codeAddress: Uint8Array
  readonly kind: CallKind
  /** Already moved to `address`. Unit: wei. */
  readonly valueWei: bigint
  readonly gas: bigint
  readonly isStatic: boolean
  readonly origin: Uint8Array
  readonly state: EvmState
  /** Calls a contract, one level deeper, in the same transaction; what both sides wrote is visible to the other. */
  call(message: InnerCall): CallResult
  log(log: EvmLog): void
}

interface PrecompileOutcome {
  readonly success: boolean
  readonly gasUsed: bigint
  /** On failure the return data, as of a REVERT when `error` is `execution reverted`. */
  readonly output: Uint8Array
  /** Default on failure: `execution reverted`. Any other takes all gas. */
  readonly error?: string
}

export interface EvmOptions {
  readonly state: EvmState
  readonly rules: Rules
  readonly block: EvmBlockEnv
  readonly tx: EvmTxEnv
  readonly precompiles: Precompiles
  /** Asked at calls, precompiles and every few milliseconds of running code; true ends the execution. */
  readonly shouldStop?: (() => boolean) | undefined
  /** Only what is done at once is wanted: `shouldStop` is asked after each bit of work, and inside long opcodes `giveUp` ends all. */
  readonly light?: { giveUp(): never } | undefined
  /**
   * The call of the same code at which it is prepared for the fast loop, unless it runs long before that. Default 2: most code
   * that is seen once is seen never again. Tests of the fast loop say 1.
   */
  readonly optimiseAtCall?: number | undefined
  /** Hears what happens; if it reads steps, the code runs on the traced build. */
  readonly tracer?: Tracer | undefined
}
