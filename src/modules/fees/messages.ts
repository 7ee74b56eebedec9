/** chain.fees.v1.Msg */
import { Msg } from '../../gen/chain/fees/v1/tx_pb.ts'
import { replaceParams } from '../../sdk/governed-params.ts'
import { defineMessages } from '../../sdk/module.ts'
import { validateParams } from './params.ts'
import * as state from './state.ts'

export const messages = defineMessages(Msg, {
  /** Replaces the parameters. Governance only. */
  updateParams: replaceParams(state.params, validateParams),
})
