/**
 * Writes the journal's changes to the state: before module code runs on it, and at the end of the transaction. A write into an
 * open branch of the state can still be undone: a revert drops the branch.
 */
import { equal, fromKey, toKey } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import { type Account, isAccount, isEmptyAccount, type Slot } from '../account.ts'
import type { EvmState } from '../state.ts'
import type { Undo } from './undo.ts'

/** The accounts and changes of a transaction, shared by the parts of the journal. */
export interface Changes {
  readonly state: EvmState
  /** Whether touched empty accounts are deleted at the end (EIP-161). */
  readonly deletesEmpty: boolean
  /** The loaded accounts, by `toKey(address)`. */
  readonly accounts: Map<string, Account>
  readonly undo: Undo[]
  /** The length of `undo` at each open snapshot. */
  readonly marks: number[]
  /** All balance changes, in order, and how many of them the state has received. */
  readonly balanceChanges: { readonly account: Account; readonly byWei: bigint }[]
  reportedBalanceChanges: number
  /** Accounts that can differ from the state; slots that can differ are found in `undo`. */
  dirty: Set<Account>
  /** Open branches of the state. Accounts and slots loaded while one is open are unloaded by a revert. */
  readonly branches: { depth: number; merged: boolean }[]
}

export function createChanges(state: EvmState, deletesEmpty: boolean): Changes {
  return {
    state,
    deletesEmpty,
    accounts: new Map(),
    undo: [],
    marks: [],
    balanceChanges: [],
    reportedBalanceChanges: 0,
    dirty: new Set(),
    branches: [],
  }
}

/** Opens a branch of the state and writes all changes of accounts so far into it. */
export function openBranch(changes: Changes): void {
  const { state, branches, marks, undo } = changes
  state.branch()
  const branch = { depth: marks.length, merged: false }
  branches.push(branch)
  undo.push(() => {
    if (branch.merged) return
    branches.pop()
    state.drop()
  })
  flush(changes)
}

/** Merges branches that no snapshot separates any more. */
export function joinBranches({ state, branches, marks }: Changes): void {
  for (const branch of branches) branch.depth = Math.min(branch.depth, marks.length)
  while (branches.length > 1 && branches.at(-1)!.depth === branches.at(-2)!.depth) {
    branches.pop()!.merged = true
    state.merge()
  }
}

/** Returns the number of changes that a flush would write. A revert undoes a flush, and so its changes count again. */
export function unwritten({ dirty, balanceChanges, reportedBalanceChanges }: Changes): number {
  return dirty.size + balanceChanges.length - reportedBalanceChanges
}

/**
 * Writes the changes of accounts since the last flush: precompiles flush often, in transactions that have loaded many accounts.
 * Slots are written at the end, because modules read them only by calls, which see the journal.
 */
export function flush(changes: Changes): void {
  const { dirty, undo } = changes
  reportBalanceChanges(changes)
  if (dirty.size === 0) return
  for (const account of inOrder(dirty)) flushAccount(changes, account)
  changes.dirty = new Set()
  undo.push(() => {
    for (const account of dirty) changes.dirty.add(account)
  })
}

/** Writes everything, deletes destructed and touched empty accounts, and merges the branches. */
export function finalise(changes: Changes): void {
  const { state, deletesEmpty, accounts, branches } = changes
  const written = writtenSlots(changes)
  reportBalanceChanges(changes)
  const isDeleted = (account: Account): boolean =>
    account.destructed || (deletesEmpty && account.touched && isEmptyAccount(account))
  for (const account of inOrder(accounts.values())) {
    const deleted = isDeleted(account)
    if (!deleted || state.keepsDestructed) flushAccount(changes, account)
    // Coins that a destructed account receives later are deleted too, even if the state has no account for them.
    if (!deleted || (!account.stored && account.balance === 0n)) continue
    state.setAccount(account.address, undefined)
    if (!state.keepsDestructed) state.clearStorage(account.address)
  }
  for (const slot of written) if (state.keepsDestructed || !isDeleted(slot.account)) flushSlot(changes, slot)
  while (branches.pop()) state.merge()
}

/** Sorts accounts that began to exist to the front, in that order: the state numbers accounts in the order of their writes. */
function inOrder(accounts: Iterable<Account>): Account[] {
  const rank = ({ birthIndex }: Account): number => birthIndex ?? Number.POSITIVE_INFINITY
  return [...accounts].sort((a, b) => (a.birthIndex === b.birthIndex ? a.loadIndex - b.loadIndex : rank(a) - rank(b)))
}

/** Reloads the accounts that module code can have changed. */
export function refresh(changes: Changes): void {
  const { state, accounts } = changes
  const changed = state.changedAccounts?.().map((address) => accounts.get(toKey(address))) ?? accounts.values()
  for (const account of changed) if (account) refreshAccount(changes, account)
}

function flushAccount({ state, deletesEmpty, undo }: Changes, account: Account): void {
  const { nonce, balance, codeHash, stored } = account
  const same =
    stored &&
    isAccount(stored) &&
    stored.nonce === nonce &&
    stored.balanceWei === balance &&
    equal(stored.codeHash, codeHash)
  if (account.exists && !same && !(deletesEmpty && !stored && isEmptyAccount(account))) {
    if (account.code?.length && !(stored && equal(stored.codeHash, codeHash))) state.setCode(codeHash, account.code)
    const next = { nonce, balanceWei: balance, codeHash }
    state.setAccount(account.address, next)
    account.stored = next
    undo.push(() => {
      account.stored = stored
    })
  }
}

function flushSlot({ state }: Changes, { account, slot, value }: Slot): void {
  state.setStorage(account.address, fromKey(slot), fromKey(value))
}

/** Returns the slots written and not reverted. Writing the original value again is a write too. */
function writtenSlots({ undo }: Changes): ReadonlySet<Slot> {
  const written = new Set<Slot>()
  for (const entry of undo) {
    if (typeof entry !== 'function' && 'slot' in entry) written.add(entry.slot)
  }
  return written
}

/** Reports every balance change to the state, in order. */
function reportBalanceChanges(changes: Changes): void {
  const { state, balanceChanges, undo } = changes
  const reported = changes.reportedBalanceChanges
  if (!state.moveWei || reported === balanceChanges.length) return
  for (; changes.reportedBalanceChanges < balanceChanges.length; changes.reportedBalanceChanges++) {
    const { account, byWei } = balanceChanges[changes.reportedBalanceChanges]!
    state.moveWei(account.address, byWei)
    const before = account.stored
    if (!before) continue
    account.stored = { ...before, balanceWei: before.balanceWei + byWei }
    undo.push(() => {
      account.stored = before
    })
  }
  undo.push(() => {
    changes.reportedBalanceChanges = reported
  })
}

function refreshAccount({ state, undo }: Changes, account: Account): void {
  const now = state.account(account.address)
  const { nonce, balance, locked, codeHash, code, installed, exists, stored } = account
  const isLockedAlike = (now?.lockedWei ?? 0n) === locked
  if (
    now
      ? stored && isLockedAlike && now.nonce === nonce && now.balanceWei === balance && equal(now.codeHash, codeHash)
      : !stored
  )
    return
  undo.push(() => {
    Object.assign(account, { nonce, balance, locked, codeHash, code, installed, exists, stored })
  })
  account.nonce = now?.nonce ?? 0n
  account.balance = now?.balanceWei ?? 0n
  account.locked = now?.lockedWei ?? 0n
  account.codeHash = now?.codeHash ?? EMPTY_CODE_HASH
  if (!equal(account.codeHash, codeHash)) {
    account.code = undefined
    account.installed = undefined
  }
  account.exists = isAccount(now)
  account.stored = now
}
