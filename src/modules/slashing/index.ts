/** Validators that do not sign: counted, punished, and let back. */
import { defineModule } from '../../sdk/module.ts'
import { afterValidatorBonded, afterValidatorCreated, afterValidatorRemoved } from '../staking/hooks.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { beginSigning, countVotes, forgetKey, keepKey } from './signing.ts'

export const slashing = defineModule({
  name: 'slashing',
  version: 3,
  messages, // sdk.slashing.v1beta1.Msg
  queries, // sdk.slashing.v1beta1.Query
  genesis,
  hooks: [
    afterValidatorCreated.on((ctx, { operator }) => keepKey(ctx, operator)),
    afterValidatorRemoved.on((ctx, { consensus }) => forgetKey(ctx, consensus)),
    afterValidatorBonded.on((ctx, { consensus }) => beginSigning(ctx, consensus)),
  ],
  beginBlock: countVotes,
})
