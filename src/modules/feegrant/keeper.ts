/** Allowances: storage, use, revocation and expiration. */
import { create } from '@bufbuild/protobuf'
import { type Grant, GrantSchema } from '../../gen/sdk/feegrant/v1beta1/feegrant_pb.ts'
import * as address from '../../identity/address.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import { pack } from '../../sdk/packed.ts'
import * as bank from '../bank/keeper.ts'
import { type Allowance, accept, endOf, type Payment, parseAllowance } from './allowance.ts'
import * as state from './state.ts'

/** The granter and grantee of an allowance. */
export interface Parties {
  readonly granter: Uint8Array
  readonly grantee: Uint8Array
}

const keyOf = ({ granter, grantee }: Parties) => [grantee, granter] as const

function texts(ctx: ReadContext, { granter, grantee }: Parties) {
  return { granter: address.format(ctx, granter), grantee: address.format(ctx, grantee) }
}

export function getGrant(ctx: ReadContext, parties: Parties): Grant | undefined {
  return state.grants.get(ctx, keyOf(parties))
}

/** Returns a grant. Throws sdk 38 if it does not exist. */
function requireGrant(ctx: ReadContext, parties: Parties): Grant {
  const grant = getGrant(ctx, parties)
  if (!grant) throw sdkErrors.notFound('fee-grant not found')
  return grant
}

function write(ctx: Context, parties: Parties, { schema, message }: Allowance): void {
  const grant = create(GrantSchema, { ...texts(ctx, parties), allowance: pack(ctx, schema, message) })
  state.grants.set(ctx, keyOf(parties), grant)
}

function endOfGrant(ctx: ReadContext, grant: Grant | undefined): bigint | undefined {
  return grant && endOf(ctx, parseAllowance(ctx, grant.allowance))
}

/**
 * Stores an allowance, replaces an earlier one, and creates the grantee's account. Throws sdk 4, sdk 18 for an expiration in
 * the past.
 */
export function grantAllowance(ctx: Context, parties: Parties, allowance: Allowance): void {
  bank.ensureRecipient(ctx, parties.grantee)
  const queued = (end: bigint) => [end, parties.grantee, parties.granter] as const
  const oldEnd = endOfGrant(ctx, getGrant(ctx, parties))
  const end = endOf(ctx, allowance)
  if (end !== undefined && end < ctx.block.timeNs) {
    throw sdkErrors.invalidRequest('expiration is before current block time')
  }
  if (oldEnd !== undefined && oldEnd !== end) state.queue.delete(ctx, queued(oldEnd))
  if (end !== undefined && oldEnd !== end) state.queue.set(ctx, queued(end), true)
  write(ctx, parties, allowance)
  ctx.emitEvent('set_feegrant', texts(ctx, parties))
}

/** Deletes an allowance. Throws sdk 38 if it does not exist. */
export function revokeAllowance(ctx: Context, parties: Parties): void {
  const grant = requireGrant(ctx, parties)
  state.grants.delete(ctx, keyOf(parties))
  const end = endOfGrant(ctx, grant)
  if (end !== undefined && !ctx.identity.behaviours.endsOfRevokedAllowances) {
    state.queue.delete(ctx, [end, parties.grantee, parties.granter])
  }
  ctx.emitEvent('revoke_feegrant', texts(ctx, parties))
}

/** Books a fee on the granter's allowance; the caller transfers the coins. Throws sdk 38, feegrant 2, 3, 7. */
export function useAllowance(ctx: Context, parties: Parties, payment: Payment): void {
  const allowance = parseAllowance(ctx, requireGrant(ctx, parties).allowance)
  const left = accept(ctx, allowance, payment)
  if (!left) {
    revokeAllowance(ctx, parties)
    ctx.emitEvent('use_feegrant', texts(ctx, parties))
    return
  }
  ctx.emitEvent('use_feegrant', texts(ctx, parties))
  requireGrant(ctx, parties)
  write(ctx, parties, left)
  ctx.emitEvent('update_feegrant', texts(ctx, parties))
}

/** Deletes the allowances that expired before the block. Runs at the end of a block. */
export function deleteExpired(ctx: Context): void {
  for (const key of state.queue.keys(ctx)) {
    const [endNs, grantee, granter] = key
    if (endNs >= ctx.block.timeNs) return
    state.queue.delete(ctx, key)
    state.grants.delete(ctx, [grantee, granter])
  }
}
