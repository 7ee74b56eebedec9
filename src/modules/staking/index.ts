/** Validators, their power, and delegations. */
import { defineModule } from '../../sdk/module.ts'
import { genesis } from './genesis.ts'
import { trackHistory } from './history.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { completeRedelegations } from './redelegation.ts'
import { bondedPool, notBondedPool } from './state.ts'
import { completeUnbondings } from './unbonding.ts'
import { completeValidators, updateValidatorSet } from './updates.ts'
import { validations } from './validation.ts'

export const staking = defineModule({
  name: 'staking',
  version: 4,
  messages, // sdk.staking.v1beta1.Msg
  queries, // sdk.staking.v1beta1.Query
  validations,
  accounts: [bondedPool, notBondedPool],
  genesis,
  beginBlock: trackHistory,
  endBlock(ctx) {
    updateValidatorSet(ctx)
    completeValidators(ctx)
    completeUnbondings(ctx)
    completeRedelegations(ctx)
  },
})
