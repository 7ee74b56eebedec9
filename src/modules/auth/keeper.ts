/** Accounts for other modules: lookup, creation, numbers, and locked amounts. */

import type { Params } from '../../gen/sdk/auth/v1beta1/auth_pb.ts'
import * as address from '../../identity/address.ts'
import type { Identity } from '../../identity/types.ts'
import { concat, utf8 } from '../../primitives/bytes.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import type { Coin } from '../../primitives/coin.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import type { ModuleAccount } from '../../sdk/module-account.ts'
import type { Account } from './account.ts'
import { decodeAccount, encodeAccount } from './account-codec.ts'
import { defaultParams } from './params.ts'
import * as state from './state.ts'
import { locked, type Schedule, unvested, type Vesting } from './vesting.ts'

export type { Account } from './account.ts'
export { feeCollector } from './state.ts'
export { type Schedule, trackDelegation, trackUndelegation } from './vesting.ts'

const ACCOUNT_KEY = Uint8Array.of(state.ACCOUNT_PREFIX)

function accountKey(bytes: Uint8Array): Uint8Array {
  return concat(ACCOUNT_KEY, bytes)
}

/** Returns the store and key of the account at an address. */
export function accountStoreKey(bytes: Uint8Array): { readonly store: string; readonly key: Uint8Array } {
  return { store: state.STORE, key: accountKey(bytes) }
}

/** Returns the address of the account stored under a key; undefined if the entry is not an account. */
export function addressAt(store: string, key: Uint8Array): Uint8Array | undefined {
  return store === state.STORE && key[0] === state.ACCOUNT_PREFIX ? key.subarray(1) : undefined
}

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams()
}

/** Returns the account at an address; undefined if it does not exist. */
export function getAccount(ctx: ReadContext, bytes: Uint8Array): Account | undefined {
  const encoded = ctx.store.get(state.STORE, accountKey(bytes))
  return encoded && decodeAccount(ctx.identity, bytes, encoded)
}

export function hasAccount(ctx: ReadContext, bytes: Uint8Array): boolean {
  return ctx.store.has(state.STORE, accountKey(bytes))
}

/** Stores an account and the entry of its number, which the chain also rewrites at every write. */
export function setAccount(ctx: Context, account: Account): void {
  ctx.store.set(state.STORE, accountKey(account.address), encodeAccount(ctx.identity, account))
  state.addressOfNumber.set(ctx, account.number, account.address)
}

/** Stores an account with its sequence increased by one. */
export function incrementSequence(ctx: Context, account: Account): void {
  setAccount(ctx, { ...account, sequence: account.sequence + 1n })
}

/** Removes an account and the entry of its number. */
export function removeAccount(ctx: Context, account: Account): void {
  ctx.store.delete(state.STORE, accountKey(account.address))
  state.addressOfNumber.delete(ctx, account.number)
}

/** Allocates the next account number. */
function takeNumber(ctx: Context): bigint {
  const number = state.nextNumber.get(ctx) ?? 0n
  state.nextNumber.set(ctx, number + 1n)
  return number
}

function freshAccount(ctx: Context, bytes: Uint8Array): Account {
  return {
    kind: 'eth',
    address: bytes,
    addressText: address.format(ctx, bytes),
    publicKey: undefined,
    number: takeNumber(ctx),
    sequence: 0n,
    codeHash: EMPTY_CODE_HASH,
  }
}

/** Returns a new account with the next number and no code: an EthAccount, at a module's address the module's. The caller stores it. */
export function newAccount(ctx: Context, bytes: Uint8Array): Account {
  const account = freshAccount(ctx, bytes)
  const module = ctx.app.moduleAccountAt(bytes)
  return module ? ofModule(account, module) : account
}

function ofModule(account: Account, { name, permissions }: ModuleAccount): Account {
  return { ...account, kind: 'module', module: { name, permissions } }
}

/** Returns the account at an address, and first creates and stores it if it does not exist. */
export function ensureAccount(ctx: Context, bytes: Uint8Array): Account {
  const existing = getAccount(ctx, bytes)
  if (existing) return existing
  const account = newAccount(ctx, bytes)
  setAccount(ctx, account)
  return account
}

/** Creates an account with coins that vest until a time in Unix seconds, and stores it. The caller pays the coins. */
export function createVestingAccount(
  ctx: Context,
  bytes: Uint8Array,
  schedule: Schedule,
  original: readonly Coin[],
  endTime: bigint,
): void {
  const vesting = { schedule, original, delegatedFree: [], delegatedVesting: [], endTime }
  setAccount(ctx, { ...freshAccount(ctx, bytes), kind: 'vesting', vesting })
}

/**
 * Returns the account of a module, created with its permissions at first use. Another kind of account at the address, made
 * before the chain had the module, becomes the module's: no key signs for it.
 */
export function ensureModuleAccount(ctx: Context, module: ModuleAccount): Account {
  const existing = getAccount(ctx, module.address)
  if (existing?.kind === 'module') return existing
  const account = ofModule(existing ?? newAccount(ctx, module.address), module)
  setAccount(ctx, account)
  return account
}

/**
 * Creates a module's account with a given number, which another account can also have: the reference chain has one such
 * account.
 */
export function placeModuleAccount(ctx: Context, module: ModuleAccount, number: bigint): void {
  if (hasAccount(ctx, module.address)) return
  setAccount(ctx, {
    kind: 'module',
    address: module.address,
    addressText: address.format(ctx, module.address),
    publicKey: undefined,
    number,
    sequence: 0n,
    codeHash: EMPTY_CODE_HASH,
    module: { name: module.name, permissions: module.permissions },
  })
}

const ACCOUNTS = { start: ACCOUNT_KEY, end: Uint8Array.of(state.ACCOUNT_PREFIX + 1) }

/** Yields every account, ordered by address bytes. */
export function* accounts(ctx: ReadContext): IterableIterator<Account> {
  for (const [key, encoded] of ctx.store.iterate(state.STORE, ACCOUNTS)) {
    yield decodeAccount(ctx.identity, key.slice(1), encoded)
  }
}

const VESTING_PACKAGE = 'sdk.vesting.v1beta1'

/** Returns the prefixes of the type URLs of vesting accounts: under a profile, and neutral. */
const vestingTypesOf = cachePerObject((identity: Identity) =>
  [...new Set([identity.toProfileName(VESTING_PACKAGE), VESTING_PACKAGE])].map((name) => utf8(`/${name}.`)),
)

/**
 * Returns the vesting part of a stored account; undefined for other kinds. It decides by the type URL, which begins at the third
 * byte, and decodes only vesting accounts, since few accounts vest.
 */
function vestingOf(identity: Identity, key: Uint8Array, encoded: Uint8Array): Vesting | undefined {
  const isVesting = vestingTypesOf(identity).some((type) => hasType(encoded, type))
  return isVesting ? decodeAccount(identity, key, encoded).vesting : undefined
}

function hasType(encoded: Uint8Array, type: Uint8Array): boolean {
  for (let i = 0; i < type.length; i++) if (encoded[i + 2] !== type[i]) return false
  return true
}

const nothingLocked = (): bigint => 0n

/** Reads an account once and returns the function from a denom to the amount that its holder cannot send in this block. */
export function lockedAmounts(ctx: ReadContext, bytes: Uint8Array): (denom: string) => bigint {
  const encoded = ctx.store.get(state.STORE, accountKey(bytes))
  const vesting = encoded && vestingOf(ctx.identity, bytes, encoded)
  return vesting ? (denom) => locked(vesting, denom, ctx.block.timeNs / NS_PER_SECOND) : nothingLocked
}

/** Returns the amount of a denom that the holder cannot send in this block. */
export function lockedAmount(ctx: ReadContext, bytes: Uint8Array, denom: string): bigint {
  return lockedAmounts(ctx, bytes)(denom)
}

/** Returns the total of a denom that has not vested at a time in Unix seconds, delegated or not. */
export function unvestedTotal(ctx: ReadContext, denom: string, time: bigint): bigint {
  let total = 0n
  for (const [key, encoded] of ctx.store.iterate(state.STORE, ACCOUNTS)) {
    const vesting = vestingOf(ctx.identity, key.slice(1), encoded)
    if (!vesting) continue
    for (const coin of unvested(vesting, time)) if (coin.denom === denom) total += coin.amount
  }
  return total
}
