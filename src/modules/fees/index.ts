/** Module `fees`: the denoms in which transactions pay (docs/modules/fees.md). */
import { defineModule } from '../../sdk/module.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'

export const fees = defineModule({
  name: 'fees',
  stores: [],
  messages, // chain.fees.v1.Msg
  queries, // chain.fees.v1.Query
  genesis,
})
