/** Changes that a development chain makes to its state without a transaction (ADR 0006). */
import { formatHex0x } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../../primitives/hash.ts'
import { MAX_INT64, MAX_WORD } from '../../../primitives/integers.ts'
import type { Context } from '../../../sdk/context.ts'
import { errors } from '../../../sdk/errors.ts'
import * as auth from '../../auth/keeper.ts'
import * as bank from '../../bank/keeper.ts'
import * as consensus from '../../consensus/keeper.ts'
import * as epochs from '../../epochs/keeper.ts'
import * as state from '../state.ts'
import * as settings from './settings.ts'

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
  /** Lets each block open every epoch that is due, since verbs move the clock. */
  | { readonly kind: 'movedClock' }
  /** Makes ECRECOVER return the address for a signature of 65 bytes: r, s and 27 or 28. */
  | { readonly kind: 'signature'; readonly signature: Uint8Array; readonly address: Uint8Array }
  /** Applies to every account if `address` is absent. */
  | { readonly kind: 'impersonate'; readonly address?: Uint8Array | undefined; readonly on: boolean }

const MAX_UINT64 = (1n << 64n) - 1n

/** Throws sdk 18 for a number above the largest that the state can store. */
function checkRoom(what: string, value: bigint, most: bigint): void {
  if (value > most) throw errors.invalidRequest(`${what} ${value} is above ${most}`)
}

/** Mints or burns whole units, so that the supply stays the sum of the balances, and writes the remainder below one unit. */
function amendBalance(ctx: Context, address: Uint8Array, wei: bigint): void {
  checkRoom('balance', wei, MAX_WORD)
  auth.ensureAccount(ctx, address)
  const units = wei / bank.WEI_PER_UNIT - bank.balanceWei(ctx, address) / bank.WEI_PER_UNIT
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
  const since = ctx.block.height + 1n
  const set = settings.baseFee.get(ctx)
  settings.baseFee.set(ctx, {
    wei,
    since,
    beforeWei: set?.since === since ? set.beforeWei : settings.baseFeeWei(ctx),
  })
}

function amendBlockGasLimit(ctx: Context, gas: bigint): void {
  checkRoom('block gas limit', gas, MAX_INT64)
  const params = consensus.params(ctx)
  const { maxBytes = 0n } = params.block ?? {}
  consensus.setParams(ctx, { ...params, block: { ...params.block!, maxBytes, maxGas: gas === 0n ? -1n : gas } })
}

function amendImpersonation(ctx: Context, address: Uint8Array | undefined, on: boolean): void {
  if (!address) {
    if (on) settings.impersonatesAll.set(ctx, settings.PRESENT)
    else settings.impersonatesAll.delete(ctx)
  } else if (on) settings.impersonated.add(ctx, address)
  else settings.impersonated.remove(ctx, address)
}

function amendSignature(ctx: Context, signature: Uint8Array, address: Uint8Array): void {
  settings.signatures.set(ctx, signature, address)
  settings.hasSignatures.set(ctx, settings.PRESENT)
}

/** Applies a change and emits an event with its fields. Throws sdk 18 for a value that the chain cannot store. */
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
      settings.coinbase.set(ctx, amendment.address)
      break
    case 'prevRandao':
      settings.prevRandao.set(ctx, amendment.value)
      break
    case 'blockGasLimit':
      amendBlockGasLimit(ctx, amendment.gas)
      break
    case 'movedClock':
      epochs.followMovedClock(ctx)
      break
    case 'signature':
      amendSignature(ctx, amendment.signature, amendment.address)
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
