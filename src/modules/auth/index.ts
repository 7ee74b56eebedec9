/** Accounts: keys, numbers, sequences, code hashes, vesting schedules. */
import { defineModule } from '../../sdk/module.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { feeCollector, STORE } from './state.ts'

export const auth = defineModule({
  name: 'auth',
  version: 4,
  stores: [STORE],
  messages, // sdk.auth.v1beta1.Msg
  queries, // sdk.auth.v1beta1.Query
  accounts: [feeCollector],
  genesis,
})
