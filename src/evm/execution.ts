/** What a frame wants, in what surroundings, and how that ended: what passes between the driver of frames and its parts. */
import { EMPTY } from '../primitives/bytes.ts'
import type { Access } from './access.ts'
import type { Account } from './account.ts'
import type { Environment, Interpreter } from './interpreter.ts'
import type { Journal } from './journal.ts'
import { FRAME } from './layout.ts'
import type { Recorder } from './recorder.ts'
import type { CallMessage, CallResult, EvmOptions } from './types.ts'

/** Someone who wants a frame: a running frame, or a caller outside. */
export interface Wanting {
  readonly record: number
  readonly depth: number
  readonly self: Account
  /** Whom DELEGATECALL shows as the caller. */
  readonly caller: Account
  readonly static: boolean
}

/** Where the code of an outermost call comes from, when it is not the account called. */
export interface Request {
  readonly code?: Account
  /** The nonce for the address of a creation; the creator's is then left alone. */
  readonly nonce?: bigint
}

/** The parts of one execution. */
export interface ExecutionContext {
  readonly interpreter: Interpreter
  readonly environment: Environment
  readonly journal: Journal
  readonly access: Access
  readonly options: EvmOptions
  /** Absent if nobody reads steps. */
  readonly recorder: Recorder | undefined
  /** A whole call from outside, for precompiles that call back. */
  callBack(message: CallMessage, depth: number): CallResult
}

/** Filled in by whatever settles a call or creation. */
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

/** Settles a call or creation that does not begin: its gas goes back to the caller. */
export function refuseWanted(interpreter: Interpreter, parent: number, outcome: Outcome, error: string): undefined {
  interpreter.exports.refuse(parent)
  fail(outcome, error)
}

/** The gas that the wanted call gets, stipend included. */
export function childGas(interpreter: Interpreter, parent: number): bigint {
  return interpreter.i64(parent + FRAME.childGas)
}

/** The value that goes with the wanted call. Unit: wei. */
export function childValue(interpreter: Interpreter, parent: number): bigint {
  return interpreter.u32(parent + FRAME.childValued) === 0 ? 0n : interpreter.wordAt(parent + FRAME.childValue)
}

/** The calldata or init code of the wanted call. */
export function childData(interpreter: Interpreter, parent: number): Uint8Array {
  return viewChildData(interpreter, parent).slice()
}

/** The same where it lies, as long as nothing runs: it may be long, and a call of it cheap. */
export function viewChildData(interpreter: Interpreter, parent: number): Uint8Array {
  const from = interpreter.u32(parent + FRAME.childData)
  return interpreter.view(from, from + interpreter.u32(parent + FRAME.childDataLength))
}
