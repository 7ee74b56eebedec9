/**
 * The interface between the EVM and the state. `modules/evm` implements it over a branch of the chain's store, `statetest` over
 * plain maps. The EVM's journal caches reads, and writes at the end of a transaction.
 */

export interface EvmAccount {
  readonly nonce: bigint
  /** Unit: wei. */
  readonly balanceWei: bigint
  /** Part of the balance, or more than it, that the account cannot send; 0 by default. Unit: wei. */
  readonly lockedWei?: bigint
  /** The Keccak-256 of the code, 32 bytes; the hash of no bytes for an account without code. */
  readonly codeHash: Uint8Array
  /** Whether no code can be stored for the account: a creation at its address collides. */
  readonly refusesCode?: boolean
  /** Coins without an account, which counts as not existing: on the reference chain, the beneficiary of a self-destruct. */
  readonly isBalanceOnly?: boolean
}

/** Returns the part of a balance that the account can send. Unit: wei. */
export function spendableWei({ balanceWei, lockedWei = 0n }: EvmAccount): bigint {
  return balanceWei > lockedWei ? balanceWei - lockedWei : 0n
}

export interface EvmState {
  /** Returns the account; undefined if it does not exist. */
  account(address: Uint8Array): EvmAccount | undefined
  /** Returns the code with this hash; empty for the hash of no bytes. */
  code(codeHash: Uint8Array): Uint8Array
  /** Returns the value of a slot, 32 bytes; zeros if it is unset. The caller must not change arguments or result later. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Whether any slot of the account is set: a creation at such an address collides (EIP-7610). */
  hasStorage(address: Uint8Array): boolean
  /** Returns the hash of a block, 32 bytes; zeros outside the 256 blocks before the current one. */
  blockHash(number: bigint): Uint8Array

  /**
   * Receives every balance change, in order, before the accounts are written. For states that book each change; the others
   * read balances from `setAccount`.
   */
  moveWei?(address: Uint8Array, byWei: bigint): void
  /**
   * Returns the reason why no value can move to an account, undefined if it can. The recipient is undefined for a new contract.
   * If absent, value can move to every account.
   */
  valueRefusal?(to: Uint8Array | undefined): string | undefined
  /** Whether SELFDESTRUCT deletes only the account: its storage stays, and its beneficiary receives coins but no account. */
  readonly keepsDestructed?: boolean

  /** Writes the account. Undefined deletes it, but not its storage: see `clearStorage`. */
  setAccount(address: Uint8Array, account: EvmAccount | undefined): void
  setCode(codeHash: Uint8Array, code: Uint8Array): void
  /** Writes a slot. A value of 32 zero bytes unsets it. */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void
  clearStorage(address: Uint8Array): void

  /**
   * Opens a nested branch around a precompile that uses module state. `merge` keeps and `drop` discards everything written in
   * it, including module writes and events. Strictly nested.
   */
  branch(): void
  merge(): void
  drop(): void
  /** Returns the addresses whose account or balance was written in the innermost branch. If absent, any address can be among them. */
  changedAccounts?(): readonly Uint8Array[]
}

export interface EvmLog {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}
