/** chain.evm.v1.Msg */
import {
  EventConvertCoinToEvmSchema,
  EventConvertEvmToCoinSchema,
  EventFunTokenCreatedSchema,
} from '../../gen/chain/evm/v1/events_pb.ts'
import type { FunToken } from '../../gen/chain/evm/v1/evm_pb.ts'
import { Msg } from '../../gen/chain/evm/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { toText } from '../../primitives/coin.ts'
import { ChainError } from '../../primitives/errors.ts'
import { readEvm } from '../../primitives/evm-address.ts'
import type { Context } from '../../sdk/context.ts'
import { withoutGas } from '../../sdk/create-context.ts'
import { isOutOfGas, errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import { withUnregistered } from '../../sdk/unregistered.ts'
import * as bank from '../bank/keeper.ts'
import * as sudo from '../sudo/keeper.ts'
import * as tokenfactory from '../tokenfactory/keeper.ts'
import { chargePosition } from './calls/call-session.ts'
import { createMessageCalls } from './calls/message-calls.ts'
import { errors } from './errors.ts'
import { coinToErc20, redeem } from './funtoken/conversions.ts'
import { createFromCoin, createFromErc20 } from './funtoken/creation.ts'
import * as funtokens from './funtoken/mappings.ts'
import { unwrap, wrap } from './funtoken/wrapped-native.ts'
import { lightLogs } from './logs.ts'
import { params as storedParams, validateParams } from './params.ts'
import * as state from './state.ts'
import { parseConvertCoin, parseConvertEvm, parseCreation } from './validation.ts'

/** Burns `create_funtoken_fee` from the sender's coins. Throws sdk 5. */
function burnCreationFee(ctx: Context, sender: Uint8Array): void {
  const amount = BigInt(storedParams(ctx).createFuntokenFee)
  if (amount === 0n) return
  const fee = [{ denom: ctx.identity.baseDenom, amount }]
  try {
    bank.sendToModule(ctx, sender, state.evmAccount, fee)
  } catch (error) {
    if (!(error instanceof ChainError) || isOutOfGas(error)) throw error
    const { codespace, code, status, details } = error
    const message = `create_funtoken_fee of ${amount}${ctx.identity.baseDenom}: ${error.message}`
    throw new ChainError(codespace, { code, status, text: error.message }, message, details)
  }
  bank.burn(ctx, state.evmAccount, fee)
}

/** Throws sdk 4 for a factory denom of another admin: only the admin decides the metadata that the ERC-20 keeps. */
function requireMapper(ctx: Context, sender: Uint8Array, denom: string): void {
  if (ctx.identity.behaviours.anyoneMapsFactoryDenoms) return
  const admin = tokenfactory.adminOf(withoutGas(ctx), denom)
  if (!admin || tokenfactory.isAdmin(ctx, admin, sender)) return
  throw sdkErrors.unauthorized(`only ${admin}, the admin of ${denom}, can map it`)
}

/** Whether a failure of a conversion is another module's, which the reference passes on with its code. */
const isOfOthers = ({ codespace }: ChainError): boolean => codespace !== 'evm'

/** Returns the mapping of a contract to redeem. Under `callsPayForStores` the parameters are read first, and the wrapped coin is not looked up. */
function mappingToRedeem(ctx: Context, contract: Uint8Array): FunToken | undefined {
  if (ctx.identity.behaviours.callsPayForStores && equal(contract, storedParams(ctx).canonicalWnative)) return undefined
  return funtokens.byContract(ctx, contract)
}

export const messages = defineMessages(Msg, {
  /** Refuses an Ethereum transaction in an ordinary one. The application executes wrapped ones itself (app/evm/deliver.ts). */
  ethereumTx() {
    throw sdkErrors.invalidType('MsgEthereumTx needs to be contained within a tx with the Ethereum extension option')
  },

  /** Replaces all parameters. The authority is governance, or the sudo root if one is set. */
  updateParams(ctx, { authority, params }) {
    sudo.requireAuthority(ctx, authority)
    if (!params) throw sdkErrors.invalidRequest('params must be given')
    validateParams(params)
    state.params.set(ctx, { ...params, canonicalWnative: readEvm(params.canonicalWnative) })
    return {}
  },

  /** Maps a coin to a new ERC-20, or an ERC-20 to a new coin. Burns `create_funtoken_fee`. */
  createFunToken(ctx, message) {
    const { sender, contract, denom } = parseCreation(ctx, message)
    if (!contract) requireMapper(ctx, sender, denom)
    const mapping = withUnregistered(ctx, () => {
      burnCreationFee(ctx, sender)
      return contract ? createFromErc20(ctx, contract) : createFromCoin(ctx, denom, message.allowZeroDecimals)
    })
    ctx.emit(EventFunTokenCreatedSchema, {
      bankDenom: mapping.bankDenom,
      erc20ContractAddress: formatEip55(mapping.erc20Addr),
      creator: address.format(ctx, sender),
      isMadeFromCoin: mapping.isMadeFromCoin,
    })
    return { funtokenMapping: mapping }
  },

  /** Converts coins to tokens; the base coin becomes the wrapped native coin. */
  convertCoinToEvm(ctx, message) {
    const { sender, to, coin } = parseConvertCoin(ctx, message)
    const { denom, amount } = coin
    chargePosition(ctx)
    const calls = createMessageCalls(ctx)
    const contract = withUnregistered(
      ctx,
      () => {
        if (denom === ctx.identity.baseDenom) {
          calls.openFor(sender)
          return wrap(calls, sender, to, amount)
        }
        const mapping = funtokens.byDenom(ctx, denom)
        if (!mapping) throw errors.unmapped(`funtoken for bank denom "${denom}" does not exist`)
        coinToErc20(calls, mapping, { sender, to, amount })
        return mapping.erc20Addr
      },
      isOfOthers,
    )
    ctx.emit(EventConvertCoinToEvmSchema, {
      sender: address.format(ctx, sender),
      erc20ContractAddress: formatEip55(contract),
      toEthAddr: formatEip55(to),
      bankCoin: toText(coin),
      evmLogs: lightLogs(calls.logs),
    })
    return {}
  },

  /** Converts tokens to coins; the wrapped native coin becomes the base coin. */
  convertEvmToCoin(ctx, message) {
    const { sender, to, contract, amount } = parseConvertEvm(ctx, message)
    chargePosition(ctx)
    const calls = createMessageCalls(ctx)
    const mapping = mappingToRedeem(ctx, contract)
    const coin = withUnregistered(
      ctx,
      () => {
        if (mapping) {
          if (!mapping.isMadeFromCoin) calls.openFor(sender)
          const received = redeem(calls, mapping, { holder: sender, to, amount })
          return { denom: mapping.bankDenom, amount: received }
        }
        calls.openFor(sender)
        if (!equal(contract, storedParams(withoutGas(ctx)).canonicalWnative)) {
          throw errors.unmapped(`no FunToken mapping exists for ERC20 "${formatEip55(contract)}"`)
        }
        unwrap(calls, sender, to, amount)
        return { denom: ctx.identity.baseDenom, amount: amount / bank.WEI_PER_UNIT }
      },
      isOfOthers,
    )
    ctx.emit(EventConvertEvmToCoinSchema, {
      sender: address.format(ctx, sender),
      erc20ContractAddress: formatEip55(contract),
      toAddress: address.format(ctx, to),
      bankCoin: toText(coin),
      senderEthAddr: formatEip55(sender),
      evmLogs: lightLogs(calls.logs),
    })
    return {}
  },
})
