/** What other modules do with coins. */
import { create } from '@bufbuild/protobuf'
import { type Metadata, type Params, ParamsSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../../identity/address.ts'
import { type Coin, format } from '../../primitives/coin.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import type { ModuleAccount, Permission } from '../../sdk/module-account.ts'
import * as auth from '../auth/keeper.ts'
import { addCoins, amountOf, balance, setBalance, subCoins } from './balance.ts'
import { errors } from './errors.ts'
import { purseOf } from './purses.ts'
import * as state from './state.ts'
import { emitWeiChange } from './wei.ts'

export { balance } from './balance.ts'
export { holderAt } from './holders.ts'
export { metadataFault } from './metadata.ts'
export { addWei, balanceWei, setBalanceWei, subWei, WEI_PER_UNIT, weiDelta } from './wei.ts'

export function defaultParams(): Params {
  return create(ParamsSchema, { defaultSendEnabled: true })
}

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams()
}

/** Every balance of a holder, by denom. */
export function balances(ctx: ReadContext, holder: Uint8Array): readonly Coin[] {
  const coins: Coin[] = []
  for (const [[, denom], amount] of state.balances.iterate(ctx, { prefix: holder })) coins.push({ denom, amount })
  return coins
}

/** Balance less what is locked; 0 if more is locked than held. */
export function spendable(ctx: ReadContext, holder: Uint8Array, denom: string): bigint {
  const free = balance(ctx, holder, denom) - auth.lockedAmount(ctx, holder, denom)
  return free > 0n ? free : 0n
}

export function supply(ctx: ReadContext, denom: string): bigint {
  return state.supplies.get(ctx, denom) ?? 0n
}

/** Writes a supply; none is kept at 0. */
function setSupply(ctx: Context, denom: string, amount: bigint): void {
  if (amount === 0n) state.supplies.delete(ctx, denom)
  else state.supplies.set(ctx, denom, amount)
}

export function metadata(ctx: ReadContext, denom: string): Metadata | undefined {
  return state.metadatas.get(ctx, denom)
}

export function setMetadata(ctx: Context, value: Metadata): void {
  state.metadatas.set(ctx, value.base, value)
}

/** Whether a denom may be sent between accounts. */
function isSendEnabled(ctx: ReadContext, denom: string): boolean {
  return state.sendEnabled.has(ctx, denom) ? state.sendEnabled.get(ctx, denom)! : params(ctx).defaultSendEnabled
}

/** Throws bank 5 for the first denom that may not be sent. */
export function requireSendEnabled(ctx: ReadContext, coins: readonly Coin[]): void {
  for (const { denom } of coins) {
    if (!isSendEnabled(ctx, denom)) throw errors.sendDisabled(`${denom} transfers are currently disabled`)
  }
}

/** Throws sdk 4 for a recipient that only modules may pay. */
export function requireUnblocked(ctx: ReadContext, recipient: Uint8Array): void {
  if (ctx.app.isBlocked(recipient)) {
    throw sdkErrors.unauthorized(`${address.format(ctx, recipient)} is not allowed to receive funds`)
  }
}

/** Gives somebody whom another named an account, if new. Throws sdk 4 for a new one where only modules may pay. */
export function ensureRecipient(ctx: Context, bytes: Uint8Array): void {
  if (auth.getAccount(ctx, bytes)) return
  requireUnblocked(ctx, bytes)
  auth.setAccount(ctx, auth.newAccount(ctx, bytes))
}

/** Whether the native coin, which counts in wei too, is among coins. */
function holdsWei(ctx: ReadContext, coins: readonly Coin[]): boolean {
  return coins.some(({ denom }) => denom === ctx.identity.baseDenom)
}

/** Moves unlocked coins and makes the recipient's account. Throws sdk 5. Whether it may be is the caller's question. */
export function send(ctx: Context, from: Uint8Array, to: Uint8Array, coins: readonly Coin[]): void {
  const amount = amountOf(coins)
  const giver = purseOf(ctx, from)
  const taker = purseOf(ctx, to)
  subCoins(ctx, from, coins, amount, giver)
  addCoins(ctx, to, coins, amount, taker)
  if (!auth.hasAccount(ctx, to)) auth.setAccount(ctx, auth.newAccount(ctx, to))
  ctx.emitEvent('transfer', [taker.recipient, giver.sender, amount])
  if (holdsWei(ctx, coins)) emitWeiChange(ctx, 'bank.SendCoins', from, to)
  ctx.emitEvent('message', [giver.sender])
}

/** From an account to a module. Throws sdk 5. */
export function sendToModule(ctx: Context, from: Uint8Array, module: ModuleAccount, coins: readonly Coin[]): void {
  auth.ensureModuleAccount(ctx, module)
  send(ctx, from, module.address, coins)
}

/** One sender, many recipients. Throws sdk 5. */
export function sendMany(
  ctx: Context,
  from: { readonly address: Uint8Array; readonly coins: readonly Coin[] },
  outputs: readonly { readonly address: Uint8Array; readonly coins: readonly Coin[] }[],
): void {
  subCoins(ctx, from.address, from.coins)
  ctx.emitEvent('message', { sender: address.format(ctx, from.address) })
  for (const output of outputs) {
    addCoins(ctx, output.address, output.coins)
    const recipient = address.format(ctx, output.address)
    ctx.emitEvent('transfer', { recipient, amount: format(output.coins) })
    if (!auth.hasAccount(ctx, output.address)) auth.setAccount(ctx, auth.newAccount(ctx, output.address))
  }
  if (!holdsWei(ctx, from.coins)) return
  emitWeiChange(ctx, 'bank.InputOutputCoins', from.address, ...outputs.map((output) => output.address))
}

/** A module without the permission is a bug of this build, not of a transaction. */
function requirePermission(module: ModuleAccount, permission: Permission): void {
  if (!module.permissions.includes(permission)) {
    throw new Error(`module account ${module.name} does not have permissions to act as ${permission}`)
  }
}

/** Makes coins in a module's account. The module must be a minter. */
export function mint(ctx: Context, module: ModuleAccount, coins: readonly Coin[]): void {
  requirePermission(module, 'minter')
  auth.ensureModuleAccount(ctx, module)
  addCoins(ctx, module.address, coins)
  for (const { denom, amount } of coins) setSupply(ctx, denom, supply(ctx, denom) + amount)
  ctx.emitEvent('coinbase', { minter: address.format(ctx, module.address), amount: format(coins) })
  if (holdsWei(ctx, coins)) emitWeiChange(ctx, 'bank.MintCoins', module.address)
}

/** Destroys coins of a module's account. The module must be a burner. Throws sdk 5. */
export function burn(ctx: Context, module: ModuleAccount, coins: readonly Coin[]): void {
  requirePermission(module, 'burner')
  subCoins(ctx, module.address, coins)
  for (const { denom, amount } of coins) setSupply(ctx, denom, supply(ctx, denom) - amount)
  ctx.emitEvent('burn', { burner: address.format(ctx, module.address), amount: format(coins) })
  if (holdsWei(ctx, coins)) emitWeiChange(ctx, 'bank.BurnCoins', module.address)
}

/** Moves a delegator's coins, locked ones first, to a staking pool. Throws sdk 5. */
export function delegate(ctx: Context, delegator: Uint8Array, pool: ModuleAccount, coin: Coin): void {
  const held = balance(ctx, delegator, coin.denom)
  if (held < coin.amount) {
    throw sdkErrors.insufficientFunds(
      `failed to delegate; ${held}${coin.denom} is smaller than ${coin.amount}${coin.denom}`,
    )
  }
  setBalance(ctx, delegator, coin.denom, held - coin.amount)
  const account = auth.getAccount(ctx, delegator)
  if (account?.vesting) {
    const vesting = auth.trackDelegation(account.vesting, coin, ctx.block.timeNs / 1_000_000_000n)
    auth.setAccount(ctx, { ...account, vesting })
  }
  ctx.emitEvent('coin_spent', { spender: address.format(ctx, delegator), amount: format([coin]) })
  if (holdsWei(ctx, [coin])) emitWeiChange(ctx, 'bank.DelegateCoins', pool.address, delegator)
  auth.ensureModuleAccount(ctx, pool)
  addCoins(ctx, pool.address, [coin])
}

/** Moves coins of a staking pool back to a delegator. Throws sdk 5. */
export function undelegate(ctx: Context, pool: ModuleAccount, delegator: Uint8Array, coin: Coin): void {
  subCoins(ctx, pool.address, [coin])
  const account = auth.getAccount(ctx, delegator)
  if (account?.vesting) auth.setAccount(ctx, { ...account, vesting: auth.trackUndelegation(account.vesting, coin) })
  addCoins(ctx, delegator, [coin])
  if (holdsWei(ctx, [coin])) emitWeiChange(ctx, 'bank.UndelegateCoins', pool.address, delegator)
}
