/** The accounts of a transaction, loaded from the state on first use. */
import { EMPTY, equal, toKey } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import { type Account, isAccount, isEmptyAccount } from '../account.ts'
import type { Changes } from './write-back.ts'

export interface Accounts {
  account(address: Uint8Array): Account
  /** Returns the account if it is loaded; `key` is `toKey(address)`. */
  loadedAccount(key: string): Account | undefined
  nonce(address: Uint8Array): bigint
  balance(address: Uint8Array): bigint
  codeHash(address: Uint8Array): Uint8Array
  code(address: Uint8Array): Uint8Array
  codeOf(account: Account): Uint8Array
  exists(address: Uint8Array): boolean
  isEmpty(address: Uint8Array): boolean
  /** Whether a SELFDESTRUCT that was not reverted deletes the account at the end. */
  isDestructed(address: Uint8Array): boolean
  /** Whether no code and no delegation can be stored for the account. */
  refusesCode(address: Uint8Array): boolean
  /** Whether a creation at the address would collide (EIP-684, EIP-7610), or its account refuses code. */
  collides(address: Uint8Array): boolean
}

export function createAccounts(
  { state, accounts, undo, branches }: Changes,
  isWarmAtLoad: (key: string) => boolean,
): Accounts {
  function load(key: string, address: Uint8Array): Account {
    const stored = state.account(address)
    const account: Account = {
      address,
      key,
      loadIndex: loads++,
      birthIndex: undefined,
      nonce: stored?.nonce ?? 0n,
      balance: stored?.balanceWei ?? 0n,
      locked: stored?.lockedWei ?? 0n,
      codeHash: stored?.codeHash ?? EMPTY_CODE_HASH,
      code: undefined,
      installed: undefined,
      exists: isAccount(stored),
      stored,
      touched: false,
      warm: isWarmAtLoad(key),
      created: false,
      destructed: false,
      slots: new Map(),
      transient: undefined,
    }
    accounts.set(key, account)
    if (branches.length > 0) undo.push(() => accounts.delete(key))
    return account
  }

  function find(address: Uint8Array): Account {
    const key = toKey(address)
    return accounts.get(key) ?? load(key, address.slice())
  }

  function codeOf(account: Account): Uint8Array {
    account.code ??= equal(account.codeHash, EMPTY_CODE_HASH) ? EMPTY : state.code(account.codeHash)
    return account.code
  }

  let loads = 0
  return {
    account: find,
    loadedAccount: (key) => accounts.get(key),
    nonce: (address) => find(address).nonce,
    balance: (address) => find(address).balance,
    codeHash: (address) => find(address).codeHash,
    code: (address) => codeOf(find(address)),
    codeOf,
    exists: (address) => find(address).exists,
    isEmpty: (address) => isEmptyAccount(find(address)),
    isDestructed: (address) => find(address).destructed,
    refusesCode: (address) => find(address).stored?.refusesCode === true,
    collides(address) {
      const account = find(address)
      if (account.nonce !== 0n || !equal(account.codeHash, EMPTY_CODE_HASH)) return true
      if (account.stored?.refusesCode) return true
      return account.stored !== undefined && state.hasStorage(address)
    },
  }
}
