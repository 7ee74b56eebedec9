/** Parameters: defaults, what they may be, and edits of them (oracle.md §5.4, §9). */
import { create } from '@bufbuild/protobuf'
import { DurationSchema } from '@bufbuild/protobuf/wkt'
import { type Params, ParamsSchema } from '../../gen/chain/oracle/v1beta1/oracle_pb.ts'
import type { OracleParamsMsg } from '../../gen/chain/oracle/v1beta1/tx_pb.ts'
import * as decimal from '../../primitives/decimal.ts'
import { fromTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { isPair } from './pair.ts'
import * as state from './state.ts'

const wire = (text: string): string => decimal.encode(decimal.parse(text)!)

/** The least threshold that is not allowed. */
const THRESHOLD_FLOOR = decimal.parse('0.33')!
const LARGEST_WINDOW = 1n << 63n
/** The chain's durations are 64-bit numbers of nanoseconds: 292 years. */
const LONGEST_LOOKBACK_NS = (1n << 63n) - 1n

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

/** The parameters in force. */
export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams(ctx)
}

/** Throws sdk 18 naming the first parameter that is not allowed. */
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
  if (threshold <= THRESHOLD_FLOOR || threshold > decimal.one)
    refuse('vote_threshold', 'must be greater than 33 percent and at most 1')
  ratio('reward_band', params.rewardBand)
  ratio('slash_fraction', params.slashFraction)
  ratio('min_valid_per_window', params.minValidPerWindow)
  ratio('validator_fee_ratio', params.validatorFeeRatio)
  for (const pair of whitelist)
    if (!isPair(pair)) refuse('whitelist', `holds ${JSON.stringify(pair)}, which is no pair`)
  if (new Set(whitelist).size !== whitelist.length) refuse('whitelist', 'names a pair twice')
  if (slashWindow === 0n) refuse('slash_window', 'must be > 0')
  if (slashWindow * votePeriod >= LARGEST_WINDOW) refuse('slash_window', 'is too long')
  if (identity.behaviours.slashWindowInBlocks && slashWindow < votePeriod) {
    refuse('slash_window', 'must be greater than or equal to the voting period')
  }
  const lookback = lookbackNs(params)
  if (lookback <= 0n) refuse('twap_lookback_window', 'must be > 0')
  if (lookback > LONGEST_LOOKBACK_NS) refuse('twap_lookback_window', 'is too long')
  const nanos = params.twapLookbackWindow?.nanos ?? 0
  if (nanos < 0 || nanos >= 1e9) refuse('twap_lookback_window', 'is no duration')
  if (params.minVoters === 0n) refuse('min_voters', 'must be > 0')
}

/** How far back averages look. Unit: ns. */
export function lookbackNs({ twapLookbackWindow }: Params): bigint {
  return twapLookbackWindow ? fromTimestamp(twapLookbackWindow) : 0n
}

/** Parameters with an edit over them: numbers that are not 0, and what else is given. */
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
 * Edits the parameters, from the next voting period on (D26), or at once under a profile that does so. Several edits of
 * one period add up. Throws sdk 18 for what is not allowed; nothing is stored then.
 */
export function editParams(ctx: Context, edit: OracleParamsMsg): void {
  const target = ctx.identity.behaviours.oracleEditsAtOnce ? state.params : state.pendingParams
  const merged = mergeParams(target.get(ctx) ?? params(ctx), edit)
  validateParams(ctx, merged)
  target.set(ctx, merged)
}

/** Puts waiting parameters in force: the voting period is over. */
export function applyPendingParams(ctx: Context): void {
  const pending = state.pendingParams.get(ctx)
  if (!pending) return
  state.params.set(ctx, pending)
  state.pendingParams.delete(ctx)
}
