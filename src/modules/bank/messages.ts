/** sdk.bank.v1beta1.Msg */
import type { Params } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import { Msg } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import { isValid } from '../../primitives/denom.ts'
import { requireGovernance } from '../../sdk/authority.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { replaceParams } from '../../sdk/governed-params.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as bank from './keeper.ts'
import * as state from './state.ts'
import { parseMultiSend, parseSend } from './validation.ts'

/** Throws sdk 18 if the deprecated list `send_enabled` is set: `MsgSetSendEnabled` replaces it. */
function validateParams({ sendEnabled }: Params): void {
  if (sendEnabled.length > 0) throw sdkErrors.invalidRequest('use of send_enabled in params is no longer supported')
}

export const messages = defineMessages(Msg, {
  /** Sends coins from one account to another, which is created if it does not exist. */
  send(ctx, message) {
    const { from, to, coins } = parseSend(ctx, message)
    bank.requireSendEnabled(ctx, coins)
    bank.requireUnblocked(ctx, to)
    bank.send(ctx, from, to, coins)
    return {}
  },

  /** Sends coins from one account to many. */
  multiSend(ctx, message) {
    const { input, outputs } = parseMultiSend(ctx, message)
    bank.requireSendEnabled(ctx, input.coins)
    for (const output of outputs) bank.requireUnblocked(ctx, output.address)
    bank.sendMany(ctx, input, outputs)
    return {}
  },

  /** Replaces the parameters. Governance only. */
  updateParams: replaceParams(state.params, validateParams),

  /** Enables or disables sends of denoms, or resets them to the default. Governance only. */
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
