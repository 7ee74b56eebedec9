/** The EVM's view of the chain: accounts of `auth`, balances of `bank`, code and storage of this module, on one branch. */
import type { EvmState } from '../../evm/state.ts'
import { equal, prefixEnd, toKey } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import type { BranchedContext, Context } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import { blockHash } from './history.ts'
import * as state from './state.ts'

const ZERO_WORD = new Uint8Array(32)
const NO_CODE = new Uint8Array(0)

export interface ChainEvmState extends EvmState {
  /** The innermost context: what a precompile's keepers work on. */
  context(): Context
  /**
   * Hands wei that executions destroyed (a self-destruct in favour of itself) to the module account, so that supply
   * stays what it is. To be called once, after the last write.
   */
  settle(): void
  /** Runs a call that the module itself makes: meanwhile precompiles that change state refuse (evm.md §3.7). */
  whileCalling<Result>(run: () => Result): Result
  isCalling(): boolean
  /** Counts gas that such calls used, and tells the sum: what precompiles do with it in `inner-calls.ts`. */
  addCallGas(gas: bigint): bigint
}

function isZero(word: Uint8Array): boolean {
  for (let i = 0; i < word.length; i++) if (word[i] !== 0) return false
  return true
}

/** Every slot of an account begins with this key. */
function storagePrefix(address: Uint8Array): Uint8Array {
  return state.slotKey(address, ZERO_WORD).subarray(0, 21)
}

interface Loaded {
  readonly account: auth.Account | undefined
  readonly balanceWei: bigint
}

/** Accounts and code as read of one committed state, for all who run on it: it never changes. */
export interface KnownReads {
  readonly accounts: Map<string, Loaded>
  readonly codes: Map<string, Uint8Array>
}

const MOST_KNOWN_ACCOUNTS = 10_000
const MOST_KNOWN_CODES = 256

/** Changes of whole balances, which together must be none; a dropped branch takes its part with it. */
interface Level {
  readonly ctx: Context
  deltaWei: bigint
}

/**
 * An `EvmState` over a context. Gas of the context's meter is charged for nothing here: give it a free one. `known` is of the state
 * under the context, which has not been written to.
 */
export function createEvmState(root: Context, known?: KnownReads): ChainEvmState {
  const levels: Level[] = [{ ctx: root, deltaWei: 0n }]
  const top = (): Level => levels.at(-1)!
  /**
   * Accounts as read and not written since, by address. Inside of a precompile's branch modules change accounts too:
   * there nothing is remembered, and what was is forgotten.
   */
  let loaded = known?.accounts ?? new Map<string, Loaded>()
  const isUnwritten = (): boolean => known !== undefined && loaded === known.accounts
  const keepsDestructed = root.identity.behaviours.selfDestructOfAccountAlone
  let calls = 0
  let callGas = 0n

  function load(address: Uint8Array): Loaded {
    const { ctx } = top()
    const read = () => ({ account: auth.getAccount(ctx, address), balanceWei: bank.balanceWei(ctx, address) })
    if (levels.length > 1) return read()
    const key = toKey(address)
    const before = loaded.get(key)
    if (before) return before
    const found = read()
    if (loaded.size < MOST_KNOWN_ACCOUNTS) loaded.set(key, found)
    return found
  }

  /** What is remembered here alone: from the first write on, that is all. */
  function own(): Map<string, Loaded> {
    if (isUnwritten()) loaded = new Map()
    return loaded
  }

  function loadCode(codeHash: Uint8Array): Uint8Array {
    const read = () => state.codes.get(top().ctx, codeHash) ?? NO_CODE
    if (!known) return read()
    const key = toKey(codeHash)
    const before = known.codes.get(key)
    if (before) return before
    const code = read()
    if (isUnwritten() && known.codes.size < MOST_KNOWN_CODES) known.codes.set(key, code)
    return code
  }

  return {
    context: () => top().ctx,
    account(address) {
      const { account, balanceWei } = load(address)
      if (account) return { nonce: account.sequence, balanceWei, codeHash: account.codeHash }
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
        // An account without code stays when the EVM finds it empty: it has a number, and may hold other coins.
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
      if (deltaWei > 0n) throw new Error(`an EVM execution made ${deltaWei} wei`)
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
