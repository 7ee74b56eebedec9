/**
 * How the state hears of what the journal holds: before module code runs on it, and at the end of the transaction. Whatever is told
 * can be taken back with the rest, as long as a branch of the state holds it.
 */
import { equal, fromKey, toKey } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../primitives/hash.ts'
import { type Account, isAccount, isEmptyAccount, type Slot, type Word } from './account.ts'
import type { EvmState } from './state.ts'

/** What takes a change back; the commonest ones are data. */
export type Undo = (() => void) | { readonly slot: Slot; readonly value: Word } | { readonly warmed: Account | Slot }

/** What the journal holds of a transaction that the state may have to hear of. */
export interface Changes {
  readonly state: EvmState
  /** Whether touched accounts that are empty go at the end (EIP-161). */
  readonly deletesEmpty: boolean
  /** Accounts as read and as they are now, by `toKey(address)`. */
  readonly accounts: Map<string, Account>
  readonly undo: Undo[]
  /** Lengths of `undo` at the live snapshots. */
  readonly marks: number[]
  /** Changes of balances in their order, and how many of them the state has been told. */
  readonly moves: { readonly account: Account; readonly byWei: bigint }[]
  movesTold: number
  /** Up to here `undo` has been looked through for written slots. */
  flushedUndo: number
  /** Accounts that may hold what the state has not been told; slots are found in `undo`. */
  dirty: Set<Account>
  /** Open branches of the state. What is read while one is open is forgotten with it. */
  readonly branches: { depth: number; merged: boolean }[]
}

/** Opens a branch of the state and writes everything so far into it. */
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

/** Branches that no snapshot separates any more become one. */
export function joinBranches({ state, branches, marks }: Changes): void {
  for (const branch of branches) branch.depth = Math.min(branch.depth, marks.length)
  while (branches.length > 1 && branches.at(-1)!.depth === branches.at(-2)!.depth) {
    branches.pop()!.merged = true
    state.merge()
  }
}

/** Writes what has changed since the last time: precompiles ask for it often, in transactions that have read much. */
export function flush(changes: Changes): void {
  const { dirty, undo } = changes
  const written = writtenSlots(changes)
  tellMoves(changes)
  for (const account of inOrder(dirty)) flushAccount(changes, account)
  for (const slot of written) flushSlot(changes, slot)
  changes.dirty = new Set()
  const before = changes.flushedUndo
  undo.push(() => {
    changes.flushedUndo = before
    for (const account of dirty) changes.dirty.add(account)
  })
  changes.flushedUndo = undo.length
}

/** Writes everything, without the accounts that are no more, and closes the branches. */
export function finalise(changes: Changes): void {
  const { state, deletesEmpty, accounts, branches } = changes
  const written = writtenSlots(changes)
  tellMoves(changes)
  const isGone = (account: Account): boolean =>
    account.destructed || (deletesEmpty && account.touched && isEmptyAccount(account))
  for (const account of inOrder(accounts.values())) {
    const gone = isGone(account)
    if (!gone || state.keepsDestructed) flushAccount(changes, account)
    // What a destructed account was sent afterwards goes with it, also where no account came to be.
    if (!gone || (!account.stored && account.balance === 0n)) continue
    state.setAccount(account.address, undefined)
    if (!state.keepsDestructed) state.clearStorage(account.address)
  }
  for (const slot of written) if (state.keepsDestructed || !isGone(slot.account)) flushSlot(changes, slot)
  while (branches.pop()) state.merge()
}

/** Those that began to exist come first, in that order: the state numbers accounts as it gets them. */
function inOrder(accounts: Iterable<Account>): Account[] {
  const rank = ({ born }: Account): number => born ?? Number.POSITIVE_INFINITY
  return [...accounts].sort((a, b) => (a.born === b.born ? a.position - b.position : rank(a) - rank(b)))
}

/** Reads accounts again that module code may have changed. */
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

/** Slots that were written and not reverted since the last flush: also a value that came back is a write. */
function writtenSlots({ undo, flushedUndo }: Changes): ReadonlySet<Slot> {
  const written = new Set<Slot>()
  for (let i = flushedUndo; i < undo.length; i++) {
    const entry = undo[i]!
    if (typeof entry !== 'function' && 'slot' in entry) written.add(entry.slot)
  }
  return written
}

/** Tells the state of balances as they changed one after the other. */
function tellMoves(changes: Changes): void {
  const { state, moves, undo } = changes
  if (!state.moveWei || changes.movesTold === moves.length) return
  const told = changes.movesTold
  for (; changes.movesTold < moves.length; changes.movesTold++) {
    const { account, byWei } = moves[changes.movesTold]!
    state.moveWei(account.address, byWei)
    const before = account.stored
    if (!before) continue
    account.stored = { ...before, balanceWei: before.balanceWei + byWei }
    undo.push(() => {
      account.stored = before
    })
  }
  undo.push(() => {
    changes.movesTold = told
  })
}

function refreshAccount({ state, undo }: Changes, account: Account): void {
  const now = state.account(account.address)
  const { nonce, balance, codeHash, code, installed, exists, stored } = account
  if (now ? stored && now.nonce === nonce && now.balanceWei === balance && equal(now.codeHash, codeHash) : !stored)
    return
  undo.push(() => {
    Object.assign(account, { nonce, balance, codeHash, code, installed, exists, stored })
  })
  account.nonce = now?.nonce ?? 0n
  account.balance = now?.balanceWei ?? 0n
  account.codeHash = now?.codeHash ?? EMPTY_CODE_HASH
  if (!equal(account.codeHash, codeHash)) {
    account.code = undefined
    account.installed = undefined
  }
  account.exists = isAccount(now)
  account.stored = now
}
