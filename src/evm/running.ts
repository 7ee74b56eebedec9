/** The state of running code that the opcodes share with the driver of frames and the recorder. */
import { EMPTY } from '../primitives/bytes.ts'
import type { Account, Word } from './account.ts'

/** The components of the host's part of the last call's price. */
interface CallPrice {
  isCold: boolean
  /** The price of access to the account that a delegation points to (EIP-7702). Unit: gas. */
  delegate: number
  isNew: boolean
}

/** A value that a recorded step changed, as it was before the step. */
interface Change {
  /** The address of the step's record. */
  readonly record: number
  readonly account: Account
  readonly slot?: { readonly key: Word; readonly value: Word }
  readonly balance?: bigint
}

export interface RunningState {
  /** The account whose storage and balance the running code uses. */
  self: Account
  /** The return data of the last call if it is too large for RETURN_DATA. */
  largeReturn: Uint8Array
  readonly lastCall: CallPrice
  /** The changes of the steps since the list was last cleared, if steps are recorded. */
  readonly changes: Change[]
  /** The reason why the SELFDESTRUCT that ended the last run could not move the balance. */
  refusal: string | undefined
  /** A SELFDESTRUCT of the running frame that is not yet reported to the tracer. */
  destructed: { readonly beneficiary: Account; readonly amount: bigint } | undefined
}

/** Creates the state of one execution. `self` is set before code runs. */
export function createRunningState(): RunningState {
  return {
    self: undefined as unknown as Account,
    largeReturn: EMPTY,
    lastCall: { isCold: false, delegate: 0, isNew: false },
    changes: [],
    refusal: undefined,
    destructed: undefined,
  }
}
