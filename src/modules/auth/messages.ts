/** sdk.auth.v1beta1.Msg */
import { Msg } from '../../gen/sdk/auth/v1beta1/tx_pb.ts'
import { replaceParams } from '../../sdk/governed-params.ts'
import { defineMessages } from '../../sdk/module.ts'
import { validateParams } from './params.ts'
import * as state from './state.ts'

export const messages = defineMessages(Msg, {
  /** Replaces all parameters. Governance only. */
  updateParams: replaceParams(state.params, validateParams),
})
