/** Module `epochs`: named periods on a fixed schedule (docs/modules/epochs.md). */
import { defineModule } from '../../sdk/module.ts'
import { advanceEpochs } from './epochs.ts'
import { genesis } from './genesis.ts'
import { queries } from './queries.ts'

export const epochs = defineModule({
  name: 'epochs',
  queries, // chain.epochs.v1beta1.Query
  genesis,
  beginBlock: advanceEpochs,
})
