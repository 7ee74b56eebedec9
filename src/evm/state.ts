/**
 * The one interface between the EVM and the state it runs on. `modules/evm` implements it over a branch of the chain's
 * store, `statetest` over plain maps. The EVM's journal caches what it reads, and writes at the end of a transaction.
 */

export interface EvmAccount {
  readonly nonce: bigint
  /** Unit: wei. */
  readonly balanceWei: bigint
  /** Keccak-256 of the code, 32 bytes; that of nothing for an account without code. */
  readonly codeHash: Uint8Array
  /** Coins without an account: what is there counts as not existing, as the heirs of self-destructs in the reference. */
  readonly isBalanceOnly?: boolean
}

export interface EvmState {
  /** Undefined for an account that does not exist. */
  account(address: Uint8Array): EvmAccount | undefined
  /** Code by its hash; empty for the empty hash. */
  code(codeHash: Uint8Array): Uint8Array
  /** 32 bytes; zero if unset. Neither argument nor result may be changed later by the caller. */
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  /** Whether any slot of the account is set: creation at such an address collides (EIP-7610). */
  hasStorage(address: Uint8Array): boolean
  /** 32 bytes; zeros outside the 256 blocks before the current one. */
  blockHash(number: bigint): Uint8Array

  /**
   * Hears of every change of a balance in its order, before the accounts are written, by those states that book each
   * one. Others take balances from `setAccount`.
   */
  moveWei?(address: Uint8Array, byWei: bigint): void
  /** A self-destructed account goes alone: what its code wrote stays, and its heir is given coins, but no account. */
  readonly keepsDestructed?: boolean

  /** Undefined removes the account (not its storage: see `clearStorage`). */
  setAccount(address: Uint8Array, account: EvmAccount | undefined): void
  setCode(codeHash: Uint8Array, code: Uint8Array): void
  /** A value of 32 zero bytes unsets the slot. */
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void
  clearStorage(address: Uint8Array): void

  /**
   * Opens a nested branch around a precompile that works on module state; `merge` keeps, `drop` forgets all that was
   * written in it, module writes and events included. Strictly nested.
   */
  branch(): void
  merge(): void
  drop(): void
  /** Addresses whose account or balance was written in the innermost branch, by whomever. Absent: it may have been any. */
  changedAccounts?(): readonly Uint8Array[]
}

export interface EvmLog {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
  readonly data: Uint8Array
}
