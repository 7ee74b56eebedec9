/** Parameters of the consensus engine. Their genesis is `consensus_params` of the document, outside of `app_state`. */
import { defineModule } from '../../sdk/module.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'

export const consensus = defineModule({
  name: 'consensus',
  messages, // sdk.consensus.v1.Msg
  queries, // sdk.consensus.v1.Query
})
