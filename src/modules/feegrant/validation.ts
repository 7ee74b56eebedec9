/** Stateless checks of messages. The handlers use the same parsing. */
import {
  type MsgGrantAllowance,
  MsgGrantAllowanceSchema,
  type MsgRevokeAllowance,
  MsgRevokeAllowanceSchema,
} from '../../gen/sdk/feegrant/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import { parseAllowance, validateAllowance } from './allowance.ts'
import type { Parties } from './keeper.ts'

/** Parses granter and grantee. Throws sdk 7. */
function parseParties(
  ctx: ReadContext,
  message: { readonly granter: string; readonly grantee: string },
  refusal: string,
): Parties {
  const granter = address.parse(ctx, message.granter)
  const grantee = address.parse(ctx, message.grantee)
  if (equal(granter, grantee)) throw sdkErrors.invalidAddress(refusal)
  return { granter, grantee }
}

/** Parses a MsgGrantAllowance. Throws sdk 7, and the errors of the allowance. */
export function parseGrantAllowance(ctx: ReadContext, message: MsgGrantAllowance) {
  const parties = parseParties(ctx, message, 'cannot self-grant fee authorization')
  const allowance = parseAllowance(ctx, message.allowance)
  validateAllowance(ctx, allowance)
  return { parties, allowance }
}

/** Parses a MsgRevokeAllowance. Throws sdk 7. */
export function parseRevokeAllowance(ctx: ReadContext, message: MsgRevokeAllowance): Parties {
  return parseParties(ctx, message, 'addresses must be different')
}

export const validations = [
  validation(MsgGrantAllowanceSchema, parseGrantAllowance),
  validation(MsgRevokeAllowanceSchema, parseRevokeAllowance),
]
