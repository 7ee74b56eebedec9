/**
 * What a transaction has done to the state so far: accounts and slots as read and as they are now, access lists, transient
 * storage, refunds, logs, destructed accounts. Everything can be undone back to a snapshot; `write-back.ts` tells the state.
 */
import { EMPTY, equal, fromKey, toKey } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../primitives/hash.ts'
import { type Account, type Creation, isAccount, isEmptyAccount, type Slot, type Word, ZERO_KEY } from './account.ts'
import type { Rules } from './forks.ts'
import type { EvmLog, EvmState } from './state.ts'
import { type Changes, finalise, flush, joinBranches, openBranch, refresh, type Undo } from './write-back.ts'

/** Marks a moment to which `revert` can go back. Strictly nested: each ends with one `commit` or `revert`. */
export type Snapshot = number

export interface Journal {
  logs(): readonly EvmLog[]
  /** Contracts created so far and still there, in order of creation. */
  creations(): readonly Creation[]
  account(address: Uint8Array): Account
  nonce(address: Uint8Array): bigint
  balance(address: Uint8Array): bigint
  codeHash(address: Uint8Array): Uint8Array
  code(address: Uint8Array): Uint8Array
  exists(address: Uint8Array): boolean
  isEmpty(address: Uint8Array): boolean
  /** Whether a SELFDESTRUCT that still stands deletes the account at the end. */
  isDestructed(address: Uint8Array): boolean
  addBalance(address: Uint8Array, amountWei: bigint): void
  /** Throws a `RangeError` if the balance is too small: the caller checks. */
  subBalance(address: Uint8Array, amountWei: bigint): void
  setNonce(address: Uint8Array, nonce: bigint): void
  setCode(address: Uint8Array, code: Uint8Array, codeHash?: Uint8Array): void
  touch(address: Uint8Array): void
  touchAccount(account: Account): void
  /** Moves value that `from` has; touches `to`. */
  transfer(from: Account, to: Account, amountWei: bigint): void
  /** Moves all that a self-destructed account has to its heir, who is another. */
  bequeath(from: Account, heir: Account): void
  create(account: Account, creator: Uint8Array): void
  destruct(account: Account): void
  /** Whether the address was cold; it is warm from now on. */
  warmAddress(address: Uint8Array): boolean
  /** Whether the account or slot was cold; it is warm from now on. */
  warm(thing: Account | Slot): boolean
  /** Makes an address warm before anything runs, for good, and without reading the account. */
  warmFromStart(address: Uint8Array): void
  /** Makes everything cold but precompiles and these addresses, whatever is undone later. */
  forgetAccess(but: readonly Uint8Array[]): void
  /** Whether the slot was cold; it is warm from now on. */
  warmSlot(address: Uint8Array, slot: Uint8Array): boolean
  /** The account whose address has this key, if it has been read before. */
  known(key: string): Account | undefined
  slotOf(account: Account, slot: Word): Slot
  write(slot: Slot, value: Word): void
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void
  writeTransient(account: Account, slot: Word, value: Word): void
  /** Whether creation at the address would collide (EIP-684, EIP-7610). */
  collides(address: Uint8Array): boolean
  codeOf(account: Account): Uint8Array
  refund(): bigint
  addRefund(gas: number): void
  log(log: EvmLog): void
  /** A log as the interpreter has it; its bytes are made when somebody reads `logs`. */
  logRaw(account: Account, topics: readonly Word[], data: string): void
  snapshot(): Snapshot
  commit(snapshot: Snapshot): void
  revert(snapshot: Snapshot): void
  /** Opens a branch of the state and writes everything so far into it: before module code runs on the state. */
  openBranch(): void
  /** Reads accounts again: after module code ran on the state. */
  refresh(): void
  flush(): void
  /** Ends the transaction: destructed and empty accounts go, everything is written. The journal is not used afterwards. */
  finalise(): void
}

const RIPEMD_KEY = `${'\0'.repeat(19)}\x03`

interface RawLog {
  readonly account: Account
  readonly topics: readonly Word[]
  readonly data: string
}

/** Which addresses are warm whatever the transaction does, by `toKey(address)`. */
interface WarmKeys {
  has(key: string): boolean
}

/** A journal over a state. */
export function createJournal(state: EvmState, rules: Rules, alwaysWarm: WarmKeys = new Set()): Journal {
  const warmFromStart = new Set<string>()
  const logs: (EvmLog | RawLog)[] = []
  const created: { account: Account; creator: Uint8Array }[] = []
  /** Lengths of `logs` at the live snapshots. */
  const logMarks: number[] = []
  const changes: Changes = {
    state,
    deletesEmpty: rules.eips.has(161),
    accounts: new Map(),
    undo: [],
    marks: [],
    moves: [],
    movesTold: 0,
    flushedUndo: 0,
    dirty: new Set(),
    branches: [],
  }
  const { deletesEmpty, accounts, undo, marks, moves, branches } = changes
  let refund = 0
  let loads = 0
  let births = 0

  function load(key: string, address: Uint8Array): Account {
    const stored = state.account(address)
    const account: Account = {
      address,
      key,
      position: loads++,
      born: undefined,
      nonce: stored?.nonce ?? 0n,
      balance: stored?.balanceWei ?? 0n,
      codeHash: stored?.codeHash ?? EMPTY_CODE_HASH,
      code: undefined,
      installed: undefined,
      exists: isAccount(stored),
      stored,
      touched: false,
      warm: alwaysWarm.has(key) || warmFromStart.has(key),
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

  function touchAccount(account: Account): void {
    if (account.touched && account.exists) return
    const { touched, exists } = account
    // The touch of RIPEMD-160's account outlives a revert: an accident of block 2,675,119 that became the rule.
    if (account.key === RIPEMD_KEY && deletesEmpty) {
      undo.push(() => {
        account.exists = exists
      })
    } else {
      undo.push(() => {
        account.touched = touched
        account.exists = exists
      })
    }
    if (!exists) {
      account.born = births++
      undo.push(() => {
        account.born = undefined
      })
      changes.dirty.add(account)
    }
    account.touched = true
    account.exists = true
  }

  function setBalance(account: Account, balance: bigint): void {
    touchAccount(account)
    changeBalance(account, balance - account.balance)
  }

  function changeBalance(account: Account, byWei: bigint): void {
    if (byWei === 0n) return
    changes.dirty.add(account)
    moves.push({ account, byWei })
    undo.push(() => {
      account.balance -= byWei
      moves.pop()
    })
    account.balance += byWei
  }

  function slotOf(account: Account, slot: Word): Slot {
    let found = account.slots.get(slot)
    if (!found) {
      const isFresh = (account.created || !account.stored) && !state.keepsDestructed
      const value = isFresh ? ZERO_KEY : toKey(state.storage(account.address, fromKey(slot)))
      found = { account, slot, original: value, value, warm: false }
      account.slots.set(slot, found)
      if (branches.length > 0) undo.push(() => account.slots.delete(slot))
    }
    return found
  }

  function codeOf(account: Account): Uint8Array {
    account.code ??= equal(account.codeHash, EMPTY_CODE_HASH) ? EMPTY : state.code(account.codeHash)
    return account.code
  }

  function warm(thing: Account | Slot): boolean {
    if (thing.warm) return false
    thing.warm = true
    undo.push({ warmed: thing })
    return true
  }

  function write(slot: Slot, value: Word): void {
    undo.push({ slot, value: slot.value })
    slot.value = value
  }

  function takeBack(entry: Undo): void {
    if (typeof entry === 'function') entry()
    else if ('slot' in entry) entry.slot.value = entry.value
    else entry.warmed.warm = false
  }

  return {
    logs(): readonly EvmLog[] {
      for (let i = 0; i < logs.length; i++) {
        const log = logs[i]!
        if (!('account' in log)) continue
        logs[i] = { address: log.account.address, topics: log.topics.map(fromKey), data: fromKey(log.data) }
      }
      return logs as readonly EvmLog[]
    },
    creations() {
      return created
        .filter(({ account }) => !account.destructed)
        .map(({ account, creator }) => ({ address: account.address, creator }))
    },
    account: find,
    known: (key) => accounts.get(key),
    slotOf,
    touchAccount,
    codeOf,
    warm,
    warmFromStart(address) {
      const key = toKey(address)
      const account = accounts.get(key)
      if (account) account.warm = true
      warmFromStart.add(key)
    },
    forgetAccess(but) {
      warmFromStart.clear()
      for (const address of but) warmFromStart.add(toKey(address))
      for (const account of accounts.values()) {
        account.warm = alwaysWarm.has(account.key) || warmFromStart.has(account.key)
        for (const slot of account.slots.values()) slot.warm = false
      }
    },
    write,
    flush: () => flush(changes),
    nonce: (address) => find(address).nonce,
    balance: (address) => find(address).balance,
    codeHash: (address) => find(address).codeHash,
    code: (address) => codeOf(find(address)),
    exists: (address) => find(address).exists,
    isEmpty: (address) => isEmptyAccount(find(address)),
    isDestructed: (address) => find(address).destructed,
    addBalance(address, amountWei) {
      const account = find(address)
      setBalance(account, account.balance + amountWei)
    },
    subBalance(address, amountWei) {
      const account = find(address)
      if (account.balance < amountWei) throw new RangeError('balance below zero')
      setBalance(account, account.balance - amountWei)
    },
    setNonce(address, nonce) {
      const account = find(address)
      touchAccount(account)
      changes.dirty.add(account)
      const before = account.nonce
      undo.push(() => {
        account.nonce = before
      })
      account.nonce = nonce
    },
    setCode(address, code, codeHash) {
      const account = find(address)
      touchAccount(account)
      changes.dirty.add(account)
      const before = { code: account.code, codeHash: account.codeHash, installed: account.installed }
      undo.push(() => {
        Object.assign(account, before)
      })
      account.code = code
      account.codeHash = codeHash ?? keccak256(code)
      account.installed = undefined
    },
    touch: (address) => touchAccount(find(address)),
    create(account, creator) {
      touchAccount(account)
      account.created = true
      created.push({ account, creator })
      undo.push(() => {
        account.created = false
        created.pop()
      })
    },
    destruct(account) {
      if (account.destructed) return
      account.destructed = true
      undo.push(() => {
        account.destructed = false
      })
    },
    warmAddress: (address) => warm(find(address)),
    warmSlot: (address, slot) => warm(slotOf(find(address), toKey(slot))),
    storage: (address, slot) => fromKey(slotOf(find(address), toKey(slot)).value),
    setStorage: (address, slot, value) => write(slotOf(find(address), toKey(slot)), toKey(value)),
    writeTransient(account, slot, value) {
      account.transient ??= new Map()
      const { transient } = account
      const before = transient.get(slot) ?? ZERO_KEY
      undo.push(() => transient.set(slot, before))
      transient.set(slot, value)
    },
    transfer(from, to, amountWei) {
      if (from.balance < amountWei) throw new RangeError('balance below zero')
      if (from === to) {
        touchAccount(to)
        changeBalance(from, -amountWei)
        changeBalance(to, amountWei)
        return
      }
      setBalance(from, from.balance - amountWei)
      setBalance(to, to.balance + amountWei)
    },
    bequeath(from, heir) {
      const amountWei = from.balance
      // An heir of the reference gets the coins and no account.
      if (state.keepsDestructed) changeBalance(heir, amountWei)
      else setBalance(heir, heir.balance + amountWei)
      setBalance(from, 0n)
    },
    collides(address) {
      const account = find(address)
      if (account.nonce !== 0n || !equal(account.codeHash, EMPTY_CODE_HASH)) return true
      return account.stored !== undefined && state.hasStorage(address)
    },
    refund: () => BigInt(refund),
    addRefund(gas) {
      const before = refund
      undo.push(() => {
        refund = before
      })
      refund += gas
    },
    log: (log) => logs.push(log),
    logRaw: (account, topics, data) => logs.push({ account, topics, data }),
    snapshot() {
      logMarks.push(logs.length)
      return marks.push(undo.length) - 1
    },
    commit(snapshot) {
      marks.length = snapshot
      logMarks.length = snapshot
      if (branches.length > 0) joinBranches(changes)
    },
    revert(snapshot) {
      const mark = marks[snapshot]!
      while (undo.length > mark) takeBack(undo.pop()!)
      logs.length = logMarks[snapshot]!
      marks.length = snapshot
      logMarks.length = snapshot
      if (branches.length > 0) joinBranches(changes)
    },
    openBranch: () => openBranch(changes),
    refresh: () => refresh(changes),
    finalise: () => finalise(changes),
  }
}
