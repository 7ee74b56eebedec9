/** Periods of time by name, on a fixed schedule, and who hears when one ends. */
import { defineModule } from '../../sdk/module.ts'
import { turnEpochs } from './epochs.ts'
import { genesis } from './genesis.ts'
import { queries } from './queries.ts'

export const epochs = defineModule({
  name: 'epochs',
  queries, // chain.epochs.v1beta1.Query
  genesis,
  beginBlock: turnEpochs,
})
