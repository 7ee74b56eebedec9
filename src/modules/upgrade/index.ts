/** Coordinated upgrades: which plan is scheduled, which were applied. What a plan does to a block is in `app/upgrades/`. */
import { defineModule } from '../../sdk/module.ts'
import { messages, validations } from './messages.ts'
import { queries } from './queries.ts'

export const upgrade = defineModule({
  name: 'upgrade',
  messages, // sdk.upgrade.v1beta1.Msg
  queries, // sdk.upgrade.v1beta1.Query
  validations,
})
