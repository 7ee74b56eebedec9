/** Allowances to pay fees from another account. */
import { defineModule } from '../../sdk/module.ts'
import { genesis } from './genesis.ts'
import { deleteExpired } from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { validations } from './validation.ts'

export const feegrant = defineModule({
  name: 'feegrant',
  version: 2,
  messages, // sdk.feegrant.v1beta1.Msg
  queries, // sdk.feegrant.v1beta1.Query
  validations,
  genesis,
  endBlock: deleteExpired,
})
