/** Accounts and slots as a transaction sees them. */
import { equal } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../primitives/hash.ts'
import type { Installed } from './interpreter.ts'
import type { EvmAccount } from './state.ts'

/** Thirty-two bytes as a key (`toKey`): words are compared and looked up far more often than they are taken apart. */
export type Word = string

export const ZERO_KEY: Word = '\0'.repeat(32)

/** Thirty-two zero bytes. */
export const ZERO_WORD: Uint8Array = new Uint8Array(32)

/** A slot of an account's storage. */
export interface Slot {
  readonly account: Account
  readonly slot: Word
  /** At the start of the transaction. */
  readonly original: Word
  value: Word
  warm: boolean
}

/** An account in the journal. Only the journal changes it. */
export interface Account {
  readonly address: Uint8Array
  readonly key: string
  /** How many accounts were read before it. */
  readonly position: number
  /** How many accounts had begun to exist in this transaction when it did; undefined if it was there before, or is not. */
  born: number | undefined
  nonce: bigint
  /** Unit: wei. */
  balance: bigint
  codeHash: Uint8Array
  /** Loaded when first asked for. */
  code: Uint8Array | undefined
  /** Where the code is ready to run, if it is; for the interpreter's host. */
  installed: Installed | undefined
  exists: boolean
  /** What the state holds; undefined if no account. */
  stored: EvmAccount | undefined
  /** Deleted at the end if it is empty (EIP-161). */
  touched: boolean
  warm: boolean
  /** Created by this transaction. */
  created: boolean
  destructed: boolean
  readonly slots: Map<Word, Slot>
  transient: Map<Word, Word> | undefined
}

/** A contract that the transaction created, and the account that did. */
export interface Creation {
  readonly address: Uint8Array
  readonly creator: Uint8Array
}

/** Whether what the state holds counts as an account. */
export function isAccount(stored: EvmAccount | undefined): boolean {
  return stored !== undefined && !stored.isBalanceOnly
}

/** Without nonce, balance and code (EIP-161). */
export function isEmptyAccount(account: Account): boolean {
  return account.nonce === 0n && account.balance === 0n && equal(account.codeHash, EMPTY_CODE_HASH)
}
