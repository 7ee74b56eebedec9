/** Factory denoms: parameters, admins and creation. */
import { create } from '@bufbuild/protobuf'
import {
  DenomAuthorityMetadataSchema,
  type ModuleParams,
  ModuleParamsSchema,
  TFDenomSchema,
} from '../../gen/chain/tokenfactory/v1/state_pb.ts'
import { type Metadata, MetadataSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import * as address from '../../identity/address.ts'
import { equal } from '../../primitives/bytes.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import type { FactoryDenom } from './denom.ts'
import { errors } from './errors.ts'
import * as state from './state.ts'

/** Returns the defaults: creation costs 10 native coins at one base unit for a unit of gas (D9). */
export function defaultParams(): ModuleParams {
  return create(ModuleParamsSchema, { denomCreationGasConsume: 10_000_000n })
}

export function params(ctx: ReadContext): ModuleParams {
  return state.params.get(ctx) ?? defaultParams()
}

/** Stores the parameters. Throws tokenfactory 9 for a gas cost of 0. */
export function setParams(ctx: Context, value: ModuleParams): void {
  if (value.denomCreationGasConsume < 1n) throw errors.invalidParams('cannot set gas creation cost to zero')
  state.params.set(ctx, value)
}

/** Returns the admin as canonical Bech32 text, empty after a renunciation; undefined for a denom that does not exist. */
export function adminOf(ctx: ReadContext, denom: string): string | undefined {
  const stored = state.admins.get(ctx, denom)
  return stored && address.canonicalOrSame(stored.admin)
}

/** Whether an account is the admin with this text. Nobody is the admin of a denom whose admin renounced. */
export function isAdmin(ctx: ReadContext, admin: string, sender: Uint8Array): boolean {
  return admin !== '' && equal(address.parse(ctx, admin), sender)
}

/** Returns the admin. Throws tokenfactory 10 for a denom that does not exist. */
export function requireAdminOf(ctx: ReadContext, denom: string): string {
  const admin = adminOf(ctx, denom)
  if (admin === undefined) throw errors.noAdmin(denom)
  return admin
}

/** Stores the admin; undefined after a renunciation. */
export function setAdmin(ctx: Context, denom: string, admin: Uint8Array | undefined): void {
  const text = admin ? address.format(ctx, admin) : ''
  state.admins.set(ctx, denom, create(DenomAuthorityMetadataSchema, { admin: text }))
}

/** Stores a denom with its admin and index entries. The caller stores the metadata. */
export function insert(ctx: Context, { denom, creator, subdenom }: FactoryDenom, admin: Uint8Array | undefined): void {
  state.denoms.set(ctx, denom, create(TFDenomSchema, { creator, subdenom }))
  state.creators.add(ctx, creator)
  state.denomsByCreator.add(ctx, [creator, denom])
  setAdmin(ctx, denom, admin)
}

/** Returns the bank metadata of a denom that has no other. */
export function defaultMetadata(denom: string): Metadata {
  return create(MetadataSchema, {
    denomUnits: [{ denom, exponent: 0, aliases: [] }],
    base: denom,
    display: denom,
    name: denom,
    symbol: denom,
  })
}
