/** Messages that create accounts whose coins unlock over time. `auth` stores the accounts and knows what is locked. */
import { defineModule } from '../../sdk/module.ts'
import { messages } from './messages.ts'
import { validations } from './validation.ts'

export const vesting = defineModule({
  name: 'vesting',
  stores: [],
  messages, // sdk.vesting.v1beta1.Msg
  validations,
})
