/** The accounts and slots of a transaction. */
import { equal } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../primitives/hash.ts'
import type { Installed } from './interpreter.ts'
import type { EvmAccount } from './state.ts'

/** Thirty-two bytes as a string key (`toKey`): words are compared and looked up far more often than decoded. */
export type Word = string

export const ZERO_KEY: Word = '\0'.repeat(32)

/** A slot of an account's storage. */
export interface Slot {
  readonly account: Account
  readonly slot: Word
  /** The value at the start of the transaction. */
  readonly original: Word
  value: Word
  warm: boolean
}

/** An account in the journal. Only the journal changes it. */
export interface Account {
  readonly address: Uint8Array
  readonly key: string
  /** Counts loaded accounts from 0. */
  readonly loadIndex: number
  /** Counts accounts that began to exist in this transaction from 0; undefined if it existed before or does not exist. */
  birthIndex: number | undefined
  nonce: bigint
  /** Unit: wei. */
  balance: bigint
  /** Part of the balance, or more than it, that the account cannot send. Unit: wei. */
  locked: bigint
  codeHash: Uint8Array
  /** Loaded on first use. */
  code: Uint8Array | undefined
  /** The code in the interpreter's memory, if it is installed there. */
  installed: Installed | undefined
  exists: boolean
  /** The account in the state; undefined if there is no account. */
  stored: EvmAccount | undefined
  /** Whether it is deleted at the end if it is empty then (EIP-161). */
  touched: boolean
  warm: boolean
  /** Whether this transaction created it. */
  created: boolean
  destructed: boolean
  readonly slots: Map<Word, Slot>
  transient: Map<Word, Word> | undefined
}

/** A contract that the transaction created, and the account that created it. */
export interface Creation {
  readonly address: Uint8Array
  readonly creator: Uint8Array
}

/** Whether an entry of the state counts as an account: coins alone do not. */
export function isAccount(stored: EvmAccount | undefined): boolean {
  return stored !== undefined && !stored.isBalanceOnly
}

/** Whether nonce and balance are zero and there is no code (EIP-161). */
export function isEmptyAccount(account: Account): boolean {
  return account.nonce === 0n && account.balance === 0n && equal(account.codeHash, EMPTY_CODE_HASH)
}
