/** Coins for other modules: balances, transfers, supply, minting and burning. */
import type { Metadata } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../../identity/address.ts'
import { type Coin, format } from '../../primitives/coin.ts'
import { NS_PER_SECOND } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import type { ModuleAccount, Permission } from '../../sdk/module-account.ts'
import * as auth from '../auth/keeper.ts'
import { addCoins, amountOf, balance, setBalance, subCoins } from './balance.ts'
import { holderKeysOf } from './holder-keys.ts'
import { requireUnblocked } from './permission.ts'
import * as state from './state.ts'
import { emitWeiChange } from './wei.ts'

export { balance } from './balance.ts'
export { holderAt } from './holders.ts'
export { metadataFault } from './metadata.ts'
export {
  defaultParams,
  params,
  recipientRefusal,
  requireConvertible,
  requireSendEnabled,
  requireUnblocked,
  weiRefusal,
} from './permission.ts'
export {
  addWei,
  balanceWei,
  lockedWei,
  setBalanceWei,
  spendableWei,
  subWei,
  WEI_PER_NATIVE,
  WEI_PER_UNIT,
  weiDelta,
} from './wei.ts'

/** Returns every balance of a holder, sorted by denom. */
export function balances(ctx: ReadContext, holder: Uint8Array): readonly Coin[] {
  const coins: Coin[] = []
  for (const [[, denom], amount] of state.balances.iterate(ctx, { prefix: holder })) coins.push({ denom, amount })
  return coins
}

/** Returns the balance minus the locked amount; 0 if more is locked than the balance. */
export function spendable(ctx: ReadContext, holder: Uint8Array, denom: string): bigint {
  const free = balance(ctx, holder, denom) - auth.lockedAmount(ctx, holder, denom)
  return free > 0n ? free : 0n
}

export function supply(ctx: ReadContext, denom: string): bigint {
  return state.supplies.get(ctx, denom) ?? 0n
}

/** Writes a supply, or deletes it at 0. */
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

/** Creates the account of a named address if it does not exist. Throws sdk 4 for a new account that only modules can pay. */
export function ensureRecipient(ctx: Context, bytes: Uint8Array): void {
  if (auth.getAccount(ctx, bytes)) return
  requireUnblocked(ctx, bytes)
  auth.setAccount(ctx, auth.newAccount(ctx, bytes))
}

/** Whether the coins include the native coin, which also counts in wei. */
function includesNativeCoin(ctx: ReadContext, coins: readonly Coin[]): boolean {
  return coins.some(({ denom }) => denom === ctx.identity.baseDenom)
}

/**
 * Transfers unlocked coins and creates the recipient's account. Throws sdk 5. The caller checks that the transfer is
 * permitted.
 */
export function send(ctx: Context, from: Uint8Array, to: Uint8Array, coins: readonly Coin[]): void {
  const amount = amountOf(coins)
  const senderKeys = holderKeysOf(ctx, from)
  const recipientKeys = holderKeysOf(ctx, to)
  subCoins(ctx, from, coins, amount, senderKeys)
  addCoins(ctx, to, coins, amount, recipientKeys)
  if (!auth.hasAccount(ctx, to)) auth.setAccount(ctx, auth.newAccount(ctx, to))
  ctx.emitEvent('transfer', [recipientKeys.recipient, senderKeys.sender, amount])
  if (includesNativeCoin(ctx, coins)) emitWeiChange(ctx, 'bank.SendCoins', [from, to])
  ctx.emitEvent('message', [senderKeys.sender])
}

/** Transfers coins from an account, which can be a module's, to a module. Throws sdk 5. */
export function sendToModule(ctx: Context, from: Uint8Array, module: ModuleAccount, coins: readonly Coin[]): void {
  auth.ensureModuleAccount(ctx, module)
  send(ctx, from, module.address, coins)
}

/** Transfers coins from one sender to many recipients. Throws sdk 5. */
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
  if (!includesNativeCoin(ctx, from.coins)) return
  const recipients = outputs.map((output) => output.address)
  emitWeiChange(ctx, 'bank.InputOutputCoins', [from.address, ...recipients])
}

/** Throws an `Error` if the module lacks the permission: that is a bug of this build, not of a transaction. */
function requirePermission(module: ModuleAccount, permission: Permission): void {
  if (!module.permissions.includes(permission)) {
    throw new Error(`module account ${module.name} does not have permissions to act as ${permission}`)
  }
}

/** Mints coins into a module's account. The module must be a minter. */
export function mint(ctx: Context, module: ModuleAccount, coins: readonly Coin[]): void {
  requirePermission(module, 'minter')
  auth.ensureModuleAccount(ctx, module)
  addCoins(ctx, module.address, coins)
  for (const { denom, amount } of coins) setSupply(ctx, denom, supply(ctx, denom) + amount)
  ctx.emitEvent('coinbase', { minter: address.format(ctx, module.address), amount: format(coins) })
  if (includesNativeCoin(ctx, coins)) emitWeiChange(ctx, 'bank.MintCoins', [module.address])
}

/** Burns coins of a module's account. The module must be a burner. Throws sdk 5. */
export function burn(ctx: Context, module: ModuleAccount, coins: readonly Coin[]): void {
  requirePermission(module, 'burner')
  auth.ensureModuleAccount(ctx, module)
  subCoins(ctx, module.address, coins)
  for (const { denom, amount } of coins) setSupply(ctx, denom, supply(ctx, denom) - amount)
  ctx.emitEvent('burn', { burner: address.format(ctx, module.address), amount: format(coins) })
  if (includesNativeCoin(ctx, coins)) emitWeiChange(ctx, 'bank.BurnCoins', [module.address])
}

/** Transfers a delegator's coins, locked ones first, to a staking pool. Throws sdk 5. */
export function delegate(ctx: Context, delegator: Uint8Array, pool: ModuleAccount, coin: Coin): void {
  auth.ensureModuleAccount(ctx, pool)
  // The Cosmos SDK reads the pool's account by its name, then by its address, and metered code pays for both.
  auth.getAccount(ctx, pool.address)
  const held = balance(ctx, delegator, coin.denom)
  if (held < coin.amount) {
    throw sdkErrors.insufficientFunds(
      `failed to delegate; ${held}${coin.denom} is smaller than ${coin.amount}${coin.denom}`,
    )
  }
  setBalance(ctx, delegator, coin.denom, held - coin.amount)
  const account = auth.getAccount(ctx, delegator)
  if (account?.vesting) {
    const vesting = auth.trackDelegation(account.vesting, coin, ctx.block.timeNs / NS_PER_SECOND)
    auth.setAccount(ctx, { ...account, vesting })
  }
  ctx.emitEvent('coin_spent', { spender: address.format(ctx, delegator), amount: format([coin]) })
  if (includesNativeCoin(ctx, [coin])) emitWeiChange(ctx, 'bank.DelegateCoins', [pool.address, delegator])
  addCoins(ctx, pool.address, [coin])
}

/** Transfers coins from a staking pool back to a delegator. Throws sdk 5. */
export function undelegate(ctx: Context, pool: ModuleAccount, delegator: Uint8Array, coin: Coin): void {
  subCoins(ctx, pool.address, [coin])
  const account = auth.getAccount(ctx, delegator)
  if (account?.vesting) auth.setAccount(ctx, { ...account, vesting: auth.trackUndelegation(account.vesting, coin) })
  addCoins(ctx, delegator, [coin])
  if (includesNativeCoin(ctx, [coin])) emitWeiChange(ctx, 'bank.UndelegateCoins', [pool.address, delegator])
}
