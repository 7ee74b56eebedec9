/** Changes of accounts: balances, nonces, code, creations and self-destructs. */
import { keccak256 } from '../../primitives/hash.ts'
import { MAX_WORD } from '../../primitives/integers.ts'
import type { Account, Creation } from '../account.ts'
import { BALANCE_OVERFLOW, INSUFFICIENT_BALANCE } from '../errors.ts'
import type { Changes } from './write-back.ts'

export interface AccountChanges {
  addBalance(address: Uint8Array, amountWei: bigint): void
  /** Throws a `RangeError` if the balance is too small: callers check first. */
  subBalance(address: Uint8Array, amountWei: bigint): void
  /** Returns geth's or the state's reason why value cannot move, undefined if it can. `to` is undefined for a new contract. */
  valueRefusal(from: Account, to: Account | undefined, amountWei: bigint): string | undefined
  /** Moves value and touches `to`. Throws a `RangeError` if the balance of `from` is too small: callers check first. */
  transfer(from: Account, to: Account, amountWei: bigint): void
  /** Moves the balance of a self-destructed account to its beneficiary, which is another account. */
  payBeneficiary(from: Account, beneficiary: Account): void
  setNonce(address: Uint8Array, nonce: bigint): void
  setCode(address: Uint8Array, code: Uint8Array, codeHash?: Uint8Array): void
  /** Makes the account exist, and marks it for deletion at the end if it is empty then (EIP-161). */
  touch(address: Uint8Array): void
  touchAccount(account: Account): void
  create(account: Account, creator: Uint8Array): void
  destruct(account: Account): void
  /** Returns the contracts created so far and not destructed, in order of creation. */
  creations(): readonly Creation[]
}

const RIPEMD_KEY = `${'\0'.repeat(19)}\x03`

export function createAccountChanges(changes: Changes, find: (address: Uint8Array) => Account): AccountChanges {
  const { state, deletesEmpty, undo, balanceChanges } = changes
  const created: { account: Account; creator: Uint8Array }[] = []
  let births = 0

  function touchAccount(account: Account): void {
    if (account.touched && account.exists) return
    const { touched, exists } = account
    // The touch of RIPEMD-160's account survives a revert: an accident of Ethereum's block 2,675,119 that became the rule.
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
      account.birthIndex = births++
      undo.push(() => {
        account.birthIndex = undefined
      })
      changes.dirty.add(account)
    }
    account.touched = true
    account.exists = true
  }

  function changeBalance(account: Account, byWei: bigint): void {
    if (byWei === 0n) return
    changes.dirty.add(account)
    balanceChanges.push({ account, byWei })
    undo.push(() => {
      account.balance -= byWei
      balanceChanges.pop()
    })
    account.balance += byWei
  }

  function touchAndChangeBalance(account: Account, byWei: bigint): void {
    touchAccount(account)
    changeBalance(account, byWei)
  }

  function requireBalance({ balance }: Account, amountWei: bigint): void {
    if (balance < amountWei) throw new RangeError(`the balance of ${balance} wei is less than ${amountWei} wei`)
  }

  return {
    addBalance: (address, amountWei) => touchAndChangeBalance(find(address), amountWei),
    subBalance(address, amountWei) {
      const account = find(address)
      requireBalance(account, amountWei)
      touchAndChangeBalance(account, -amountWei)
    },
    valueRefusal(from, to, amountWei) {
      if (amountWei === 0n) return undefined
      if (from.balance - from.locked < amountWei) return INSUFFICIENT_BALANCE
      if (to && to !== from && to.balance + amountWei > MAX_WORD) return BALANCE_OVERFLOW
      return state.valueRefusal?.(to?.address)
    },
    transfer(from, to, amountWei) {
      requireBalance(from, amountWei)
      touchAndChangeBalance(from, -amountWei)
      touchAndChangeBalance(to, amountWei)
    },
    payBeneficiary(from, beneficiary) {
      const amountWei = from.balance
      // On the reference chain a self-destruct pays the coins without making the beneficiary's account exist.
      if (state.keepsDestructed) changeBalance(beneficiary, amountWei)
      else touchAndChangeBalance(beneficiary, amountWei)
      touchAndChangeBalance(from, -amountWei)
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
    touchAccount,
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
    creations() {
      return created
        .filter(({ account }) => !account.destructed)
        .map(({ account, creator }) => ({ address: account.address, creator }))
    },
  }
}
