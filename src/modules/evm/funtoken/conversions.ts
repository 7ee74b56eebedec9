/** Moving a token between its two forms (evm.md §3.6): what the messages and the FunToken precompile share. */
import type { FunToken } from '../../../gen/chain/evm/v1/evm_pb.ts'
import type { Context } from '../../../sdk/context.ts'
import * as bank from '../../bank/keeper.ts'
import type { ContractCalls } from '../calls/contract-calls.ts'
import { errors } from '../errors.ts'
import { evmAccount } from '../state.ts'
import * as erc20 from './erc20-calls.ts'

const MAX_SUPPLY = 1n << 256n

/** Makes coins for tokens that the module received. Throws evm 9 for more than a coin can have. */
function mintCoins(ctx: Context, denom: string, amount: bigint): void {
  if (bank.supply(ctx, denom) + amount >= MAX_SUPPLY) throw errors.badToken(`the supply of ${denom} would pass 2^256`)
  bank.mint(ctx, evmAccount, [{ denom, amount }])
}

/**
 * Coins to tokens: locked in the module while a coin's own ERC-20 mints, or burned while the module gives tokens back.
 * Gives the amount that arrived. Throws sdk 5, evm 5, evm 9.
 */
export function coinToErc20(
  calls: ContractCalls,
  { erc20Addr, bankDenom, isMadeFromCoin }: FunToken,
  { sender, to, amount }: { readonly sender: Uint8Array; readonly to: Uint8Array; readonly amount: bigint },
): bigint {
  const { ctx } = calls
  const coins = [{ denom: bankDenom, amount }]
  bank.sendToModule(ctx, sender, evmAccount, coins)
  if (isMadeFromCoin) {
    erc20.mint(calls, erc20Addr, to, amount)
    return amount
  }
  bank.burn(ctx, evmAccount, coins)
  return erc20.transfer(calls, erc20Addr, { from: evmAccount.address, to, amount })
}

/** Coins of the module for what it received in tokens. Throws sdk 4 for a recipient that only modules may pay. */
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
 * Tokens to coins through a transfer of the holder's: those of a coin's own ERC-20 are then burned and the locked coins
 * freed, for any other coins are made. Gives the amount that arrived. Throws sdk 4, evm 5, evm 9.
 */
export function erc20ToCoin(
  calls: ContractCalls,
  { erc20Addr, bankDenom, isMadeFromCoin }: FunToken,
  { holder, to, amount }: TokenToCoin,
): bigint {
  const { ctx } = calls
  const received = erc20.transfer(calls, erc20Addr, { from: holder, to: evmAccount.address, amount })
  if (isMadeFromCoin) erc20.burn(calls, erc20Addr, received)
  else mintCoins(ctx, bankDenom, received)
  payOut(ctx, bankDenom, to, received)
  return received
}

/** The same by a message of the holder's: a coin's own ERC-20 burns without a transfer. Gives the amount that arrived. */
export function redeem(calls: ContractCalls, mapping: FunToken, move: TokenToCoin): bigint {
  if (!mapping.isMadeFromCoin) return erc20ToCoin(calls, mapping, move)
  erc20.burnFrom(calls, mapping.erc20Addr, move.holder, move.amount)
  payOut(calls.ctx, mapping.bankDenom, move.to, move.amount)
  return move.amount
}
