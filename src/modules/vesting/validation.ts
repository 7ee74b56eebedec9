/** Stateless checks of messages. The handlers use the same parsing. */
import {
  type MsgCreatePeriodicVestingAccount,
  MsgCreatePeriodicVestingAccountSchema,
  type MsgCreatePermanentLockedAccount,
  MsgCreatePermanentLockedAccountSchema,
  type MsgCreateVestingAccount,
  MsgCreateVestingAccountSchema,
} from '../../gen/sdk/vesting/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { type Coin, type CoinText, tryParseList } from '../../primitives/coin.ts'
import { MAX_INT64 } from '../../primitives/integers.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import { unregistered, withUnregistered } from '../../sdk/unregistered.ts'

interface Parties {
  readonly from: Uint8Array
  readonly to: Uint8Array
}

function parseParties(
  ctx: ReadContext,
  { fromAddress, toAddress }: { fromAddress: string; toAddress: string },
): Parties {
  return { from: address.parse(ctx, fromAddress), to: address.parse(ctx, toAddress) }
}

/** Parses coins that vest. Throws sdk 10 unless they are valid and not empty. */
function parseLocked(texts: readonly CoinText[]): readonly Coin[] {
  const coins = tryParseList(texts)
  if (!coins || coins.length === 0) {
    throw errors.invalidCoins(texts.map(({ denom, amount }) => `${amount}${denom}`).join(','))
  }
  return coins
}

/** Parses a MsgCreateVestingAccount. Throws sdk 7, sdk 10, sdk 18. */
export function parseCreate(ctx: ReadContext, message: MsgCreateVestingAccount) {
  const parties = parseParties(ctx, message)
  const coins = parseLocked(message.amount)
  if (message.endTime <= 0n) {
    throw errors.invalidRequest(`invalid end time ${message.endTime}: must be after 1970, in Unix seconds`)
  }
  return { ...parties, coins }
}

/** Parses a MsgCreatePermanentLockedAccount. Throws sdk 7, sdk 10. */
export function parseCreatePermanent(ctx: ReadContext, message: MsgCreatePermanentLockedAccount) {
  return { ...parseParties(ctx, message), coins: parseLocked(message.amount) }
}

/**
 * Parses a MsgCreatePeriodicVestingAccount. `endTime` is the end of the last period, in Unix seconds. Throws sdk 10, and sdk 7 and
 * sdk 18, which the Cosmos SDK does not register.
 */
export function parseCreatePeriodic(ctx: ReadContext, message: MsgCreatePeriodicVestingAccount) {
  const { startTime, vestingPeriods } = message
  const parties = withUnregistered(ctx, () => parseParties(ctx, message))
  const refuse = (why: string): never => {
    throw unregistered(ctx, errors.invalidRequest(why))
  }
  if (startTime < 1n) refuse(`invalid start time of ${startTime}: must be after 1970, in Unix seconds`)
  let endTime = startTime
  const periods = vestingPeriods.map(({ length, amount }, i) => {
    const coins = parseLocked(amount)
    if (length < 1n) refuse(`invalid length of ${length} seconds in period ${i}: must be greater than 0`)
    endTime += length
    return { length, amount: coins }
  })
  // The Cosmos SDK computes a negative end here, from which on nothing would be locked.
  if (endTime > MAX_INT64) refuse(`the periods end at ${endTime}, beyond the range of times`)
  return { ...parties, startTime, endTime, periods }
}

export const validations = [
  validation(MsgCreateVestingAccountSchema, parseCreate),
  validation(MsgCreatePermanentLockedAccountSchema, parseCreatePermanent),
  validation(MsgCreatePeriodicVestingAccountSchema, parseCreatePeriodic),
]
