/** A share of the fees of a contract's calls goes to whom its developer names. */
import { defineModule } from '../../sdk/module.ts'
import { afterContractCall } from '../evm/hooks.ts'
import { genesis } from './genesis.ts'
import { messages, validations } from './messages.ts'
import { payOut } from './payout.ts'
import { queries } from './queries.ts'

export const devgas = defineModule({
  name: 'devgas',
  messages, // chain.devgas.v1.Msg
  queries, // chain.devgas.v1.Query
  validations,
  hooks: [afterContractCall.on(payOut)],
  genesis,
})
