/** The types that the driver of frames shares with its parts: the request for a call or creation, its context and its outcome. */
import { EMPTY } from '../primitives/bytes.ts'
import type { Account } from './account.ts'
import type { Environment, Host, Interpreter } from './interpreter.ts'
import type { Journal } from './journal/journal.ts'
import { FRAME } from './layout.ts'
import type { Recorder } from './recorder.ts'
import type { RunningState } from './running.ts'
import type { CallMessage, CallResult, EvmOptions } from './types.ts'

/** The requester of a call or creation: a running frame, or a caller from outside. */
export interface Requester {
  readonly record: number
  readonly depth: number
  readonly self: Account
  /** The caller that code run by DELEGATECALL sees. */
  readonly caller: Account
  readonly static: boolean
}

/** Options of an outermost call or creation. */
export interface Request {
  /** The account whose code runs. Default: the account called. */
  readonly code?: Account
  /** The nonce for the address of a creation; the creator's nonce is not changed then. */
  readonly nonce?: bigint
}

/** The components of one execution. */
export interface ExecutionContext {
  readonly interpreter: Interpreter
  readonly environment: Environment
  readonly journal: Journal
  /** The functions that running code calls. */
  readonly access: Host
  readonly running: RunningState
  readonly options: EvmOptions
  /** Absent if no tracer reads steps. */
  readonly recorder: Recorder | undefined
  /** Runs a call from outside, for precompiles that call back. */
  callBack(message: CallMessage, depth: number): CallResult
}

/** The result of a call or creation; set when it is settled. */
export interface Outcome {
  success: boolean
  error: string | undefined
  output: Uint8Array
  address: Uint8Array | undefined
}

export function newOutcome(): Outcome {
  return { success: false, error: undefined, output: EMPTY, address: undefined }
}

export function fail(outcome: Outcome, error: string, output: Uint8Array = EMPTY): undefined {
  outcome.success = false
  outcome.error = error
  outcome.output = output
}

export function succeed(outcome: Outcome, output: Uint8Array): undefined {
  outcome.success = true
  outcome.error = undefined
  outcome.output = output
}

/** Settles a call or creation that does not begin: its gas is returned to the caller. */
export function refuseRequest(interpreter: Interpreter, parent: number, outcome: Outcome, error: string): undefined {
  interpreter.exports.refuse(parent)
  fail(outcome, error)
}

/** Returns the gas of the requested call, stipend included. */
export function childGas(interpreter: Interpreter, parent: number): bigint {
  return interpreter.i64(parent + FRAME.childGas)
}

/** Returns the value of the requested call. Unit: wei. */
export function childValue(interpreter: Interpreter, parent: number): bigint {
  return interpreter.u32(parent + FRAME.childValued) === 0 ? 0n : interpreter.wordAt(parent + FRAME.childValue)
}

/** Returns a copy of the calldata or init code of the requested call. */
export function childData(interpreter: Interpreter, parent: number): Uint8Array {
  return viewChildData(interpreter, parent).slice()
}

/** Returns a view of the calldata or init code, valid until code runs: it can be long although the call is cheap. */
export function viewChildData(interpreter: Interpreter, parent: number): Uint8Array {
  const from = interpreter.u32(parent + FRAME.childData)
  return interpreter.view(from, from + interpreter.u32(parent + FRAME.childDataLength))
}
