/** Stateless checks of messages. The handlers use the same parsing. */
import type { Coin as CoinMessage } from '../../gen/sdk/base/v1beta1/coin_pb.ts'
import type { CommissionRates, Description } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import {
  type MsgBeginRedelegate,
  MsgBeginRedelegateSchema,
  type MsgCancelUnbondingDelegation,
  MsgCancelUnbondingDelegationSchema,
  type MsgCreateValidator,
  MsgCreateValidatorSchema,
  type MsgDelegate,
  MsgDelegateSchema,
  type MsgEditValidator,
  MsgEditValidatorSchema,
  type MsgUndelegate,
  MsgUndelegateSchema,
} from '../../gen/sdk/staking/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import { type Coin, tryParse } from '../../primitives/coin.ts'
import * as decimal from '../../primitives/decimal.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import { errors } from './errors.ts'

/** Parses a coin. Throws sdk 18 unless it is valid and positive. */
function parsePositive(message: CoinMessage | undefined, what: string): Coin {
  const coin = message && tryParse(message)
  if (!coin || coin.amount === 0n) throw sdkErrors.invalidRequest(`invalid ${what} amount`)
  return coin
}

/** Parses a decimal integer; returns 0 for any other text. */
function parseInteger(text: string): bigint {
  return /^\d{1,78}$/.test(text) ? BigInt(text) : 0n
}

export interface Rates {
  readonly rate: decimal.Decimal
  readonly maxRate: decimal.Decimal
  readonly maxChangeRate: decimal.Decimal
}

/** Parses commission rates. Throws staking 9, 10, 11, 13, 14. */
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

/** Encodes rates for the store, in shortest form: the sender's text can have leading zeros. */
export function encodeRates({ rate, maxRate, maxChangeRate }: Rates) {
  return { rate: decimal.encode(rate), maxRate: decimal.encode(maxRate), maxChangeRate: decimal.encode(maxChangeRate) }
}

const LENGTHS = { moniker: 70, identity: 3000, website: 140, securityContact: 140, details: 280 } as const

/** Throws sdk 18 for a text that is too long; lengths are in bytes. */
function checkDescription(description: Description): void {
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
  const minSelfDelegation = parseInteger(message.minSelfDelegation)
  if (minSelfDelegation < 1n) throw sdkErrors.invalidRequest('minimum self delegation must be a positive integer')
  if (value.amount < minSelfDelegation) throw errors.selfDelegationBelowMinimum()
  return { operator, value, description, rates, minSelfDelegation, publicKey: message.pubkey }
}

export function parseDelegate(ctx: ReadContext, { delegatorAddress, validatorAddress, amount }: MsgDelegate) {
  return {
    delegator: address.parse(ctx, delegatorAddress),
    operator: address.parseValidator(ctx, validatorAddress),
    coin: parsePositive(amount, 'delegation'),
  }
}

export function parseUndelegate(ctx: ReadContext, { delegatorAddress, validatorAddress, amount }: MsgUndelegate) {
  return {
    delegator: address.parse(ctx, delegatorAddress),
    operator: address.parseValidator(ctx, validatorAddress),
    coin: parsePositive(amount, 'shares'),
  }
}

export function parseRedelegate(ctx: ReadContext, message: MsgBeginRedelegate) {
  return {
    delegator: address.parse(ctx, message.delegatorAddress),
    source: address.parseValidator(ctx, message.validatorSrcAddress),
    destination: address.parseValidator(ctx, message.validatorDstAddress),
    coin: parsePositive(message.amount, 'shares'),
  }
}

export function parseCancel(ctx: ReadContext, message: MsgCancelUnbondingDelegation) {
  if (message.creationHeight <= 0n) throw sdkErrors.invalidRequest('invalid height')
  return {
    delegator: address.parse(ctx, message.delegatorAddress),
    operator: address.parseValidator(ctx, message.validatorAddress),
    coin: parsePositive(message.amount, 'unbonding delegation'),
  }
}

/** The text that leaves a field of a description unchanged. */
const DO_NOT_MODIFY = '[do-not-modify]'

/** Returns a validator's description after an edit. Throws sdk 18. */
export function editedDescription(before: Description, edit: Description): Description {
  const edited = { ...before }
  for (const key of Object.keys(LENGTHS)) {
    const field = key as keyof typeof LENGTHS
    if (edit[field] !== DO_NOT_MODIFY) edited[field] = edit[field]
  }
  checkDescription(edited)
  return edited
}

export function parseEdit(ctx: ReadContext, message: MsgEditValidator) {
  const { description, commissionRate, minSelfDelegation } = message
  if (!description || Object.keys(LENGTHS).every((field) => description[field as keyof typeof LENGTHS] === '')) {
    throw sdkErrors.invalidRequest('empty description')
  }
  const minimum = minSelfDelegation === undefined ? undefined : parseInteger(minSelfDelegation)
  if (minimum !== undefined && minimum < 1n) {
    throw sdkErrors.invalidRequest('minimum self delegation must be a positive integer')
  }
  const rate = commissionRate === undefined ? undefined : (decimal.decode(commissionRate) ?? decimal.fromRaw(-1n))
  if (rate !== undefined && (rate < 0n || rate > decimal.one)) {
    throw sdkErrors.invalidRequest('commission rate must be between 0 and 1 (inclusive)')
  }
  return { operator: address.parseValidator(ctx, message.validatorAddress), description, rate, minimum }
}

export const validations = [
  validation(MsgCreateValidatorSchema, parseCreateValidator),
  validation(MsgEditValidatorSchema, parseEdit),
  validation(MsgDelegateSchema, parseDelegate),
  validation(MsgBeginRedelegateSchema, parseRedelegate),
  validation(MsgUndelegateSchema, parseUndelegate),
  validation(MsgCancelUnbondingDelegationSchema, parseCancel),
]
