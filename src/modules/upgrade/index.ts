/** Module `upgrade`: scheduled and applied upgrades (docs/modules/upgrade.md). `app/upgrades/` runs them. */
import { defineModule } from '../../sdk/module.ts'
import { messages, validations } from './messages.ts'
import { queries } from './queries.ts'

export const upgrade = defineModule({
  name: 'upgrade',
  messages, // sdk.upgrade.v1beta1.Msg
  queries, // sdk.upgrade.v1beta1.Query
  validations,
})
