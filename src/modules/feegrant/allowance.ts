/** The three kinds of allowances, and the remainder of one after a fee. */
import { create, type DescMessage, isMessage, type Message } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { type Coin as CoinMessage, CoinSchema } from '../../gen/sdk/base/v1beta1/coin_pb.ts'
import {
  type AllowedMsgAllowance,
  AllowedMsgAllowanceSchema,
  type BasicAllowance,
  BasicAllowanceSchema,
  type PeriodicAllowance,
  PeriodicAllowanceSchema,
} from '../../gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import { type Coin, type CoinText, format, subtract, toText, tryParseList } from '../../primitives/coin.ts'
import { toTimestamp } from '../../primitives/time.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { nanoseconds } from '../../sdk/json.ts'
import { pack, profileTypeUrl, unpack } from '../../sdk/packed.ts'
import { errors } from './errors.ts'

/** An allowance of one of the three kinds. */
export interface Allowance {
  readonly schema: DescMessage
  readonly message: Message
}

/** The fee and the messages of a transaction that uses an allowance. */
export interface Payment {
  readonly fee: readonly Coin[]
  /** Type URLs of the transaction's messages, under the profile. */
  readonly typeUrls: readonly string[]
}

/** Gas of comparing one entry of a list of messages. */
const LIST_STEP_GAS = 10n

/**
 * Parses an allowance in an Any, with its names under the profile. Throws feegrant 5 if it is absent, sdk 29 for another
 * message.
 */
export function parseAllowance(ctx: ReadContext, packed: Any | undefined): Allowance {
  const outer = unpackAllowance(ctx, packed)
  const { message } = outer
  if (!isMessage(message, AllowedMsgAllowanceSchema)) return outer
  const inner = unpackAllowance(ctx, message.allowance)
  if (isMessage(inner.message, AllowedMsgAllowanceSchema)) {
    throw sdkErrors.invalidType('an AllowedMsgAllowance must not contain another AllowedMsgAllowance')
  }
  const allowedMessages = message.allowedMessages.map((url) => profileTypeUrl(ctx.identity, url))
  return filtered(ctx, inner, allowedMessages)
}

function unpackAllowance(ctx: ReadContext, packed: Any | undefined): Allowance {
  if (!packed) throw errors.noAllowance('allowance should not be empty')
  const { schema, message } = unpack(ctx, packed)
  if (![BasicAllowanceSchema, PeriodicAllowanceSchema, AllowedMsgAllowanceSchema].some((kind) => kind === schema)) {
    throw sdkErrors.invalidType(`${schema.typeName} is not an allowance`)
  }
  return { schema, message }
}

function filtered(ctx: ReadContext, inner: Allowance, allowedMessages: readonly string[]): Allowance {
  const allowance = pack(ctx, inner.schema, inner.message)
  const message = create(AllowedMsgAllowanceSchema, { allowance, allowedMessages: [...allowedMessages] })
  return { schema: AllowedMsgAllowanceSchema, message }
}

const text = (coins: readonly CoinText[]): string => coins.map(({ denom, amount }) => `${amount}${denom}`).join(',')

function requireCoins(coins: readonly CoinText[], what: string): readonly Coin[] {
  const parsed = tryParseList(coins)
  if (!parsed) throw sdkErrors.invalidCoins(`${what} is invalid: ${text(coins)}`)
  return parsed
}

function validateBasic({ spendLimit, expiration }: BasicAllowance): readonly Coin[] {
  const limit = requireCoins(spendLimit, 'send amount')
  if (expiration && expiration.seconds < 0n) throw errors.invalidDuration('expiration time cannot be negative')
  return limit
}

function validatePeriodic({ basic, period, periodSpendLimit, periodCanSpend }: PeriodicAllowance): void {
  const limit = validateBasic(basic ?? create(BasicAllowanceSchema))
  const each = requireCoins(periodSpendLimit, 'spend amount')
  if (each.length === 0) throw sdkErrors.invalidCoins('spend limit must be positive')
  requireCoins(periodCanSpend, 'can spend amount')
  if (limit.length > 0 && each.some(({ denom }) => limit.every((coin) => coin.denom !== denom))) {
    throw sdkErrors.invalidCoins('period spend limit has different currency than basic spend limit')
  }
  if (nanoseconds(period) < 0n) throw errors.invalidDuration('negative clock step')
}

/** Runs the stateless checks. Throws sdk 10, feegrant 4, feegrant 6. Bounded by: the one filter that `parseAllowance` accepts. */
export function validateAllowance(ctx: ReadContext, { message }: Allowance): void {
  if (isMessage(message, BasicAllowanceSchema)) validateBasic(message)
  if (isMessage(message, PeriodicAllowanceSchema)) validatePeriodic(message)
  if (isMessage(message, AllowedMsgAllowanceSchema)) {
    if (message.allowedMessages.length === 0) throw errors.noMessages("allowed messages shouldn't be empty")
    validateAllowance(ctx, parseAllowance(ctx, message.allowance))
  }
}

/**
 * Returns the expiration of an allowance in nanoseconds; undefined if it never expires. Bounded by: the one filter that
 * `parseAllowance` accepts.
 */
export function endOf(ctx: ReadContext, { message }: Allowance): bigint | undefined {
  if (isMessage(message, AllowedMsgAllowanceSchema)) return endOf(ctx, parseAllowance(ctx, message.allowance))
  const basic = isMessage(message, PeriodicAllowanceSchema) ? message.basic : (message as BasicAllowance)
  return basic?.expiration && nanoseconds(basic.expiration)
}

const toMessages = (coins: readonly Coin[]): CoinMessage[] => coins.map((coin) => create(CoinSchema, toText(coin)))

/**
 * Pays a fee from an allowance and returns the remainder; `undefined` if it is used up. Throws feegrant 2, 3, 7. Bounded by:
 * the one filter that `parseAllowance` accepts.
 */
export function accept(ctx: ReadContext, { message }: Allowance, payment: Payment): Allowance | undefined {
  if (isMessage(message, AllowedMsgAllowanceSchema)) return acceptFiltered(ctx, message, payment)
  if (isMessage(message, PeriodicAllowanceSchema)) return acceptPeriodic(ctx, message, payment)
  return acceptBasic(ctx, message as BasicAllowance, payment)
}

/** Bounded by: as `accept`. */
function acceptFiltered(ctx: ReadContext, message: AllowedMsgAllowance, payment: Payment): Allowance | undefined {
  const { allowedMessages } = message
  ctx.gas.consume(LIST_STEP_GAS * BigInt(allowedMessages.length), 'check msg')
  for (const typeUrl of payment.typeUrls) {
    ctx.gas.consume(LIST_STEP_GAS, 'check msg')
    if (!allowedMessages.includes(typeUrl)) {
      throw errors.messageNotAllowed('message does not exist in allowed messages')
    }
  }
  const left = accept(ctx, parseAllowance(ctx, message.allowance), payment)
  return left && filtered(ctx, left, allowedMessages)
}

/** Subtracts a fee from a limit. Throws feegrant 2. */
function spend(limit: readonly CoinText[], { fee }: Payment, which: string): readonly Coin[] {
  const left = subtract(tryParseList(limit) ?? [], fee)
  if (!left) throw errors.feeLimitExceeded(`${which}: ${format(fee)} of ${text(limit) || 'nothing'}`)
  return left
}

function requireTime(ctx: ReadContext, basic: BasicAllowance | undefined, which: string): void {
  if (basic?.expiration && nanoseconds(basic.expiration) < ctx.block.timeNs) throw errors.feeLimitExpired(which)
}

function acceptBasic(ctx: ReadContext, message: BasicAllowance, payment: Payment): Allowance | undefined {
  requireTime(ctx, message, 'basic allowance')
  if (message.spendLimit.length === 0) return { schema: BasicAllowanceSchema, message }
  const left = spend(message.spendLimit, payment, 'basic allowance')
  if (left.length === 0) return undefined
  const rest: BasicAllowance = { ...message, spendLimit: toMessages(left) }
  return { schema: BasicAllowanceSchema, message: rest }
}

function acceptPeriodic(ctx: ReadContext, message: PeriodicAllowance, payment: Payment): Allowance | undefined {
  const basic = message.basic ?? create(BasicAllowanceSchema)
  requireTime(ctx, basic, 'absolute limit')
  const current = renewed(ctx, { ...message, basic })
  const periodCanSpend = toMessages(spend(current.periodCanSpend, payment, 'period limit'))
  const rest: PeriodicAllowance = { ...current, basic, periodCanSpend }
  if (basic.spendLimit.length > 0) {
    const left = spend(basic.spendLimit, payment, 'absolute limit')
    if (left.length === 0) return undefined
    rest.basic = { ...basic, spendLimit: toMessages(left) }
  }
  return { schema: PeriodicAllowanceSchema, message: rest }
}

/**
 * Returns the allowance in the period of the block. A new period starts with the lesser of the period limit and the remaining
 * total limit.
 */
function renewed(ctx: ReadContext, message: PeriodicAllowance & { basic: BasicAllowance }): PeriodicAllowance {
  const { timeNs } = ctx.block
  const reset = nanoseconds(message.periodReset)
  if (timeNs < reset) return message
  const limit = tryParseList(message.basic.spendLimit) ?? []
  const isLess = limit.length > 0 && subtract(limit, tryParseList(message.periodSpendLimit) ?? []) === undefined
  const period = nanoseconds(message.period)
  const next = reset + period < timeNs ? timeNs + period : reset + period
  return {
    ...message,
    periodCanSpend: isLess ? message.basic.spendLimit : message.periodSpendLimit,
    periodReset: { ...message.periodReset!, ...toTimestamp(next) },
  }
}
