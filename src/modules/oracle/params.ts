/** Parameters: defaults, validation and edits (docs/modules/oracle.md#parameters). */
import { create } from '@bufbuild/protobuf'
import { DurationSchema } from '@bufbuild/protobuf/wkt'
import { type Params, ParamsSchema } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import type { OracleParamsMsg } from '../../gen/chain/oracle/v1beta1/tx_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import { MAX_INT64 } from '../../primitives/integers.ts'
import { fromTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { isPair } from './pair.ts'
import * as state from './state.ts'

const wire = (text: string): string => decimal.encode(decimal.parse(text)!)

/** The threshold must be above this value. */
const THRESHOLD_ABOVE = decimal.parse('0.33')!

export function defaultParams({ identity }: Pick<ReadContext, 'identity'>): Params {
  return create(ParamsSchema, {
    votePeriod: 30n,
    voteThreshold: wire('0.333333333333333333'),
    rewardBand: wire('0.02'),
    whitelist: ['ubtc:uusd', 'ueth:uusd', 'uatom:uusd', 'uusdc:uusd', 'uusdt:uusd'],
    slashFraction: wire('0.005'),
    slashWindow: identity.behaviours.slashWindowInBlocks ? 3600n : 120n,
    minValidPerWindow: wire('0.69'),
    twapLookbackWindow: create(DurationSchema, { seconds: 900n }),
    minVoters: 1n,
    validatorFeeRatio: wire('0.05'),
    expirationBlocks: 900n,
  })
}

/** Returns the parameters in force. */
export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams(ctx)
}

/** Throws sdk 18, naming the first invalid parameter. */
export function validateParams({ identity }: Pick<ReadContext, 'identity'>, params: Params): void {
  const refuse = (name: string, what: string): never => {
    throw sdkErrors.invalidRequest(`oracle parameter ${name} ${what}`)
  }
  const ratio = (name: string, value: string): void => {
    const parsed = decimal.decode(value)
    if (parsed === undefined || parsed < 0n || parsed > decimal.one) refuse(name, 'must be between [0, 1]')
  }
  const { votePeriod, slashWindow, whitelist } = params
  if (votePeriod === 0n) refuse('vote_period', 'must be > 0')
  const threshold = decimal.decode(params.voteThreshold) ?? decimal.zero
  if (threshold <= THRESHOLD_ABOVE || threshold > decimal.one)
    refuse('vote_threshold', 'must be greater than 33 percent and at most 1')
  ratio('reward_band', params.rewardBand)
  ratio('slash_fraction', params.slashFraction)
  ratio('min_valid_per_window', params.minValidPerWindow)
  ratio('validator_fee_ratio', params.validatorFeeRatio)
  for (const pair of whitelist)
    if (!isPair(pair)) refuse('whitelist', `contains ${JSON.stringify(pair)}, which is not a pair`)
  if (new Set(whitelist).size !== whitelist.length) refuse('whitelist', 'contains a pair twice')
  if (slashWindow === 0n) refuse('slash_window', 'must be > 0')
  if (slashWindow * votePeriod > MAX_INT64) refuse('slash_window', 'times vote_period must be below 2^63 blocks')
  if (identity.behaviours.slashWindowInBlocks && slashWindow < votePeriod) {
    refuse('slash_window', 'must be greater than or equal to the voting period')
  }
  const lookback = lookbackNs(params)
  if (lookback <= 0n) refuse('twap_lookback_window', 'must be > 0')
  if (lookback > MAX_INT64) refuse('twap_lookback_window', 'must fit 64 bits of nanoseconds')
  const nanos = params.twapLookbackWindow?.nanos ?? 0
  if (nanos < 0 || nanos >= 1e9) refuse('twap_lookback_window', 'must have nanos from 0 to 999999999')
  if (params.minVoters === 0n) refuse('min_voters', 'must be > 0')
}

/** Returns the length of the averaging window. Unit: ns. */
export function lookbackNs({ twapLookbackWindow }: Params): bigint {
  return twapLookbackWindow ? fromTimestamp(twapLookbackWindow) : 0n
}

/** Returns the parameters with the fields of an edit that are set: numbers other than 0, and lists that are not empty. */
function mergeParams(current: Params, edit: OracleParamsMsg): Params {
  const { voteThreshold, rewardBand, slashFraction, minValidPerWindow, validatorFeeRatio, twapLookbackWindow } = edit
  return create(ParamsSchema, {
    votePeriod: edit.votePeriod || current.votePeriod,
    voteThreshold: voteThreshold ?? current.voteThreshold,
    rewardBand: rewardBand ?? current.rewardBand,
    whitelist: edit.whitelist.length > 0 ? edit.whitelist : current.whitelist,
    slashFraction: slashFraction ?? current.slashFraction,
    slashWindow: edit.slashWindow || current.slashWindow,
    minValidPerWindow: minValidPerWindow ?? current.minValidPerWindow,
    ...((twapLookbackWindow ?? current.twapLookbackWindow) && {
      twapLookbackWindow: (twapLookbackWindow ?? current.twapLookbackWindow)!,
    }),
    minVoters: edit.minVoters || current.minVoters,
    validatorFeeRatio: validatorFeeRatio ?? current.validatorFeeRatio,
    expirationBlocks: edit.expirationBlocks || current.expirationBlocks,
  })
}

/**
 * Edits the parameters with effect from the next voting period (D26), or immediately under behaviour `oracleEditsAtOnce`.
 * Several edits in one period add up. Throws sdk 18 for an invalid result, which is not stored.
 */
export function editParams(ctx: Context, edit: OracleParamsMsg): void {
  const target = ctx.identity.behaviours.oracleEditsAtOnce ? state.params : state.pendingParams
  const merged = mergeParams(target.get(ctx) ?? params(ctx), edit)
  validateParams(ctx, merged)
  target.set(ctx, merged)
}

/** Applies the pending parameters at the end of a voting period. */
export function applyPendingParams(ctx: Context): void {
  const pending = state.pendingParams.get(ctx)
  if (!pending) return
  state.params.set(ctx, pending)
  state.pendingParams.delete(ctx)
}
