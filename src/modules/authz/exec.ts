/** Execution of messages by a grantee on behalf of granters. */
import { isMessage, type Message, toBinary } from '@bufbuild/protobuf'
import type { Any } from '@bufbuild/protobuf/wkt'
import { MsgEthereumTxSchema } from '../../gen/chain/evm/v1/tx_pb.ts'
import { MsgExecSchema } from '../../gen/sdk/authz/v1beta1/tx_pb.ts'
import * as address from '../../identity/address.ts'
import { complete } from '../../identity/complete.ts'
import { equal } from '../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { withErrorPath } from '../../sdk/error-path.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { nanoseconds } from '../../sdk/json.ts'
import { type Unpacked, unpack } from '../../sdk/packed.ts'
import { signersOf } from '../../sdk/tx.ts'
import { accept, parseAuthorization } from './authorization.ts'
import { errors } from './errors.ts'
import { deleteGrant, getGrant, type Parties, updateGrant } from './keeper.ts'

/** The maximum nesting of executions. */
const MAX_DEPTH = 2

/**
 * Parses the messages of an execution. Throws sdk 29 for an Ethereum transaction, which needs a separate transaction, and
 * for too deep nesting. Bounded by: `MAX_DEPTH`.
 */
export function parseExecuted(ctx: ReadContext, packed: readonly Any[], depth = 0): readonly Unpacked[] {
  if (depth >= MAX_DEPTH) throw sdkErrors.invalidType(`exceeded max nested message depth: ${MAX_DEPTH}`)
  return packed.map((any) => {
    const inner = unpack(ctx, any)
    if (isMessage(inner.message, MsgEthereumTxSchema)) {
      throw sdkErrors.invalidType('MsgEthereumTx needs to be contained within a tx with ExtensionOptionsEthereumTx')
    }
    if (isMessage(inner.message, MsgExecSchema)) parseExecuted(ctx, inner.message.msgs, depth + 1)
    return inner
  })
}

/** Uses the grant for a message. Throws authz 2, authz 6, and the errors of the authorization. */
function useGrant(ctx: Context, parties: Parties, { typeUrl, message }: Unpacked): void {
  const grant = getGrant(ctx, parties, typeUrl)
  if (!grant) {
    const [granter, grantee] = [address.format(ctx, parties.granter), address.format(ctx, parties.grantee)]
    throw errors.noAuthorizationFound(
      `failed to get grant with given granter: ${granter}, grantee: ${grantee} & msgType: ${typeUrl}`,
    )
  }
  if (grant.expiration && nanoseconds(grant.expiration) < ctx.block.timeNs) throw errors.authorizationExpired()
  const authorization = parseAuthorization(ctx, grant.authorization)
  const left = accept(ctx, authorization, message)
  if (!left) deleteGrant(ctx, parties, typeUrl)
  else if (left !== authorization) updateGrant(ctx, parties, typeUrl, left)
}

/** Runs one message and adds its index to its events. */
function execute(ctx: Context, grantee: Uint8Array, inner: Unpacked, index: number): Uint8Array {
  const { schema, message, typeUrl } = inner
  const signers = signersOf(ctx.identity, schema, message)
  const [granter] = signers
  if (!granter || signers.length !== 1) throw errors.numberOfSigners()
  if (!equal(granter, grantee)) useGrant(ctx, { granter, grantee }, inner)
  const handler = ctx.app.handlerOf(schema.typeName)
  if (!handler) throw sdkErrors.unknownRequest(`unrecognized message route: ${typeUrl}`)
  const { events } = ctx.branchStore
  const before = events.length
  const response: Message = withErrorPath(`failed to execute message; message ${typeUrl}`, () =>
    handler.handle(ctx, message),
  )
  const place = { key: 'authz_msg_index', value: String(index) }
  const own = events.splice(before)
  for (const { type, attributes } of own) events.push({ type, attributes: [...attributes, place] })
  return toBinary(handler.method.output, complete(handler.method.output, response))
}

/** Runs messages on behalf of their signers, which must have granted them to the grantee. Returns the encoded responses. */
export function executeAll(ctx: Context, grantee: Uint8Array, messages: readonly Unpacked[]): Uint8Array[] {
  return messages.map((inner, index) => execute(ctx, grantee, inner, index))
}
