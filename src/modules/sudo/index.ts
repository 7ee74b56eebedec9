/** Privileged accounts: the root, its contracts, and who pays no gas. */
import { defineModule } from '../../sdk/module.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { account } from './state.ts'

export const sudo = defineModule({
  name: 'sudo',
  messages, // chain.sudo.v1.Msg
  queries, // chain.sudo.v1.Query
  accounts: [account],
  genesis,
})
