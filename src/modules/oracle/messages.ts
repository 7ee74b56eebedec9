/** chain.oracle.v1beta1.Msg */
import { create } from '@bufbuild/protobuf'
import {
  EventAggregatePrevoteSchema,
  EventAggregateVoteSchema,
  EventDelegateFeederConsentSchema,
} from '../../gen/chain/oracle/v1beta1/event_pb.ts'
import {
  AggregateExchangeRatePrevoteSchema,
  AggregateExchangeRateVoteSchema,
  ExchangeRateTupleSchema,
} from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import { Msg } from '../../gen/chain/oracle/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import * as decimal from '../../primitives/decimal.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { defineMessages } from '../../sdk/module.ts'
import * as staking from '../staking/keeper.ts'
import * as sudo from '../sudo/keeper.ts'
import { editParams } from './params.ts'
import * as state from './state.ts'
import { parseVote, parseVoter } from './votes.ts'

export const messages = defineMessages(Msg, {
  /** Commits to a vote by its hash, so that no other validator can copy it. */
  aggregateExchangeRatePrevote(ctx, { hash, feeder, validator }) {
    const voter = parseVoter(ctx, { feeder, validator })
    const prevote = { hash: hash.toLowerCase(), voter: voter.validator, submitBlock: ctx.block.height }
    state.prevotes.set(ctx, voter.operator, create(AggregateExchangeRatePrevoteSchema, prevote))
    ctx.emit(EventAggregatePrevoteSchema, { validator: voter.validator, feeder: voter.feeder })
    return {}
  },

  /** Reveals the vote that was committed to in the previous voting period. */
  aggregateExchangeRateVote(ctx, message) {
    const { voter, rates } = parseVote(ctx, message)
    const { operator, validator, feeder } = voter
    const exchangeRateTuples = rates.map(({ pair, rate }) =>
      create(ExchangeRateTupleSchema, { pair, exchangeRate: decimal.encode(rate) }),
    )
    state.votes.set(ctx, operator, create(AggregateExchangeRateVoteSchema, { exchangeRateTuples, voter: validator }))
    state.prevotes.remove(ctx, operator)
    ctx.emit(EventAggregateVoteSchema, { validator, feeder, prices: exchangeRateTuples })
    return {}
  },

  /** Delegates voting to another account. The validator itself can still vote. */
  delegateFeedConsent(ctx, { operator, delegate }) {
    const validator = address.parseValidator(ctx, operator)
    staking.requireValidator(ctx, validator)
    const feeder = address.parse(ctx, delegate)
    state.feeders.set(ctx, validator, feeder)
    ctx.emit(EventDelegateFeederConsentSchema, {
      validator: address.formatValidator(ctx, validator),
      feeder: address.format(ctx, feeder),
    })
    return {}
  },

  /** Edits parameters, with effect from the next voting period (D22, D26). */
  editOracleParams(ctx, { sender, params }) {
    sudo.requireOracleEditor(ctx, sender)
    if (!params) throw sdkErrors.invalidRequest('params must be given')
    editParams(ctx, params)
    return {}
  },
})
