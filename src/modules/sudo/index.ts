/** Module `sudo`: the privileged root, its contracts, and calls without a fee (docs/modules/sudo.md). */
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
