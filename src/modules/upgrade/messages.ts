/** sdk.upgrade.v1beta1.Msg */
import { Msg, MsgCancelUpgradeSchema, MsgSoftwareUpgradeSchema } from '../../gen/sdk/upgrade/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { governance, invalidSigner, isGovernance } from '../../sdk/authority.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { defineMessages, validation } from '../../sdk/module.ts'
import * as upgrade from './keeper.ts'
import { validatePlan } from './plan.ts'

/** Throws gov 13 with the text of this module in the reference, and sdk 7 for an invalid address. */
function requireAuthority(ctx: ReadContext, authority: string): void {
  if (isGovernance(ctx, authority)) return
  throw invalidSigner(`expected ${address.format(ctx, governance)} got ${authority}`)
}

export const messages = defineMessages(Msg, {
  /** Schedules a plan and replaces an existing one. Governance only. */
  softwareUpgrade(ctx, { authority, plan }) {
    requireAuthority(ctx, authority)
    if (!plan) throw errors.invalidRequest('plan must be set')
    upgrade.schedule(ctx, plan)
    return {}
  },
  /** Removes the plan; succeeds without a plan. Governance only. */
  cancelUpgrade(ctx, { authority }) {
    requireAuthority(ctx, authority)
    upgrade.clearPlan(ctx)
    return {}
  },
})

export const validations = [
  validation(MsgSoftwareUpgradeSchema, (ctx, { authority, plan }) => {
    address.parse(ctx, authority)
    if (!plan) throw errors.invalidRequest('plan must be set')
    validatePlan(plan)
  }),
  validation(MsgCancelUpgradeSchema, (ctx, { authority }) => void address.parse(ctx, authority)),
]
