/** Liveness of validators: missed blocks, slashes, jail and release. */
import { defineModule } from '../../sdk/module.ts'
import {
  afterValidatorBonded,
  afterValidatorCreated,
  afterValidatorRemoved,
  beforeValidatorCreated,
} from '../staking/hooks.ts'
import { genesis } from './genesis.ts'
import { requireUsableKey, retireKey } from './keys.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { beginSigning, countVotes, deleteKey, storeKey } from './signing.ts'

export const slashing = defineModule({
  name: 'slashing',
  version: 3,
  messages, // sdk.slashing.v1beta1.Msg
  queries, // sdk.slashing.v1beta1.Query
  genesis,
  hooks: [
    beforeValidatorCreated.on(requireUsableKey),
    afterValidatorCreated.on((ctx, { operator }) => storeKey(ctx, operator)),
    afterValidatorRemoved.on((ctx, removed) => {
      deleteKey(ctx, removed.consensus)
      retireKey(ctx, removed)
    }),
    afterValidatorBonded.on((ctx, { consensus }) => beginSigning(ctx, consensus)),
  ],
  beginBlock: countVotes,
})
