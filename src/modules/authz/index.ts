/** Grants to send messages on behalf of another account. */
import { defineModule } from '../../sdk/module.ts'
import { genesis } from './genesis.ts'
import { deleteExpired } from './keeper.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { validations } from './validation.ts'

export const authz = defineModule({
  name: 'authz',
  version: 2,
  messages, // sdk.authz.v1beta1.Msg
  queries, // sdk.authz.v1beta1.Query
  validations,
  genesis,
  beginBlock: deleteExpired,
})
