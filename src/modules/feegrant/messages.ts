/** sdk.feegrant.v1beta1.Msg */
import { Msg } from '../../gen/sdk/feegrant/v1beta1/tx_pb.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import { getGrant, grantAllowance, revokeAllowance } from './keeper.ts'
import { parseGrantAllowance, parseRevokeAllowance } from './validation.ts'

export const messages = defineMessages(Msg, {
  /** Lets the grantee pay fees with the granter's coins. */
  grantAllowance(ctx, message) {
    const { parties, allowance } = parseGrantAllowance(ctx, message)
    if (getGrant(ctx, parties)) throw sdkErrors.invalidRequest('fee allowance already exists')
    grantAllowance(ctx, parties, allowance)
    return {}
  },

  /** Deletes an allowance. */
  revokeAllowance(ctx, message) {
    revokeAllowance(ctx, parseRevokeAllowance(ctx, message))
    return {}
  },
})
