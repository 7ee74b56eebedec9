/** The three kinds of authorizations, and the remainder of one after its use. */
import { create, type DescMessage, isMessage, type Message } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { GenericAuthorizationSchema } from '../../gen/sdk/authz/v1beta1/authz_pb.ts'
import { type SendAuthorization, SendAuthorizationSchema } from '../../gen/sdk/bank/v1beta1/authz_pb.ts'
import { MsgSendSchema } from '../../gen/sdk/bank/v1beta1/tx_pb.ts'
import { type Coin as CoinMessage, CoinSchema } from '../../gen/sdk/base/v1beta1/coin_pb.ts'
import {
  AuthorizationType,
  type StakeAuthorization,
  StakeAuthorizationSchema,
} from '../../gen/sdk/staking/v1beta1/authz_pb.ts'
import {
  MsgBeginRedelegateSchema,
  MsgDelegateSchema,
  MsgUndelegateSchema,
} from '../../gen/sdk/staking/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import type { Identity } from '../../identity/types.ts'
import { subtract, toText, tryParse, tryParseList } from '../../primitives/coin.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { profileTypeUrl, unpack } from '../../sdk/packed.ts'
import * as bank from '../bank/errors.ts'
import { errors } from './errors.ts'

/** An authorization of one of the three kinds. */
export interface Authorization {
  readonly schema: DescMessage
  readonly message: Message
}

/** The remainder of an authorization after its use: `undefined` if it is used up, the same object if it is unchanged. */
type Left = Authorization | undefined

/** Gas of comparing one entry of a list of addresses. */
const LIST_STEP_GAS = 10n

const STAKING_MESSAGES: Readonly<Record<number, DescMessage>> = {
  [AuthorizationType.DELEGATE]: MsgDelegateSchema,
  [AuthorizationType.UNDELEGATE]: MsgUndelegateSchema,
  [AuthorizationType.REDELEGATE]: MsgBeginRedelegateSchema,
}

/** Returns the type URL, under the profile, of the messages that an authorization permits. Throws authz 4. */
export function typeUrlOf(identity: Identity, { message }: Authorization): string {
  if (isMessage(message, GenericAuthorizationSchema)) return profileTypeUrl(identity, message.msg)
  const schema = isMessage(message, StakeAuthorizationSchema)
    ? STAKING_MESSAGES[message.authorizationType]
    : MsgSendSchema
  if (!schema) throw errors.unknownAuthorizationType()
  return `/${identity.toProfileName(schema.typeName)}`
}

/**
 * Parses an authorization in an Any, with its names under the profile. Throws sdk 29 for another message, sdk 34 if it is
 * absent.
 */
export function parseAuthorization(ctx: ReadContext, packed: Any | undefined): Authorization {
  if (!packed) throw sdkErrors.unpackAny('authorization is nil')
  const { schema, message } = unpack(ctx, packed)
  if (isMessage(message, GenericAuthorizationSchema)) {
    const msg = profileTypeUrl(ctx.identity, message.msg)
    return { schema, message: create(GenericAuthorizationSchema, { msg }) }
  }
  if (!isMessage(message, SendAuthorizationSchema) && !isMessage(message, StakeAuthorizationSchema)) {
    throw sdkErrors.invalidType(`${schema.typeName} is not an authorization`)
  }
  return { schema, message }
}

/**
 * Parses an authorization that is about to be stored: its listed addresses in canonical spelling. A text that is no address
 * stays as given and matches nothing. Throws the errors of `parseAuthorization`, and sdk 10, bank 8, authz 4, authz 12.
 */
export function parseGranted(ctx: ReadContext, packed: Any | undefined): Authorization {
  const authorization = withCanonicalLists(parseAuthorization(ctx, packed))
  validateAuthorization(authorization)
  return authorization
}

function withCanonicalLists({ schema, message }: Authorization): Authorization {
  if (isMessage(message, SendAuthorizationSchema)) {
    const allowList = message.allowList.map(address.canonicalOrSame)
    const canonical: SendAuthorization = { ...message, allowList }
    return { schema, message: canonical }
  }
  if (isMessage(message, StakeAuthorizationSchema) && message.validators.value) {
    const { case: which, value } = message.validators
    const validators = { case: which, value: { ...value, address: value.address.map(address.canonicalOrSame) } }
    const canonical: StakeAuthorization = { ...message, validators }
    return { schema, message: canonical }
  }
  return { schema, message }
}

/** Runs the stateless checks. Throws sdk 10, bank 8, authz 4, authz 12. */
function validateAuthorization({ message }: Authorization): void {
  if (isMessage(message, SendAuthorizationSchema)) {
    if (message.spendLimit.length === 0) throw sdkErrors.invalidCoins('spend limit cannot be nil')
    requireLimit(message)
    if (new Set(message.allowList.map(address.canonicalOrSame)).size < message.allowList.length)
      throw bank.errors.duplicateEntry()
  }
  if (isMessage(message, StakeAuthorizationSchema)) {
    const { maxTokens, authorizationType } = message
    if (maxTokens && !tryParse(maxTokens)) {
      throw errors.negativeMaxTokens(`negative coin amount: ${maxTokens.amount}${maxTokens.denom}`)
    }
    if (!STAKING_MESSAGES[authorizationType]) throw errors.unknownAuthorizationType()
  }
}

function requireLimit({ spendLimit }: SendAuthorization) {
  const limit = tryParseList(spendLimit)
  if (!limit) throw sdkErrors.invalidCoins('spend limit must be positive')
  return limit
}

/**
 * Uses an authorization for a message and returns the remainder. Throws sdk 4, 5, 10, 18 or 29 if it does not permit the
 * message.
 */
export function accept(ctx: ReadContext, authorization: Authorization, message: Message): Left {
  const granted = authorization.message
  if (isMessage(granted, SendAuthorizationSchema)) return acceptSend(ctx, granted, message)
  if (isMessage(granted, StakeAuthorizationSchema)) return acceptStake(ctx, granted, message)
  return authorization
}

function acceptSend(ctx: ReadContext, granted: SendAuthorization, message: Message): Left {
  if (!isMessage(message, MsgSendSchema)) throw sdkErrors.invalidType('type mismatch')
  const amount = tryParseList(message.amount)
  if (!amount) throw sdkErrors.invalidCoins('amount')
  const left = subtract(requireLimit(granted), amount)
  if (!left) throw sdkErrors.insufficientFunds('requested amount is more than spend limit')
  const { allowList } = granted
  if (
    allowList.length > 0 &&
    !isListed(ctx, allowList, address.canonicalOrSame(message.toAddress), 'send authorization')
  ) {
    throw sdkErrors.unauthorized(`cannot send to ${message.toAddress} address`)
  }
  if (left.length === 0) return undefined
  return {
    schema: SendAuthorizationSchema,
    message: create(SendAuthorizationSchema, { spendLimit: left.map(toText), allowList }),
  }
}

function acceptStake(ctx: ReadContext, granted: StakeAuthorization, message: Message): Left {
  const { validator, amount } = stakeOf(message)
  const { validators, maxTokens } = granted
  const listed = validators.value?.address ?? []
  const isOnList = isListed(ctx, listed, address.canonicalOrSame(validator), 'stake authorization')
  if (listed.length > 0 && isOnList !== (validators.case === 'allowList')) {
    throw sdkErrors.unauthorized(`cannot delegate/undelegate to ${validator} validator`)
  }
  if (!maxTokens) return { schema: StakeAuthorizationSchema, message: granted }
  const limit = tryParse(maxTokens)
  const spent = amount && tryParse(amount)
  if (!limit || !spent || limit.denom !== spent.denom) {
    throw sdkErrors.invalidCoins(`invalid coin denoms: ${maxTokens.denom}, ${amount?.denom ?? ''}`)
  }
  if (limit.amount < spent.amount) {
    throw sdkErrors.insufficientFunds(`negative coin amount: ${limit.amount - spent.amount}${limit.denom}`)
  }
  if (limit.amount === spent.amount) return undefined
  const left = create(CoinSchema, toText({ denom: limit.denom, amount: limit.amount - spent.amount }))
  const rest: StakeAuthorization = { ...granted, maxTokens: left }
  return { schema: StakeAuthorizationSchema, message: rest }
}

function stakeOf(message: Message): { readonly validator: string; readonly amount: CoinMessage | undefined } {
  if (isMessage(message, MsgDelegateSchema) || isMessage(message, MsgUndelegateSchema)) {
    return { validator: message.validatorAddress, amount: message.amount }
  }
  if (isMessage(message, MsgBeginRedelegateSchema)) {
    return { validator: message.validatorDstAddress, amount: message.amount }
  }
  throw sdkErrors.invalidRequest('unknown msg type')
}

/** Whether a list contains an address, given in canonical spelling; the list can contain either spelling. */
function isListed(ctx: ReadContext, list: readonly string[], canonicalText: string, what: string): boolean {
  const isSpelling = address.spellingOf(canonicalText)
  for (const one of list) {
    ctx.gas.consume(LIST_STEP_GAS, what)
    if (isSpelling(one)) return true
  }
  return false
}
