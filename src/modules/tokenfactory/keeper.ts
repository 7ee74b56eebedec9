/** What is known of factory denoms, and how one comes to be. */
import { create } from '@bufbuild/protobuf'
import {
  DenomAuthorityMetadataSchema,
  type ModuleParams,
  ModuleParamsSchema,
  TFDenomSchema,
} from '../../gen/chain/tokenfactory/v1/state_pb.ts'
import { type Metadata, MetadataSchema } from '../../gen/sdk/bank/v1beta1/bank_pb.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import type { FactoryDenom } from './denom.ts'
import { errors } from './errors.ts'
import * as state from './state.ts'

/** Ten native, at one base unit a unit of gas (D9). */
export function defaultParams(): ModuleParams {
  return create(ModuleParamsSchema, { denomCreationGasConsume: 10_000_000n })
}

export function params(ctx: ReadContext): ModuleParams {
  return state.params.get(ctx) ?? defaultParams()
}

/** Throws tokenfactory 9. */
export function setParams(ctx: Context, value: ModuleParams): void {
  if (value.denomCreationGasConsume < 1n) throw errors.invalidParams('cannot set gas creation cost to zero')
  state.params.set(ctx, value)
}

/** Bech32 text of a denom's admin, empty if it has none any more; undefined for a denom that nobody made. */
export function adminOf(ctx: ReadContext, denom: string): string | undefined {
  return state.admins.get(ctx, denom)?.admin
}

/** Throws tokenfactory 10 for a denom that nobody made. */
export function requireAdminOf(ctx: ReadContext, denom: string): string {
  const admin = adminOf(ctx, denom)
  if (admin === undefined) throw errors.noAdmin(denom)
  return admin
}

export function setAdmin(ctx: Context, denom: string, admin: string): void {
  state.admins.set(ctx, denom, create(DenomAuthorityMetadataSchema, { admin }))
}

/** Enters a denom with its admin. Its metadata is the caller's matter. */
export function insert(ctx: Context, { denom, creator, subdenom }: FactoryDenom, admin: string): void {
  state.denoms.set(ctx, denom, create(TFDenomSchema, { creator, subdenom }))
  state.creators.add(ctx, creator)
  state.denomsByCreator.add(ctx, [creator, denom])
  setAdmin(ctx, denom, admin)
}

/** What the bank says of a denom about which nobody has said more. */
export function defaultMetadata(denom: string): Metadata {
  return create(MetadataSchema, {
    denomUnits: [{ denom, exponent: 0, aliases: [] }],
    base: denom,
    display: denom,
    name: denom,
    symbol: denom,
  })
}
