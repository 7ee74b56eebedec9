/** sdk.bank.v1beta1.Msg */
import { Msg } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { add, type Coin, type CoinText, format, tryParseList } from '../../primitives/coin.ts'
import { isValid } from '../../primitives/denom.ts'
import { requireGovernance } from '../../sdk/authority.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import { errors } from './errors.ts'
import * as bank from './keeper.ts'
import * as state from './state.ts'

/** Coins of a message. Throws sdk 10 unless valid and not empty. */
function parseCoins(texts: readonly CoinText[]): readonly Coin[] {
  const coins = tryParseList(texts)
  if (!coins || coins.length === 0) {
    throw sdkErrors.invalidCoins(texts.map(({ denom, amount }) => `${amount}${denom}`).join(','))
  }
  return coins
}

export const messages = defineMessages(Msg, {
  /** Sends coins from one account to another, which is made if it is new. */
  send(ctx, { fromAddress, toAddress, amount }) {
    const from = address.parse(ctx, fromAddress)
    const to = address.parse(ctx, toAddress)
    const coins = parseCoins(amount)
    bank.requireSendEnabled(ctx, coins)
    bank.requireUnblocked(ctx, to)
    bank.send(ctx, from, to, coins)
    return {}
  },

  /** Sends coins from one account to many. */
  multiSend(ctx, { inputs, outputs }) {
    if (inputs.length === 0) throw errors.noInputs()
    if (inputs.length > 1) throw errors.multipleSenders()
    if (outputs.length === 0) throw errors.noOutputs()
    const input = { address: address.parse(ctx, inputs[0]!.address), coins: parseCoins(inputs[0]!.coins) }
    const parsed = outputs.map((output) => ({
      address: address.parse(ctx, output.address),
      coins: parseCoins(output.coins),
    }))
    const total = parsed.reduce<readonly Coin[]>((sum, { coins }) => add(sum, coins), [])
    if (format(total) !== format(input.coins)) throw errors.inputOutputMismatch()
    bank.requireSendEnabled(ctx, input.coins)
    for (const output of parsed) bank.requireUnblocked(ctx, output.address)
    bank.sendMany(ctx, input, parsed)
    return {}
  },

  /** Replaces the parameters. Governance only. */
  updateParams(ctx, { authority, params }) {
    requireGovernance(ctx, authority)
    if (!params) throw sdkErrors.invalidRequest('params must be given')
    if (params.sendEnabled.length > 0) {
      throw sdkErrors.invalidRequest('use of send_enabled in params is no longer supported')
    }
    state.params.set(ctx, params)
    return {}
  },

  /** Allows or stops sends of denoms, or returns them to the default. Governance only. */
  setSendEnabled(ctx, { authority, sendEnabled, useDefaultFor }) {
    requireGovernance(ctx, authority)
    const seen = new Set<string>()
    for (const denom of [...sendEnabled.map((entry) => entry.denom), ...useDefaultFor]) {
      if (!isValid(denom)) throw sdkErrors.invalidRequest(`invalid SendEnabled denom "${denom}"`)
      if (seen.has(denom)) throw sdkErrors.invalidRequest(`duplicate denom found: ${denom}`)
      seen.add(denom)
    }
    for (const { denom, enabled } of sendEnabled) state.sendEnabled.set(ctx, denom, enabled)
    for (const denom of useDefaultFor) state.sendEnabled.delete(ctx, denom)
    return {}
  },
})
