/** What is wrong with a message of its own accord; the same parsing serves the handlers. */
import type { Coin as CoinMessage } from '../../gen/sdk/base/v1beta1/coin_pb.ts'
import type { CommissionRates, Description } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import {
  type MsgCreateValidator,
  MsgCreateValidatorSchema,
  type MsgDelegate,
  MsgDelegateSchema,
} from '../../gen/sdk/staking/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { type Coin, tryParse } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import { errors } from './errors.ts'

/** Throws sdk 18 unless a positive coin. */
function parsePositive(message: CoinMessage | undefined, what: string): Coin {
  const coin = message && tryParse(message)
  if (!coin || coin.amount === 0n) throw sdkErrors.invalidRequest(`invalid ${what} amount`)
  return coin
}

export interface Rates {
  readonly rate: decimal.Decimal
  readonly maxRate: decimal.Decimal
  readonly maxChangeRate: decimal.Decimal
}

/** Throws staking 9, 10, 11, 13, 14. */
export function parseRates(message: CommissionRates): Rates {
  const parse = (text: string) => decimal.decode(text) ?? decimal.fromRaw(-1n)
  const [rate, maxRate, maxChangeRate] = [parse(message.rate), parse(message.maxRate), parse(message.maxChangeRate)]
  if (maxRate < 0n) throw errors.commissionNegative()
  if (maxRate > decimal.one) throw errors.commissionHuge()
  if (rate < 0n) throw errors.commissionNegative()
  if (rate > maxRate) throw errors.commissionAboveMaxRate()
  if (maxChangeRate < 0n) throw errors.changeRateNegative()
  if (maxChangeRate > maxRate) throw errors.changeRateAboveMaxRate()
  return { rate, maxRate, maxChangeRate }
}

const LENGTHS = { moniker: 70, identity: 3000, website: 140, securityContact: 140, details: 280 } as const

/** Throws sdk 18 for a text that is too long; lengths are in bytes. */
export function checkDescription(description: Description): void {
  for (const [field, limit] of Object.entries(LENGTHS)) {
    const length = Buffer.byteLength(description[field as keyof typeof LENGTHS])
    if (length > limit) throw sdkErrors.invalidRequest(`invalid ${field} length; got: ${length}, max: ${limit}`)
  }
}

export function parseCreateValidator(ctx: ReadContext, message: MsgCreateValidator) {
  const operator = address.parseValidator(ctx, message.validatorAddress)
  if (!equal(operator, address.parse(ctx, message.delegatorAddress))) {
    throw sdkErrors.invalidAddress('validator address is invalid')
  }
  if (!message.pubkey) throw errors.emptyPublicKey()
  const value = parsePositive(message.value, 'delegation')
  const { description, commission } = message
  if (!description || Object.keys(LENGTHS).every((field) => description[field as keyof typeof LENGTHS] === '')) {
    throw sdkErrors.invalidRequest('empty description')
  }
  checkDescription(description)
  if (!commission) throw sdkErrors.invalidRequest('empty commission')
  const rates = parseRates(commission)
  const minSelfDelegation = /^\d{1,78}$/.test(message.minSelfDelegation) ? BigInt(message.minSelfDelegation) : 0n
  if (minSelfDelegation < 1n) throw sdkErrors.invalidRequest('minimum self delegation must be a positive integer')
  if (value.amount < minSelfDelegation) throw errors.selfDelegationBelowMinimum()
  return { operator, value, description, commission, rates, minSelfDelegation, publicKey: message.pubkey }
}

export function parseDelegate(ctx: ReadContext, { delegatorAddress, validatorAddress, amount }: MsgDelegate) {
  return {
    delegator: address.parse(ctx, delegatorAddress),
    operator: address.parseValidator(ctx, validatorAddress),
    coin: parsePositive(amount, 'delegation'),
  }
}

export const validations = [
  validation(MsgCreateValidatorSchema, parseCreateValidator),
  validation(MsgDelegateSchema, parseDelegate),
]
