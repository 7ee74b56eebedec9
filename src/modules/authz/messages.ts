/** sdk.authz.v1beta1.Msg */
import { Msg } from '../../gen/sdk/authz/v1beta1/tx_pb.ts'
import { neutralTypeName } from '../../identity/type-name.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as bank from '../bank/keeper.ts'
import { typeUrlOf } from './authorization.ts'
import { executeAll } from './exec.ts'
import { deleteGrant, saveGrant } from './keeper.ts'
import { parseExec, parseGrant, parseRevoke } from './validation.ts'

export const messages = defineMessages(Msg, {
  /** Lets the grantee send messages on behalf of the granter. Creates the grantee's account if it does not exist. */
  grant(ctx, message) {
    const { parties, authorization, expiration } = parseGrant(ctx, message)
    bank.ensureRecipient(ctx, parties.grantee)
    const typeUrl = typeUrlOf(ctx.identity, authorization)
    if (!ctx.app.isRouted(neutralTypeName(ctx.identity, typeUrl)))
      throw sdkErrors.invalidType(`${typeUrl} doesn't exist.`)
    saveGrant(ctx, parties, authorization, expiration)
    return {}
  },

  /** Runs messages whose signers granted them to the grantee. The grantee's own messages need no grant. */
  exec(ctx, message) {
    const { grantee, executed } = parseExec(ctx, message)
    return { results: executeAll(ctx, grantee, executed) }
  },

  /** Deletes a grant. */
  revoke(ctx, message) {
    const { parties, typeUrl } = parseRevoke(ctx, message)
    deleteGrant(ctx, parties, typeUrl)
    return {}
  },
})
