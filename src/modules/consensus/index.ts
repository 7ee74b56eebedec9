/** Parameters of the consensus engine. Their genesis is the document's `consensus_params`, not a module's part. */
import { defineModule } from '../../sdk/module.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'

export const consensus = defineModule({
  name: 'consensus',
  messages, // sdk.consensus.v1.Msg
  queries, // sdk.consensus.v1.Query
})
