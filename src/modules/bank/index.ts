/** Coins: balances, supply, metadata, and wei remainders below one base unit. */
import { defineModule } from '../../sdk/module.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { validations } from './validation.ts'

export const bank = defineModule({
  name: 'bank',
  version: 4,
  messages, // sdk.bank.v1beta1.Msg
  queries, // sdk.bank.v1beta1.Query
  validations,
  genesis,
})
