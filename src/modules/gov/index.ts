/** Module `gov`: proposals, deposits, votes, and messages sent by the chain (docs/modules/gov.md). */
import { defineModule } from '../../sdk/module.ts'
import { endBlock } from './end-block.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { legacyMessages, legacyValidations } from './messages.v1beta1.ts'
import { queries } from './queries.ts'
import { legacyQueries } from './queries.v1beta1.ts'
import { account } from './state.ts'
import { validations } from './validation.ts'

export const gov = defineModule({
  name: 'gov',
  version: 4,
  messages: [messages, legacyMessages], // sdk.gov.v1.Msg, sdk.gov.v1beta1.Msg
  queries: [queries, legacyQueries], // sdk.gov.v1.Query, sdk.gov.v1beta1.Query
  validations: [...validations, ...legacyValidations],
  accounts: [account],
  genesis,
  endBlock,
})
