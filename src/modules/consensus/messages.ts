/** sdk.consensus.v1.Msg */
import { Msg } from '../../gen/sdk/consensus/v1/tx_pb.ts'
import { requireGovernance } from '../../sdk/authority.ts'
import { errors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as consensus from './keeper.ts'

export const messages = defineMessages(Msg, {
  /** Replaces the consensus engine's parameters from the next block on. Governance only. */
  updateParams(ctx, { authority, block, evidence, validator }) {
    requireGovernance(ctx, authority)
    if (!block || !evidence || !validator) throw errors.invalidRequest('all parameters must be present')
    consensus.setParams(ctx, { ...consensus.params(ctx), block, evidence, validator })
    return {}
  },
})
