/** Conversions between the base coin and its ERC-20, one to one in wei. */
import { formatEip55 } from '../../../primitives/address.ts'
import { equal } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/hash.ts'
import type { Context } from '../../../sdk/context.ts'
import { withoutGas } from '../../../sdk/create-context.ts'
import { errors as sdkErrors } from '../../../sdk/errors.ts'
import * as auth from '../../auth/keeper.ts'
import * as bank from '../../bank/keeper.ts'
import { encodeCall } from '../calls/abi.ts'
import { chargeCodeSize } from '../calls/call-session.ts'
import { type ContractCalls, EXECUTE_GAS } from '../calls/contract-calls.ts'
import { errors } from '../errors.ts'
import { params } from '../params.ts'
import * as erc20 from './erc20-calls.ts'

/** Returns the contract of `canonical_wnative`. Throws evm 10 if it has no code. */
function contractOf(ctx: Context): Uint8Array {
  const { canonicalWnative } = params(ctx)
  const account = auth.getAccount(ctx, canonicalWnative)
  chargeCodeSize(ctx, account)
  const codeHash = account?.codeHash ?? EMPTY_CODE_HASH
  if (equal(codeHash, EMPTY_CODE_HASH)) throw errors.noWrappedNative(formatEip55(canonicalWnative))
  return canonicalWnative
}

/** Runs `run`, which must change the holder's balance by exactly `byWei`. Throws evm 9 if it does not. */
function checked(calls: ContractCalls, contract: Uint8Array, holder: Uint8Array, byWei: bigint, run: () => void): void {
  const before = erc20.balanceOf(calls, contract, holder)
  run()
  const change = erc20.balanceOf(calls, contract, holder) - before
  if (change !== byWei) throw errors.badToken(`${formatEip55(contract)} changed a balance by ${change}, not ${byWei}`)
}

/** Throws sdk 5 unless the sender has the coins, and without locked ones. */
function requireUnits(ctx: Context, sender: Uint8Array, amount: bigint): void {
  const denom = ctx.identity.baseDenom
  const balance = bank.balance(ctx, sender, denom)
  if (balance < amount) {
    throw sdkErrors.insufficientFunds(`balance ${balance}${denom} is smaller than ${amount}${denom}`)
  }
  const spendable = bank.spendableWei(withoutGas(ctx), sender) / bank.WEI_PER_UNIT
  if (spendable < amount) {
    throw sdkErrors.insufficientFunds(`spendable balance ${spendable}${denom} is smaller than ${amount}${denom}`)
  }
}

/**
 * Deposits the sender's unlocked coins and transfers the tokens to `to`. Returns the contract. Throws bank 5, sdk 4, sdk 5,
 * evm 5, 9, 10.
 */
export function wrap(calls: ContractCalls, sender: Uint8Array, to: Uint8Array, amount: bigint): Uint8Array {
  const { ctx } = calls
  bank.requireConvertible(ctx, ctx.identity.baseDenom)
  bank.requireUnblocked(ctx, to)
  requireUnits(ctx, sender, amount)
  const contract = contractOf(ctx)
  const wei = amount * bank.WEI_PER_UNIT
  const deposit = { from: sender, to: contract, data: encodeCall('deposit()'), gasLimit: EXECUTE_GAS, valueWei: wei }
  checked(calls, contract, sender, wei, () => calls.call(deposit))
  if (equal(sender, to)) return contract
  const arrived = erc20.transfer(calls, contract, { from: sender, to, amount: wei })
  if (arrived !== wei) throw errors.badToken(`${formatEip55(contract)} delivered ${arrived} of ${wei}`)
  return contract
}

/** Withdraws the sender's tokens and sends the wei to `to`. Returns the contract. Throws bank 5, sdk 4, 5, evm 5, 9, 10. */
export function unwrap(calls: ContractCalls, sender: Uint8Array, to: Uint8Array, wei: bigint): Uint8Array {
  const { ctx } = calls
  bank.requireConvertible(ctx, ctx.identity.baseDenom)
  const contract = contractOf(ctx)
  const data = encodeCall('withdraw(uint256)', [wei])
  checked(calls, contract, sender, -wei, () => calls.call({ from: sender, to: contract, data, gasLimit: EXECUTE_GAS }))
  moveWei(ctx, sender, to, wei)
  return contract
}

function moveWei(ctx: Context, from: Uint8Array, to: Uint8Array, wei: bigint): void {
  bank.requireUnblocked(ctx, to)
  // What a vesting account withdraws can be locked as soon as it arrives. It need not move to stay there.
  if (equal(from, to) && bank.lockedWei(ctx, from) > 0n) return
  bank.subWei(ctx, from, wei)
  bank.addWei(ctx, to, wei)
  auth.ensureAccount(ctx, to)
}
