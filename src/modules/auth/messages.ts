/** sdk.auth.v1beta1.Msg */
import { Msg } from '../../gen/sdk/auth/v1beta1/tx_pb.ts'
import { requireGovernance } from '../../sdk/authority.ts'
import { errors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as auth from './keeper.ts'
import { validateParams } from './params.ts'

export const messages = defineMessages(Msg, {
  /** Replaces all parameters. Governance only. */
  updateParams(ctx, { authority, params }) {
    requireGovernance(ctx, authority)
    if (!params) throw errors.invalidRequest('params must be given')
    validateParams(params)
    auth.setParams(ctx, params)
    return {}
  },
})
