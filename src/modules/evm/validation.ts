/** Parsing and stateless checks of the module's messages, for admission and for the handlers (docs/modules/evm.md#messages). */
import {
  type MsgConvertCoinToEvm,
  MsgConvertCoinToEvmSchema,
  type MsgConvertEvmToCoin,
  MsgConvertEvmToCoinSchema,
  type MsgCreateFunToken,
  MsgCreateFunTokenSchema,
} from '../../gen/chain/evm/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { parseEvm } from '../../primitives/address.ts'
import { tryParse } from '../../primitives/coin.ts'
import { isValid } from '../../primitives/denom.ts'
import { readEvm } from '../../primitives/evm-address.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'

const MAX_AMOUNT = 1n << 256n

/** Parses the address of an account with 20 bytes. Throws sdk 7. */
function parseSender(ctx: ReadContext, text: string): Uint8Array {
  const bytes = address.parse(ctx, text)
  if (bytes.length !== 20) throw errors.invalidAddress(`${text} has no EVM address`)
  return bytes
}

/** Reads the address in a message. Throws sdk 7 for the zero address. */
function requireEvmAddress(bytes: Uint8Array, what: string): Uint8Array {
  const evm = readEvm(bytes)
  if (evm.every((byte) => byte === 0)) throw errors.invalidAddress(`${what} is not set`)
  return evm
}

/** Parses `MsgCreateFunToken`. Throws sdk 7, sdk 18. */
export function parseCreation(ctx: ReadContext, { sender, fromErc20, fromBankDenom }: MsgCreateFunToken) {
  const from = parseSender(ctx, sender)
  const given = fromErc20 && fromErc20.length > 0 ? fromErc20 : undefined
  if ((given === undefined) === (fromBankDenom === '')) {
    throw errors.invalidRequest('either the "from_erc20" or "from_bank_denom" must be set (but not both)')
  }
  const contract = given && requireEvmAddress(given, 'from_erc20')
  if (!contract && !isValid(fromBankDenom)) throw errors.invalidRequest(`invalid denom: ${fromBankDenom}`)
  return { sender: from, contract, denom: fromBankDenom }
}

/** Parses `MsgConvertCoinToEvm`. Throws sdk 7, sdk 10. */
export function parseConvertCoin(ctx: ReadContext, { sender, toEthAddr, bankCoin }: MsgConvertCoinToEvm) {
  const coin = bankCoin && tryParse(bankCoin)
  if (!coin || coin.amount === 0n) throw errors.invalidCoins(bankCoin ? `${bankCoin.amount}${bankCoin.denom}` : 'none')
  return { sender: parseSender(ctx, sender), to: requireEvmAddress(toEthAddr, 'to_eth_addr'), coin }
}

/** Parses `MsgConvertEvmToCoin`. Throws sdk 7, sdk 18. */
export function parseConvertEvm(ctx: ReadContext, { sender, erc20Addr, amount, toAddr }: MsgConvertEvmToCoin) {
  const value = /^\d{1,78}$/.test(amount) ? BigInt(amount) : 0n
  if (value === 0n || value >= MAX_AMOUNT) throw errors.invalidRequest(`amount must be positive: ${amount}`)
  return {
    sender: parseSender(ctx, sender),
    contract: requireEvmAddress(erc20Addr, 'erc20_addr'),
    to: parseEvm(toAddr) ?? address.parse(ctx, toAddr),
    amount: value,
  }
}

/** Stateless checks of the module's messages. */
export const validations = [
  validation(MsgCreateFunTokenSchema, (ctx, message) => void parseCreation(ctx, message)),
  validation(MsgConvertCoinToEvmSchema, (ctx, message) => void parseConvertCoin(ctx, message)),
  validation(MsgConvertEvmToCoinSchema, (ctx, message) => void parseConvertEvm(ctx, message)),
]
