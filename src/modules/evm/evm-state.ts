/** The state interface of the EVM over a branch: accounts of `auth`, balances of `bank`, code and storage of this module. */
import type { EvmState } from '../../evm/state.ts'
import { equal, prefixEnd, toKey, ZERO_WORD } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import type { BranchedContext, Context } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { blockHash } from './block-hashes.ts'
import * as state from './state.ts'

const NO_CODE = new Uint8Array(0)

export interface ChainEvmState extends EvmState {
  /** Returns the innermost context, on which the keepers of a precompile work. */
  context(): Context
  /**
   * Credits wei that executions destroyed (a self-destruct in favour of itself) to the module account, so that the supply does
   * not change. Call it once, after the last write.
   */
  settle(): void
  /** Runs a call that the module itself makes; until it returns, state-changing methods of precompiles fail. */
  whileCalling<Result>(run: () => Result): Result
  isCalling(): boolean
  /** Adds the gas of a call that the module made, and returns the sum; `inner-calls.ts` limits it. */
  addCallGas(gas: bigint): bigint
}

function isZero(word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (word[i] !== 0) return false
  return true
}

/** Returns the common key prefix of an account's slots. */
function storagePrefix(address: Uint8Array): Uint8Array {
  return state.slotKey(address, ZERO_WORD).subarray(0, 21)
}

interface Loaded {
  readonly account: auth.Account | undefined
  readonly balanceWei: bigint
  readonly lockedWei: bigint
}

/** Accounts and code read from one committed state, shared by all executions on it: the state never changes. */
export interface CachedReads {
  readonly accounts: Map<string, Loaded>
  readonly codes: Map<string, Uint8Array>
}

const MAX_CACHED_ACCOUNTS = 10_000
const MAX_CACHED_CODES = 256

/** One branch, and the sum of the balance changes in it. At the end the sum must not be positive. */
interface Level {
  readonly ctx: Context
  deltaWei: bigint
}

/**
 * Creates an `EvmState` over a context. The EVM charges its own gas, so the context needs a meter that only counts. `cache` belongs
 * to the committed state under the context, to which nothing has been written.
 */
export function createEvmState(root: Context, cache?: CachedReads): ChainEvmState {
  const levels: Level[] = [{ ctx: root, deltaWei: 0n }]
  const top = (): Level => levels.at(-1)!
  /**
   * Accounts by address that were read and not written since. Inside a precompile's branch modules change accounts too, so
   * opening a branch clears the map, and reads within it are not cached.
   */
  let loaded = cache?.accounts ?? new Map<string, Loaded>()
  const isUnwritten = (): boolean => cache !== undefined && loaded === cache.accounts
  const keepsDestructed = root.identity.behaviours.selfDestructOfAccountAlone
  let calls = 0
  let callGas = 0n
  /** The reason why no value can move now, and whether it has been read. No transaction changes it while it runs. */
  let weiRefusal: string | undefined
  let knowsRefusal = false

  function load(address: Uint8Array): Loaded {
    const { ctx } = top()
    const read = (): Loaded => {
      const account = auth.getAccount(ctx, address)
      // Few accounts vest, so the others are not asked for what they lock.
      const lockedWei = account?.vesting ? bank.lockedWei(ctx, address) : 0n
      return { account, balanceWei: bank.balanceWei(ctx, address), lockedWei }
    }
    if (levels.length > 1) return read()
    const key = toKey(address)
    const before = loaded.get(key)
    if (before) return before
    const found = read()
    if (loaded.size < MAX_CACHED_ACCOUNTS) loaded.set(key, found)
    return found
  }

  /** Returns the map of this execution alone. The first call stops the use of the shared one. */
  function own(): Map<string, Loaded> {
    if (isUnwritten()) loaded = new Map()
    return loaded
  }

  function loadCode(codeHash: Uint8Array): Uint8Array {
    const read = () => state.codes.get(top().ctx, codeHash) ?? NO_CODE
    if (!cache) return read()
    const key = toKey(codeHash)
    const before = cache.codes.get(key)
    if (before) return before
    const code = read()
    if (isUnwritten() && cache.codes.size < MAX_CACHED_CODES) cache.codes.set(key, code)
    return code
  }

  return {
    context: () => top().ctx,
    account(address) {
      const { account, balanceWei, lockedWei } = load(address)
      if (account) {
        const found = { nonce: account.sequence, balanceWei, codeHash: account.codeHash }
        if (account.kind === 'eth') return found
        const refusesCode = !root.identity.behaviours.codeOfOtherAccountsIsLost
        return { ...found, lockedWei, refusesCode }
      }
      if (balanceWei === 0n) return undefined
      return { nonce: 0n, balanceWei, codeHash: EMPTY_CODE_HASH, isBalanceOnly: keepsDestructed }
    },
    code: (codeHash) => (equal(codeHash, EMPTY_CODE_HASH) ? NO_CODE : loadCode(codeHash)),
    storage: (address, slot) => top().ctx.store.get(state.EVM_STORE, state.slotKey(address, slot)) ?? ZERO_WORD,
    hasStorage(address) {
      const prefix = storagePrefix(address)
      const found = top().ctx.store.iterate(state.EVM_STORE, { start: prefix, end: prefixEnd(prefix) })
      const any = found.next().done !== true
      found.return?.()
      return any
    },
    blockHash: (number) => blockHash(top().ctx, number),

    valueRefusal(to) {
      const { ctx } = top()
      if (!knowsRefusal) weiRefusal = bank.weiRefusal(ctx)
      knowsRefusal = true
      return weiRefusal ?? (to && bank.recipientRefusal(ctx, to))
    },
    keepsDestructed,
    moveWei(address, byWei) {
      const level = top()
      own().delete(toKey(address))
      level.deltaWei += byWei
      if (byWei > 0n) bank.addWei(level.ctx, address, byWei)
      else bank.subWei(level.ctx, address, -byWei)
    },
    setAccount(address, account) {
      const level = top()
      const { ctx } = level
      const { account: stored, balanceWei: before } = load(address)
      own().delete(toKey(address))
      const balanceWei = account?.balanceWei ?? 0n
      if (balanceWei !== before) {
        level.deltaWei += balanceWei - before
        bank.setBalanceWei(ctx, address, balanceWei)
      }
      if (!account) {
        // An account without code stays when the EVM finds it empty: it has an account number, and can own other coins.
        if (stored && !equal(stored.codeHash, EMPTY_CODE_HASH)) auth.removeAccount(ctx, stored)
        return
      }
      const base = stored ?? auth.newAccount(ctx, address)
      const codeHash = base.kind === 'eth' ? account.codeHash : EMPTY_CODE_HASH
      if (stored?.sequence === account.nonce && equal(stored.codeHash, codeHash)) return
      auth.setAccount(ctx, { ...base, sequence: account.nonce, codeHash })
    },
    setCode(codeHash, code) {
      own()
      state.codes.set(top().ctx, codeHash, code)
    },
    setStorage(address, slot, value) {
      const { store } = top().ctx
      const key = state.slotKey(address, slot)
      if (isZero(value)) store.delete(state.EVM_STORE, key)
      else store.set(state.EVM_STORE, key, value)
    },
    clearStorage(address) {
      const { store } = top().ctx
      const prefix = storagePrefix(address)
      const range = { start: prefix, end: prefixEnd(prefix) }
      for (const key of [...store.iterate(state.EVM_STORE, range)].map(([found]) => found)) {
        store.delete(state.EVM_STORE, key)
      }
    },

    branch() {
      levels.push({ ctx: top().ctx.branch(), deltaWei: 0n })
      own().clear()
    },
    merge() {
      own().clear()
      const { ctx, deltaWei } = levels.pop()!
      ;(ctx as BranchedContext).merge()
      top().deltaWei += deltaWei
    },
    drop() {
      levels.pop()
      own().clear()
    },
    changedAccounts() {
      const { ctx } = top()
      const changed: Uint8Array[] = []
      for (const { store, key } of ctx.branchStore.changes()) {
        const address = auth.addressAt(store, key) ?? bank.holderAt(ctx, store, key)
        if (address) changed.push(address)
      }
      return changed
    },
    settle() {
      const { ctx, deltaWei } = top()
      if (deltaWei > 0n) throw new Error(`an EVM execution created ${deltaWei} wei`)
      if (deltaWei < 0n) bank.addWei(ctx, state.evmAccount.address, -deltaWei)
    },
    whileCalling(run) {
      calls++
      try {
        return run()
      } finally {
        calls--
      }
    },
    isCalling: () => calls > 0,
    addCallGas(gas) {
      callGas += gas
      return callGas
    },
  }
}
