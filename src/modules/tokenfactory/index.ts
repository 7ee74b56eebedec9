/** Module `tokenfactory`: coins that any account can create (docs/modules/tokenfactory.md). */
import { defineModule } from '../../sdk/module.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { account } from './state.ts'
import { validations } from './validation.ts'

export const tokenfactory = defineModule({
  name: 'tokenfactory',
  messages, // chain.tokenfactory.v1.Msg
  queries, // chain.tokenfactory.v1.Query
  validations,
  accounts: [account],
  genesis,
})
