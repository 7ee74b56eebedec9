/** sdk.slashing.v1beta1.Msg */
import { Msg } from '../../gen/sdk/slashing/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import { replaceParams } from '../../sdk/governed-params.ts'
import { nanoseconds } from '../../sdk/json.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as staking from '../staking/keeper.ts'
import { errors } from './errors.ts'
import { validateParams } from './params.ts'
import * as state from './state.ts'

export const messages = defineMessages(Msg, {
  /** Releases the sender's validator from jail, after the jail time and with enough self-delegation. */
  unjail(ctx, { validatorAddr }) {
    const operator = address.parseValidator(ctx, validatorAddr)
    const validator = staking.getValidator(ctx, operator)
    if (!validator) throw errors.noValidatorForAddress()
    const own = staking.getDelegation(ctx, operator, operator)
    if (!own) throw errors.missingSelfDelegation()
    const tokens = decimal.truncate(staking.tokensFromShares(validator, decimal.decode(own.shares) ?? decimal.zero))
    const least = BigInt(validator.minSelfDelegation || '0')
    if (tokens < least) throw errors.selfDelegationTooLow(`${tokens} less than ${least}`)
    if (!validator.jailed) throw errors.notJailed()
    const consensus = staking.consensusAddress(ctx.identity, validator)
    const info = state.signingInfos.get(ctx, consensus)
    if (info && (info.tombstoned || ctx.block.timeNs < nanoseconds(info.jailedUntil))) throw errors.stillJailed()
    staking.unjail(ctx, consensus)
    return {}
  },

  /** Replaces the parameters. Governance only. */
  updateParams: replaceParams(state.params, validateParams),
})
