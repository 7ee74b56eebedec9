/** Module `devgas`: pays developers a share of the fees of their contracts (docs/modules/devgas.md). */
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
