/** Precompile 0x800: conversions between bank and EVM, for contracts (docs/modules/evm.md#precompiles). */
import type { FunToken } from '../../../gen/chain/evm/v1/evm_pb.ts'
import * as bech32 from '../../../identity/address.ts'
import { formatEip55, parseEvm } from '../../../primitives/address.ts'
import { isValid } from '../../../primitives/denom.ts'
import { ChainError, queryError } from '../../../primitives/errors.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import { errors as sdkErrors } from '../../../sdk/errors.ts'
import * as bank from '../../bank/keeper.ts'
import type { AbiValue } from '../calls/abi.ts'
import { coinToErc20, erc20ToCoin } from '../funtoken/conversions.ts'
import { balanceOf } from '../funtoken/erc20-calls.ts'
import * as funtokens from '../funtoken/mappings.ts'
import { definePrecompile, type Method } from './define.ts'

/** Parses a hexadecimal or Bech32 address. Throws sdk 7. */
function parseEither(ctx: ReadContext, text: string): Uint8Array {
  const bytes = parseEvm(text) ?? bech32.parse(ctx, text)
  if (bytes.length !== 20) throw sdkErrors.invalidAddress(`${text} has no EVM address`)
  return bytes
}

/** Returns both forms of an address, the last result of several methods. */
const bothForms = (ctx: ReadContext, address: Uint8Array): AbiValue => [address, bech32.format(ctx, address)]

function requirePositive(amount: bigint): void {
  if (amount <= 0n) throw queryError('invalidArgument', 'transfer amount must be positive')
}

function requireMapping(mapping: FunToken | undefined, text: string): FunToken {
  if (!mapping) throw queryError('notFound', text)
  return mapping
}

/** Prefixes query errors with the name of the view method. */
function inMethod<Result>(name: string, run: () => Result): Result {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ChainError) || error.codespace !== 'undefined') throw error
    throw queryError(error.status, `${name} method called: ${error.message}`)
  }
}

const sendToBank: Method = {
  signature: 'sendToBank(address,uint256,string)',
  returns: 'uint256',
  changesState: true,
  run({ ctx, calls, caller }, args) {
    const [token, amount, to] = args as [Uint8Array, bigint, string]
    const shown = `no FunToken mapping exists for ERC20 "${formatEip55(token)}"`
    const mapping = requireMapping(funtokens.byContract(ctx, token), shown)
    requirePositive(amount)
    return [erc20ToCoin(calls, mapping, { holder: caller, to: parseEither(ctx, to), amount })]
  },
}

const sendToEvm: Method = {
  signature: 'sendToEvm(string,uint256,string)',
  returns: 'uint256',
  changesState: true,
  run({ ctx, calls, caller }, args) {
    const [denom, amount, to] = args as [string, bigint, string]
    const mapping = requireMapping(funtokens.byDenom(ctx, denom), `no funtoken found for bank denom "${denom}"`)
    requirePositive(amount)
    return [coinToErc20(calls, mapping, { sender: caller, to: parseEither(ctx, to), amount })]
  },
}

const bankMsgSend: Method = {
  signature: 'bankMsgSend(string,string,uint256)',
  returns: 'bool',
  changesState: true,
  run({ ctx, caller }, args) {
    const [to, denom, amount] = args as [string, string, bigint]
    const recipient = parseEither(ctx, to)
    if (!isValid(denom) || amount <= 0n) throw sdkErrors.invalidCoins(`${amount}${denom}`)
    const coins = [{ denom, amount }]
    bank.requireSendEnabled(ctx, coins)
    bank.requireUnblocked(ctx, recipient)
    bank.send(ctx, caller, recipient, coins)
    return [true]
  },
}

const balance: Method = {
  signature: 'balance(address,address)',
  returns: 'uint256,uint256,(address,string),(address,string)',
  changesState: false,
  run({ ctx, calls }, args) {
    const [who, token] = args as [Uint8Array, Uint8Array]
    const text = formatEip55(token)
    return inMethod('balance', () => {
      const { erc20Addr, bankDenom } = requireMapping(
        funtokens.mappingOf(ctx, text),
        `invalid method args: rpc error: code = NotFound desc = token mapping not found for ${text}`,
      )
      const tokens = balanceOf(calls, erc20Addr, who)
      return [tokens, bank.balance(ctx, who, bankDenom), [erc20Addr, bankDenom], bothForms(ctx, who)]
    })
  },
}

const bankBalance: Method = {
  signature: 'bankBalance(address,string)',
  returns: 'uint256,(address,string)',
  changesState: false,
  run({ ctx }, args) {
    const [who, denom] = args as [Uint8Array, string]
    return inMethod('bankBalance', () => {
      if (!isValid(denom)) throw queryError('invalidArgument', `invalid method args: invalid denom: ${denom}`)
      return [bank.balance(ctx, who, denom), bothForms(ctx, who)]
    })
  },
}

const whoAmI: Method = {
  signature: 'whoAmI(string)',
  returns: '(address,string)',
  changesState: false,
  run: ({ ctx }, args) => [bothForms(ctx, parseEither(ctx, args[0] as string))],
}

const getErc20Address: Method = {
  signature: 'getErc20Address(string)',
  returns: 'address',
  changesState: false,
  run({ ctx }, args) {
    const denom = args[0] as string
    return inMethod('getErc20Address', () => {
      if (!isValid(denom))
        throw queryError('invalidArgument', `invalid method args: invalid bank denomination format: ${denom}`)
      const mapping = denom === ctx.identity.baseDenom ? funtokens.mappingOf(ctx, denom) : funtokens.byDenom(ctx, denom)
      return [requireMapping(mapping, `no FunToken mapping found for bank denom "${denom}"`).erc20Addr]
    })
  },
}

export const funTokenPrecompile = definePrecompile('precompileFunToken', [
  sendToBank,
  sendToEvm,
  bankMsgSend,
  balance,
  bankBalance,
  whoAmI,
  getErc20Address,
])
