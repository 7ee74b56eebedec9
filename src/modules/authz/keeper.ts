/** Grants: storage, revocation and expiration. */
import { create } from '@bufbuild/protobuf'
import type { Timestamp } from '@bufbuild/protobuf/wkt'
import { type Grant, GrantQueueItemSchema, GrantSchema } from '../../gen/sdk/authz/v1beta1/authz_pb.ts'
import { EventGrantSchema, EventRevokeSchema } from '../../gen/sdk/authz/v1beta1/event_pb.ts'
import * as address from '../../identity/address.ts'
import { formatRfc3339, toTimestamp } from '../../primitives/time.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { nanoseconds } from '../../sdk/json.ts'
import { pack } from '../../sdk/packed.ts'
import { type Authorization, typeUrlOf } from './authorization.ts'
import { errors } from './errors.ts'
import * as state from './state.ts'

/** The granter and grantee of a grant. */
export interface Parties {
  readonly granter: Uint8Array
  readonly grantee: Uint8Array
}

/** Gas of comparing one entry of the queue. */
const QUEUE_STEP_GAS = 20n

const keyOf = ({ granter, grantee }: Parties, typeUrl: string) => [granter, grantee, typeUrl] as const

function endOf(expiration: Timestamp | undefined): bigint | undefined {
  return expiration && nanoseconds(expiration)
}

export function getGrant(ctx: ReadContext, parties: Parties, typeUrl: string): Grant | undefined {
  return state.grants.get(ctx, keyOf(parties, typeUrl))
}

function enqueue(ctx: Context, { granter, grantee }: Parties, typeUrl: string, endNs: bigint): void {
  const key = [endNs, granter, grantee] as const
  const item = state.queue.get(ctx, key) ?? create(GrantQueueItemSchema)
  state.queue.set(ctx, key, create(GrantQueueItemSchema, { msgTypeUrls: [...item.msgTypeUrls, typeUrl] }))
}

/**
 * Removes a grant from the queue entry of its expiration: the last type URL of the entry replaces the removed one. An entry
 * that becomes empty remains.
 */
function dequeue(ctx: Context, { granter, grantee }: Parties, typeUrl: string, endNs: bigint): void {
  const key = [endNs, granter, grantee] as const
  const urls = [...(state.queue.get(ctx, key)?.msgTypeUrls ?? [])]
  for (const [i, url] of urls.entries()) {
    ctx.gas.consume(QUEUE_STEP_GAS, 'grant queue')
    if (url !== typeUrl) continue
    const last = urls.pop()!
    if (i < urls.length) urls[i] = last
    state.queue.set(ctx, key, create(GrantQueueItemSchema, { msgTypeUrls: urls }))
    return
  }
}

/**
 * Stores a grant and replaces an earlier one for the same messages. Throws authz 3 unless the expiration is after the block
 * time.
 */
export function saveGrant(
  ctx: Context,
  parties: Parties,
  authorization: Authorization,
  expiration: Timestamp | undefined,
): void {
  const { timeNs } = ctx.block
  const end = endOf(expiration)
  if (expiration && end! <= timeNs) {
    throw errors.invalidExpirationTime(
      `expiration must be after the current block time (${formatRfc3339(toTimestamp(timeNs))}), got ${formatRfc3339(expiration)}`,
    )
  }
  const typeUrl = typeUrlOf(ctx.identity, authorization)
  const oldEnd = endOf(getGrant(ctx, parties, typeUrl)?.expiration)
  if (oldEnd !== undefined && oldEnd !== end) dequeue(ctx, parties, typeUrl, oldEnd)
  if (end !== undefined && oldEnd !== end) enqueue(ctx, parties, typeUrl, end)
  const { schema, message } = authorization
  const grant = create(GrantSchema, { authorization: pack(ctx, schema, message), ...(expiration && { expiration }) })
  state.grants.set(ctx, keyOf(parties, typeUrl), grant)
  ctx.emit(EventGrantSchema, {
    msgTypeUrl: typeUrl,
    granter: address.format(ctx, parties.granter),
    grantee: address.format(ctx, parties.grantee),
  })
}

/** Replaces the authorization of a grant by its remainder. Throws authz 2 if the grant does not exist. */
export function updateGrant(ctx: Context, parties: Parties, typeUrl: string, { schema, message }: Authorization): void {
  const grant = getGrant(ctx, parties, typeUrl)
  if (!grant) throw errors.noAuthorizationFound()
  state.grants.set(
    ctx,
    keyOf(parties, typeUrl),
    create(GrantSchema, { ...grant, authorization: pack(ctx, schema, message) }),
  )
}

/** Deletes a grant. Throws authz 2 if it does not exist. */
export function deleteGrant(ctx: Context, parties: Parties, typeUrl: string): void {
  const grant = getGrant(ctx, parties, typeUrl)
  const [granter, grantee] = [address.format(ctx, parties.granter), address.format(ctx, parties.grantee)]
  if (!grant) {
    throw errors.noAuthorizationFound(
      `failed to delete grant with given granter: ${granter}, grantee: ${grantee} & msgType: ${typeUrl}`,
    )
  }
  const end = endOf(grant.expiration)
  if (end !== undefined) dequeue(ctx, parties, typeUrl, end)
  state.grants.delete(ctx, keyOf(parties, typeUrl))
  ctx.emit(EventRevokeSchema, { msgTypeUrl: typeUrl, granter, grantee })
}

/** Deletes the grants that expired before the block. Runs at the beginning of a block. */
export function deleteExpired(ctx: Context): void {
  for (const [key, { msgTypeUrls }] of state.queue.iterate(ctx)) {
    const [endNs, granter, grantee] = key
    if (endNs >= ctx.block.timeNs) return
    state.queue.delete(ctx, key)
    for (const typeUrl of msgTypeUrls) state.grants.delete(ctx, [granter, grantee, typeUrl])
  }
}
