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
import { errors } from './errors.ts'
import * as oracle from './keeper.ts'
import { editParams } from './params.ts'
import * as state from './state.ts'
import { parseRates, voteHash } from './vote-text.ts'

export const messages = defineMessages(Msg, {
  /** Commits to a vote by its hash, so that no other validator can copy it. */
  aggregateExchangeRatePrevote(ctx, { hash, feeder, validator }) {
    const operator = address.parseValidator(ctx, validator)
    oracle.requireVoter(ctx, address.parse(ctx, feeder), operator)
    const prevote = { hash: hash.toLowerCase(), voter: validator, submitBlock: ctx.block.height }
    state.prevotes.set(ctx, operator, create(AggregateExchangeRatePrevoteSchema, prevote))
    ctx.emit(EventAggregatePrevoteSchema, { validator, feeder })
    return {}
  },

  /** Reveals the vote that was committed to in the previous voting period. */
  aggregateExchangeRateVote(ctx, { salt, exchangeRates, feeder, validator }) {
    const operator = address.parseValidator(ctx, validator)
    oracle.requireVoter(ctx, address.parse(ctx, feeder), operator)
    const prevote = state.prevotes.get(ctx, operator)
    if (!prevote) throw errors.noPrevote(validator)
    oracle.requireRevealable(ctx, prevote)
    const rates = parseRates(exchangeRates)
    const isTarget = (pair: string) => state.voteTargets.has(ctx, pair)
    if (ctx.identity.behaviours.votesForTargetsAlone) {
      const stranger = rates.find(({ pair }) => !isTarget(pair))
      if (stranger) throw errors.unknownPair(stranger.pair)
    }
    const hash = voteHash(salt, exchangeRates, validator)
    if (hash !== prevote.hash) throw errors.hashMismatch(`must be given ${prevote.hash}, got: ${hash}`)
    const exchangeRateTuples = rates
      .filter(({ pair }) => isTarget(pair))
      .map(({ pair, rate }) => create(ExchangeRateTupleSchema, { pair, exchangeRate: decimal.encode(rate) }))
    state.votes.set(ctx, operator, create(AggregateExchangeRateVoteSchema, { exchangeRateTuples, voter: validator }))
    state.prevotes.remove(ctx, operator)
    ctx.emit(EventAggregateVoteSchema, { validator, feeder, prices: exchangeRateTuples })
    return {}
  },

  /** Delegates voting to another account. The validator itself can still vote. */
  delegateFeedConsent(ctx, { operator, delegate }) {
    const validator = address.parseValidator(ctx, operator)
    staking.requireValidator(ctx, validator)
    state.feeders.set(ctx, validator, address.parse(ctx, delegate))
    ctx.emit(EventDelegateFeederConsentSchema, { validator: operator, feeder: delegate })
    return {}
  },

  /** Edits parameters, with effect from the next voting period (D22, D26). */
  editOracleParams(ctx, { sender, params }) {
    sudo.requireEditor(ctx, sender)
    if (!params) throw sdkErrors.invalidRequest('params must be given')
    editParams(ctx, params)
    return {}
  },
})
