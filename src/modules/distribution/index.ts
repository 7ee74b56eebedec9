/** Distribution of fees to validators and delegators by stake, and to the community pool. */
import { defineModule } from '../../sdk/module.ts'
import {
  afterDelegationModified,
  afterValidatorCreated,
  afterValidatorRemoved,
  beforeDelegationCreated,
  beforeDelegationSharesModified,
  beforeValidatorSlashed,
} from '../staking/hooks.ts'
import * as staking from '../staking/keeper.ts'
import { beginBlock } from './allocation.ts'
import { genesis } from './genesis.ts'
import { messages } from './messages.ts'
import { queries } from './queries.ts'
import { beginDelegation, beginValidator, endPeriod, endValidator, payDelegation, recordSlash } from './rewards.ts'
import { distributionAccount } from './state.ts'

export const distribution = defineModule({
  name: 'distribution',
  version: 3,
  messages, // sdk.distribution.v1beta1.Msg
  queries, // sdk.distribution.v1beta1.Query
  accounts: [distributionAccount],
  genesis,
  hooks: [
    afterValidatorCreated.on((ctx, { operator }) => {
      // The Cosmos SDK reads the validator here, and metered code pays for it.
      staking.requireValidator(ctx, operator)
      beginValidator(ctx, operator)
    }),
    afterValidatorRemoved.on((ctx, { operator }) => endValidator(ctx, operator)),
    beforeDelegationCreated.on((ctx, { operator }) => {
      endPeriod(ctx, operator, staking.requireValidator(ctx, operator))
    }),
    beforeDelegationSharesModified.on((ctx, { operator, delegator }) => {
      const validator = staking.requireValidator(ctx, operator)
      const delegation = staking.getDelegation(ctx, delegator, operator)
      const paid = delegation && payDelegation(ctx, operator, delegator, validator, delegation)
      // A delegation from a genesis without reward records starts to earn here.
      if (!paid) endPeriod(ctx, operator, validator)
    }),
    afterDelegationModified.on((ctx, { operator, delegator }) => beginDelegation(ctx, operator, delegator)),
    beforeValidatorSlashed.on((ctx, { operator, fraction }) =>
      recordSlash(ctx, operator, staking.requireValidator(ctx, operator), fraction),
    ),
  ],
  beginBlock,
})
