/** Conversions between the two forms of a token, for the messages and the FunToken precompile (docs/modules/evm.md#funtoken). */
import type { FunToken } from '../../../gen/chain/evm/v1/evm_pb.ts'
import type { Context } from '../../../sdk/context.ts'
import * as bank from '../../bank/keeper.ts'
import type { ContractCalls } from '../calls/contract-calls.ts'
import { errors } from '../errors.ts'
import { evmAccount } from '../state.ts'
import * as erc20 from './erc20-calls.ts'

const MAX_SUPPLY = 1n << 256n

/** Mints coins for tokens that the module received. Throws evm 9 if the supply would reach 2^256. */
function mintCoins(ctx: Context, denom: string, amount: bigint): void {
  if (bank.supply(ctx, denom) + amount >= MAX_SUPPLY) throw errors.badToken(`the supply of ${denom} would pass 2^256`)
  bank.mint(ctx, evmAccount, [{ denom, amount }])
}

/**
 * Converts coins to tokens. A coin with its own ERC-20 is locked in the module and tokens are minted; coins of an ERC-20 are
 * burned and the module transfers tokens. Returns the amount that arrived. Throws bank 5, sdk 4, sdk 5, evm 5, evm 9.
 */
export function coinToErc20(
  calls: ContractCalls,
  { erc20Addr, bankDenom, isMadeFromCoin }: FunToken,
  { sender, to, amount }: { readonly sender: Uint8Array; readonly to: Uint8Array; readonly amount: bigint },
): bigint {
  const { ctx } = calls
  bank.requireConvertible(ctx, bankDenom)
  bank.requireUnblocked(ctx, to)
  const coins = [{ denom: bankDenom, amount }]
  bank.sendToModule(ctx, sender, evmAccount, coins)
  if (isMadeFromCoin) {
    erc20.mint(calls, erc20Addr, to, amount)
    return amount
  }
  bank.burn(ctx, evmAccount, coins)
  return erc20.transfer(calls, erc20Addr, { from: evmAccount.address, to, amount })
}

/** Sends coins from the module account. Throws sdk 4 for a blocked recipient. */
function payOut(ctx: Context, denom: string, to: Uint8Array, amount: bigint): void {
  bank.requireUnblocked(ctx, to)
  bank.send(ctx, evmAccount.address, to, [{ denom, amount }])
}

interface TokenToCoin {
  readonly holder: Uint8Array
  readonly to: Uint8Array
  readonly amount: bigint
}

/**
 * Converts tokens to coins: the holder transfers tokens to the module. Tokens of a coin's own ERC-20 are then burned and the
 * locked coins sent; for any other ERC-20 coins are minted. Returns the amount that arrived. Throws bank 5, sdk 4, evm 5,
 * evm 9.
 */
export function erc20ToCoin(
  calls: ContractCalls,
  { erc20Addr, bankDenom, isMadeFromCoin }: FunToken,
  { holder, to, amount }: TokenToCoin,
): bigint {
  const { ctx } = calls
  bank.requireConvertible(ctx, bankDenom)
  const received = erc20.transfer(calls, erc20Addr, { from: holder, to: evmAccount.address, amount })
  if (isMadeFromCoin) erc20.burn(calls, erc20Addr, received)
  else mintCoins(ctx, bankDenom, received)
  payOut(ctx, bankDenom, to, received)
  return received
}

/** Converts like `erc20ToCoin`, in a message: a coin's own ERC-20 burns the tokens without a transfer. Returns the amount that arrived. */
export function redeem(calls: ContractCalls, mapping: FunToken, move: TokenToCoin): bigint {
  if (!mapping.isMadeFromCoin) return erc20ToCoin(calls, mapping, move)
  bank.requireConvertible(calls.ctx, mapping.bankDenom)
  erc20.burnFrom(calls, mapping.erc20Addr, move.holder, move.amount)
  payOut(calls.ctx, mapping.bankDenom, move.to, move.amount)
  return move.amount
}
