/** chain.inflation.v1.Msg */
import {
  Msg,
  type MsgEditInflationParams,
  MsgEditInflationParamsSchema,
  MsgToggleInflationSchema,
} from '../../gen/chain/inflation/v1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { errors } from '../../sdk/errors.ts'
import { defineMessages, validation } from '../../sdk/module.ts'
import * as sudo from '../sudo/keeper.ts'
import * as inflation from './keeper.ts'
import { validateDistribution, validateParams } from './params.ts'
import * as state from './state.ts'

const FACTORS = 6
const MAX_UINT64 = (1n << 64n) - 1n

/** Parses an unsigned 64-bit integer of an edit. Throws sdk 18. */
function parseCount(name: string, text: string): bigint {
  if (!/^\d{1,20}$/.test(text) || BigInt(text) > MAX_UINT64) {
    throw errors.invalidRequest(`${name} must be an unsigned 64-bit integer, got ${text}`)
  }
  return BigInt(text)
}

function validateEdit({ inflationDistribution, polynomialFactors }: MsgEditInflationParams): void {
  if (inflationDistribution) validateDistribution(inflationDistribution)
  if (polynomialFactors.length > 0 && polynomialFactors.length !== FACTORS) {
    throw errors.invalidRequest(`polynomial factors should have ${FACTORS} elements, got ${polynomialFactors.length}`)
  }
}

export const validations = [
  validation(MsgToggleInflationSchema, (ctx, { sender }) => void address.parse(ctx, sender)),
  validation(MsgEditInflationParamsSchema, (ctx, message) => {
    address.parse(ctx, message.sender)
    validateEdit(message)
  }),
]

export const messages = defineMessages(Msg, {
  /** Turns minting on or off. `has_inflation_started` stays true after the first time. */
  toggleInflation(ctx, { sender, enable }) {
    sudo.requireInflationEditor(ctx, sender)
    const params = inflation.params(ctx)
    const hasInflationStarted = params.hasInflationStarted || enable
    state.params.set(ctx, { ...params, inflationEnabled: enable, hasInflationStarted })
    return {}
  },

  /** Replaces the fields that are set. `inflation_enabled` has no effect here: use the toggle. */
  editInflationParams(ctx, message) {
    sudo.requireInflationEditor(ctx, message.sender)
    validateEdit(message)
    const { polynomialFactors, inflationDistribution, epochsPerPeriod, periodsPerYear, maxPeriod } = message
    const params = {
      ...inflation.params(ctx),
      ...(polynomialFactors.length > 0 && { polynomialFactors }),
      ...(inflationDistribution && { inflationDistribution }),
      ...(epochsPerPeriod !== undefined && { epochsPerPeriod: parseCount('epochs per period', epochsPerPeriod) }),
      ...(periodsPerYear !== undefined && { periodsPerYear: parseCount('periods per year', periodsPerYear) }),
      ...(maxPeriod !== undefined && { maxPeriod: parseCount('max period', maxPeriod) }),
    }
    validateParams(params)
    state.params.set(ctx, params)
    return {}
  },
})
