/** Module `inflation`: mints native coins at the end of each day (docs/modules/inflation.md). */
import { defineModule } from '../../sdk/module.ts'
import { afterEpochEnd } from '../epochs/hooks.ts'
import { genesis } from './genesis.ts'
import { messages, validations } from './messages.ts'
import { mintEpoch } from './mint.ts'
import { queries } from './queries.ts'
import { account } from './state.ts'

export const inflation = defineModule({
  name: 'inflation',
  version: 3,
  messages, // chain.inflation.v1.Msg
  queries, // chain.inflation.v1.Query
  validations,
  accounts: [account],
  hooks: [afterEpochEnd.on(mintEpoch)],
  genesis,
})
