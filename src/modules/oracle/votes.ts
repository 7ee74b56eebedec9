/** Votes and prevotes as their messages accept them, and whether one is due (docs/modules/oracle.md#messages). */
import { create, type Message } from '@bufbuild/protobuf'
import {
  type AggregateExchangeRatePrevote,
  AggregateExchangeRatePrevoteSchema,
  type Params,
} from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import type {
  MsgAggregateExchangeRatePrevote,
  MsgAggregateExchangeRateVote,
} from '../../gen/chain/oracle/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { failureOf } from '../../primitives/errors.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import * as staking from '../staking/keeper.ts'
import { errors } from './errors.ts'
import { params } from './params.ts'
import * as state from './state.ts'
import { type PairRate, parseRates, voteHash } from './vote-text.ts'

type Prevote = Omit<MsgAggregateExchangeRatePrevote, keyof Message>
type Vote = Omit<MsgAggregateExchangeRateVote, keyof Message>

/** Maximum number of rates above the size of the whitelist: for pairs that join or leave it, which are no vote targets. */
const SPARE_RATES = 64

/** The validator and the account of a vote, as bytes and in canonical spelling. */
export interface Voter {
  readonly operator: Uint8Array
  readonly validator: string
  readonly feeder: string
}

/** Throws oracle 5 unless an account can vote for a validator, and staking 3 unless the validator is bonded. */
function requireVoter(ctx: ReadContext, feeder: Uint8Array, operator: Uint8Array): void {
  if (!equal(feeder, operator)) {
    const wanted = state.feeders.get(ctx, operator)
    if (!wanted || !equal(feeder, wanted)) {
      const shown = address.format(ctx, wanted ?? operator)
      throw errors.unauthorizedVoter(`wanted: ${shown}, got: ${address.format(ctx, feeder)}`)
    }
  }
  staking.requireBonded(ctx, operator)
}

/** Returns the number of the voting period that contains a height. */
function periodOf(height: bigint, votePeriod: bigint): bigint {
  return height / votePeriod
}

/** Throws oracle 9 unless the prevote was submitted in the previous voting period. */
function requireRevealable(
  ctx: ReadContext,
  { submitBlock }: AggregateExchangeRatePrevote,
  { votePeriod }: Params,
): void {
  if (periodOf(ctx.block.height, votePeriod) - periodOf(submitBlock, votePeriod) !== 1n) throw errors.wrongPeriod()
}

/** Returns the operator that an account votes for. Throws sdk 7, oracle 5, staking 3. */
export function parseVoter(ctx: ReadContext, { feeder, validator }: Pick<Prevote, 'feeder' | 'validator'>): Voter {
  const operator = address.parseValidator(ctx, validator)
  const voter = address.parse(ctx, feeder)
  requireVoter(ctx, voter, operator)
  return { operator, validator: address.formatValidator(ctx, operator), feeder: address.format(ctx, voter) }
}

/**
 * Returns the voter and the rates of vote targets of a revealed vote. Throws sdk 7, 10 and 18, oracle 2, 5, 8, 9, 11 and 13,
 * staking 3.
 */
export function parseVote(
  ctx: ReadContext,
  { salt, exchangeRates, ...message }: Vote,
): { readonly voter: Voter; readonly rates: readonly PairRate[] } {
  const voter = parseVoter(ctx, message)
  const prevote = state.prevotes.get(ctx, voter.operator)
  if (!prevote) throw errors.noPrevote(voter.validator)
  const rules = params(ctx)
  requireRevealable(ctx, prevote, rules)
  const given = parseRates(exchangeRates)
  const limit = rules.whitelist.length + SPARE_RATES
  if (given.length > limit) throw sdkErrors.invalidRequest(`a vote has at most ${limit} rates, got ${given.length}`)
  const isTarget = ({ pair }: PairRate) => state.voteTargets.has(ctx, pair)
  if (ctx.identity.behaviours.votesForTargetsAlone) {
    const stranger = given.find((rate) => !isTarget(rate))
    if (stranger) throw errors.unknownPair(stranger.pair)
  }
  const hash = voteHash(salt, exchangeRates, voter.validator)
  if (hash !== prevote.hash) throw errors.hashMismatch(`must be given ${prevote.hash}, got: ${hash}`)
  return { voter, rates: given.filter(isTarget) }
}

/** Whether a prevote comes from the feeder of a bonded validator, and is the validator's first in the voting period. */
export function isDuePrevote(ctx: ReadContext, message: Prevote): boolean {
  const refusal = failureOf(() => {
    const { operator } = parseVoter(ctx, message)
    const stored = state.prevotes.get(ctx, operator)
    const { votePeriod } = params(ctx)
    if (!stored || periodOf(stored.submitBlock, votePeriod) !== periodOf(ctx.block.height, votePeriod)) return
    throw errors.wrongPeriod()
  })
  return refusal === undefined
}

/** Whether a vote reveals the prevote of a bonded validator. It cannot be due again in the voting period. */
export function isDueVote(ctx: ReadContext, message: Vote): boolean {
  return failureOf(() => parseVote(ctx, message)) === undefined
}

/** Keeps a second vote or prevote of a validator from being due. Only for a state that no block keeps. */
export function reserve(ctx: Context, kind: 'vote' | 'prevote', { validator }: Pick<Prevote, 'validator'>): void {
  const operator = address.parseValidator(ctx, validator)
  if (kind === 'vote') state.prevotes.remove(ctx, operator)
  else state.prevotes.set(ctx, operator, create(AggregateExchangeRatePrevoteSchema, { submitBlock: ctx.block.height }))
}
