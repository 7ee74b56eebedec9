/** Changes that a development chain makes to its state without a transaction, and what it pretends from then on. */
import { EMPTY, equal, formatHex0x, toKey } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../../primitives/hash.ts'
import type { Context, ReadContext } from '../../../sdk/context.ts'
import { errors } from '../../../sdk/errors.ts'
import type { ReadState } from '../../../store/collections/collections.ts'
import * as auth from '../../auth/keeper.ts'
import * as bank from '../../bank/keeper.ts'
import * as consensus from '../../consensus/keeper.ts'
import * as state from '../state.ts'
import { BASE_FEE_WEI, WEI_PER_UNIT } from '../wei.ts'
import * as development from './development-state.ts'

/** One change. Addresses have 20 bytes, slots and values 32. */
export type Amendment =
  | { readonly kind: 'balance'; readonly address: Uint8Array; readonly wei: bigint }
  | { readonly kind: 'code'; readonly address: Uint8Array; readonly code: Uint8Array }
  | { readonly kind: 'nonce'; readonly address: Uint8Array; readonly nonce: bigint }
  | { readonly kind: 'storage'; readonly address: Uint8Array; readonly slot: Uint8Array; readonly value: Uint8Array }
  | { readonly kind: 'baseFee'; readonly wei: bigint }
  | { readonly kind: 'coinbase'; readonly address: Uint8Array }
  | { readonly kind: 'prevRandao'; readonly value: Uint8Array }
  | { readonly kind: 'blockGasLimit'; readonly gas: bigint }
  /** Without an address: every account. */
  | { readonly kind: 'impersonate'; readonly address?: Uint8Array | undefined; readonly on: boolean }

/** The state without the price of reading it: what only a development chain has costs no transaction gas. */
function free(ctx: ReadContext | Context): ReadState {
  return 'branchStore' in ctx ? { store: ctx.branchStore, identity: ctx.identity } : ctx
}

/** Base fee of the block of the context, or of the block whose parent it shows the state of. Unit: wei. */
export function baseFeeWei(ctx: ReadContext): bigint {
  return development.baseFee.get(free(ctx))?.wei ?? BASE_FEE_WEI
}

/** Base fee that the block before the context's recorded (D40). Unit: wei. */
export function parentBaseFeeWei(ctx: ReadContext): bigint {
  const set = development.baseFee.get(free(ctx))
  if (!set) return BASE_FEE_WEI
  return ctx.block.height > set.since ? set.wei : set.beforeWei
}

/** Whether transactions of the account need no signature. */
export function isImpersonated(ctx: ReadContext, address: Uint8Array): boolean {
  return development.impersonated.has(free(ctx), address) || development.impersonatesAll.has(free(ctx))
}

/** COINBASE that was set; undefined if the block's proposer decides. */
export function setCoinbase(ctx: ReadContext): Uint8Array | undefined {
  return development.coinbase.get(free(ctx))
}

/** PREVRANDAO that was set for the next block; undefined if it follows from the block. */
export function setPrevRandao(ctx: ReadContext): Uint8Array | undefined {
  return development.prevRandao.get(free(ctx))
}

/** Ends what was set for one block alone. To be called at the end of a block that is not administrative. */
export function endOfBlock(ctx: Context): void {
  if (development.prevRandao.has(ctx)) development.prevRandao.delete(ctx)
}

const MAX_UINT64 = (1n << 64n) - 1n
const MAX_INT64 = (1n << 63n) - 1n
const MAX_WORD = (1n << 256n) - 1n

/** Throws 3 for a number that the state has no room for. */
function checkRoom(what: string, value: bigint, most: bigint): void {
  if (value > most) throw errors.invalidRequest(`${what} ${value} is above ${most}`)
}

/** Mints or burns whole units so that the supply stays the sum of the balances; what lies below one unit is written. */
function amendBalance(ctx: Context, address: Uint8Array, wei: bigint): void {
  checkRoom('balance', wei, MAX_WORD)
  auth.ensureAccount(ctx, address)
  const units = wei / WEI_PER_UNIT - bank.balanceWei(ctx, address) / WEI_PER_UNIT
  const coins = [{ denom: ctx.identity.baseDenom, amount: units < 0n ? -units : units }]
  if (units > 0n) {
    bank.mint(ctx, state.evmAccount, coins)
    bank.send(ctx, state.evmAccount.address, address, coins)
  } else if (units < 0n) {
    bank.sendToModule(ctx, address, state.evmAccount, coins)
    bank.burn(ctx, state.evmAccount, coins)
  }
  bank.setBalanceWei(ctx, address, wei)
}

function amendCode(ctx: Context, address: Uint8Array, code: Uint8Array): void {
  const account = auth.ensureAccount(ctx, address)
  if (account.kind === 'module' || account.kind === 'vesting') {
    throw errors.invalidRequest(`${formatHex0x(address)} is a ${account.kind} account and cannot have code`)
  }
  const codeHash = code.length === 0 ? EMPTY_CODE_HASH : keccak256(code)
  if (code.length > 0) state.codes.set(ctx, codeHash, code)
  auth.setAccount(ctx, { ...account, kind: 'eth', codeHash })
}

function amendStorage(ctx: Context, address: Uint8Array, slot: Uint8Array, value: Uint8Array): void {
  const key = state.slotKey(address, slot)
  if (value.every((byte) => byte === 0)) {
    if (ctx.store.has(state.EVM_STORE, key)) ctx.store.delete(state.EVM_STORE, key)
  } else ctx.store.set(state.EVM_STORE, key, value)
}

function amendNonce(ctx: Context, address: Uint8Array, nonce: bigint): void {
  checkRoom('nonce', nonce, MAX_UINT64)
  auth.setAccount(ctx, { ...auth.ensureAccount(ctx, address), sequence: nonce })
}

function amendBaseFee(ctx: Context, wei: bigint): void {
  checkRoom('base fee', wei, MAX_WORD)
  development.baseFee.set(ctx, { wei, since: ctx.block.height + 1n, beforeWei: baseFeeWei(ctx) })
}

function amendBlockGasLimit(ctx: Context, gas: bigint): void {
  checkRoom('block gas limit', gas, MAX_INT64)
  const params = consensus.params(ctx)
  const { maxBytes = 0n } = params.block ?? {}
  consensus.setParams(ctx, { ...params, block: { ...params.block!, maxBytes, maxGas: gas === 0n ? -1n : gas } })
}

function amendImpersonation(ctx: Context, address: Uint8Array | undefined, on: boolean): void {
  if (!address) {
    if (on) development.impersonatesAll.set(ctx, development.PRESENT)
    else development.impersonatesAll.delete(ctx)
  } else if (on) development.impersonated.add(ctx, address)
  else development.impersonated.remove(ctx, address)
}

/** Applies a change and says so in an event of the block. Throws sdk errors for what the chain cannot hold. */
export function amend(ctx: Context, amendment: Amendment): void {
  switch (amendment.kind) {
    case 'balance':
      amendBalance(ctx, amendment.address, amendment.wei)
      break
    case 'code':
      amendCode(ctx, amendment.address, amendment.code)
      break
    case 'nonce':
      amendNonce(ctx, amendment.address, amendment.nonce)
      break
    case 'storage':
      auth.ensureAccount(ctx, amendment.address)
      amendStorage(ctx, amendment.address, amendment.slot, amendment.value)
      break
    case 'baseFee':
      amendBaseFee(ctx, amendment.wei)
      break
    case 'coinbase':
      development.coinbase.set(ctx, amendment.address)
      break
    case 'prevRandao':
      development.prevRandao.set(ctx, amendment.value)
      break
    case 'blockGasLimit':
      amendBlockGasLimit(ctx, amendment.gas)
      break
    case 'impersonate':
      amendImpersonation(ctx, amendment.address, amendment.on)
      break
  }
  ctx.emitEvent('development', attributesOf(amendment))
}

function attributesOf(amendment: Amendment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(amendment)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value instanceof Uint8Array ? formatHex0x(value) : String(value)]),
  )
}

/** An account as it can be put down and taken up again. */
export interface AccountDump {
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly code: Uint8Array
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

/** Every account of the chain but those of its modules, by address. */
export function* dumpAccounts(ctx: ReadContext): IterableIterator<AccountDump> {
  for (const { address, kind, sequence, codeHash } of auth.accounts(ctx)) {
    if (kind === 'module' || address.length !== 20) continue
    yield {
      address,
      nonce: sequence,
      balanceWei: bank.balanceWei(ctx, address),
      code: equal(codeHash, EMPTY_CODE_HASH) ? EMPTY : (state.codes.get(ctx, codeHash) ?? EMPTY),
      storage: [...state.slots.iterate(ctx, { prefix: address })].map(([[, slot], value]) => [slot, value] as const),
    }
  }
}

/** The changes that make an account what a dump says; slots that the dump lacks are emptied. */
export function* amendmentsOf(ctx: ReadContext, dump: AccountDump): IterableIterator<Amendment> {
  const { address, nonce, balanceWei, code, storage } = dump
  if (auth.getAccount(ctx, address)?.kind === 'module') return
  yield { kind: 'balance', address, wei: balanceWei }
  yield { kind: 'nonce', address, nonce }
  if (!equal(code, codeOf(ctx, address))) yield { kind: 'code', address, code }
  const kept = new Set(storage.map(([slot]) => toKey(slot)))
  for (const [[, slot]] of state.slots.iterate(ctx, { prefix: address })) {
    if (!kept.has(toKey(slot))) yield { kind: 'storage', address, slot, value: new Uint8Array(32) }
  }
  for (const [slot, value] of storage) yield { kind: 'storage', address, slot, value }
}

function codeOf(ctx: ReadContext, address: Uint8Array): Uint8Array {
  const { codeHash } = auth.getAccount(ctx, address) ?? { codeHash: EMPTY_CODE_HASH }
  return equal(codeHash, EMPTY_CODE_HASH) ? EMPTY : (state.codes.get(ctx, codeHash) ?? EMPTY)
}
