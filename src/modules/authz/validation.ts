/** Stateless checks of messages. The handlers use the same parsing. */
import { isMessage } from '@bufbuild/protobuf'
import { MsgEthereumTxSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { GenericAuthorizationSchema } from '../../gen/sdk/authz/v1beta1/authz_pb.ts'
import {
  type MsgExec,
  MsgExecSchema,
  type MsgGrant,
  MsgGrantSchema,
  type MsgRevoke,
  MsgRevokeSchema,
} from '../../gen/sdk/authz/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { neutralTypeName } from '../../identity/type-name.ts'
import { equal } from '../../primitives/bytes.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { validation } from '../../sdk/module.ts'
import { profileTypeUrl } from '../../sdk/packed.ts'
import { parseGranted } from './authorization.ts'
import { errors } from './errors.ts'
import { parseExecuted } from './exec.ts'
import type { Parties } from './keeper.ts'

/** Parses granter and grantee. Throws sdk 7, authz 7. */
function parseParties(ctx: ReadContext, message: { readonly granter: string; readonly grantee: string }): Parties {
  const granter = address.parse(ctx, message.granter)
  const grantee = address.parse(ctx, message.grantee)
  if (equal(granter, grantee)) throw errors.granteeIsGranter()
  return { granter, grantee }
}

/** Parses a MsgGrant. Throws the errors of its parts, and sdk 37 for Ethereum transactions, which carry their own signature. */
export function parseGrant(ctx: ReadContext, message: MsgGrant) {
  const parties = parseParties(ctx, message)
  const authorization = parseGranted(ctx, message.grant?.authorization)
  const { message: granted } = authorization
  if (
    isMessage(granted, GenericAuthorizationSchema) &&
    neutralTypeName(ctx.identity, granted.msg) === MsgEthereumTxSchema.typeName
  ) {
    throw sdkErrors.notSupported(`authz grant generic for msg type ${granted.msg} is not allowed`)
  }
  return { parties, authorization, expiration: message.grant?.expiration }
}

/** Parses a MsgExec. Throws sdk 7, sdk 18, and the errors of its messages. */
export function parseExec(ctx: ReadContext, { grantee, msgs }: MsgExec) {
  const bytes = address.parse(ctx, grantee)
  if (msgs.length === 0) throw sdkErrors.invalidRequest('messages cannot be empty')
  return { grantee: bytes, executed: parseExecuted(ctx, msgs) }
}

/** Parses a MsgRevoke. Throws sdk 7, sdk 18, authz 7. */
export function parseRevoke(ctx: ReadContext, message: MsgRevoke) {
  const parties = parseParties(ctx, message)
  if (message.msgTypeUrl === '') throw sdkErrors.invalidRequest('missing method name')
  return { parties, typeUrl: profileTypeUrl(ctx.identity, message.msgTypeUrl) }
}

function validateExec(ctx: ReadContext, message: MsgExec): void {
  for (const { schema, message: inner } of parseExec(ctx, message).executed) ctx.app.validate(ctx, schema, inner)
}

export const validations = [
  validation(MsgGrantSchema, parseGrant),
  validation(MsgExecSchema, validateExec),
  validation(MsgRevokeSchema, parseRevoke),
]
