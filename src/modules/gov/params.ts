/** Parameters of governance (docs/modules/gov.md#parameters). Decimals are text with a point. */
import { create } from '@bufbuild/protobuf'
import { type Params, ParamsSchema } from '../../gen/sdk/gov/v1/gov_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { format, tryParseList } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { nanoseconds } from '../../sdk/json.ts'
import * as state from './state.ts'

const TWO_DAYS = { seconds: 172_800n }

export function defaultParams({ baseDenom }: Pick<Identity, 'baseDenom'>): Params {
  return create(ParamsSchema, {
    minDeposit: [{ denom: baseDenom, amount: '10000000' }],
    maxDepositPeriod: TWO_DAYS,
    votingPeriod: TWO_DAYS,
    quorum: '0.334000000000000000',
    threshold: '0.500000000000000000',
    vetoThreshold: '0.334000000000000000',
    minInitialDepositRatio: '0.000000000000000000',
    burnVoteVeto: true,
  })
}

export function params(ctx: ReadContext): Params {
  return state.params.get(ctx) ?? defaultParams(ctx.identity)
}

/** Parses a decimal of the parameters; 0 for an empty text. */
export function decimalOf(text: string): decimal.Decimal {
  return decimal.parse(text) ?? decimal.zero
}

interface Bounds {
  readonly name: string
  readonly text: string
  /** Whether 0 is allowed. */
  readonly zero: boolean
}

function requireShare({ name, text, zero }: Bounds): void {
  const value = decimal.parse(text)
  if (value === undefined) throw errors.invalidRequest(`${name} must be a decimal: "${text}"`)
  if (value < 0n || (value === 0n && !zero)) {
    throw errors.invalidRequest(`${name} must ${zero ? 'not be negative' : 'be positive'}: ${text}`)
  }
  if (value > decimal.one) throw errors.invalidRequest(`${name} must be at most 1: ${text}`)
}

/** Throws sdk 18 for an invalid parameter. */
export function validateParams(value: Params): void {
  const coins = tryParseList(value.minDeposit)
  if (!coins || coins.length === 0) {
    const text = value.minDeposit.map(({ denom, amount }) => amount + denom).join(',')
    throw errors.invalidRequest(`invalid minimum deposit: ${coins ? format(coins) : text}`)
  }
  if (nanoseconds(value.maxDepositPeriod) <= 0n) throw errors.invalidRequest('maximum deposit period must be positive')
  if (nanoseconds(value.votingPeriod) <= 0n) throw errors.invalidRequest('voting period must be positive')
  requireShare({ name: 'quorum', text: value.quorum, zero: true })
  requireShare({ name: 'vote threshold', text: value.threshold, zero: false })
  requireShare({ name: 'veto threshold', text: value.vetoThreshold, zero: false })
  const { minInitialDepositRatio: ratio } = value
  if (ratio !== '') requireShare({ name: 'minimum initial deposit ratio', text: ratio, zero: true })
}
