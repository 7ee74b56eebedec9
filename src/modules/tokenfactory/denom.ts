/** Names of factory denoms: `factory/{creator}/{subdenom}`. Pure. */
import * as address from '../../identity/address.ts'
import type { Identity } from '../../identity/types.ts'
import { isValid } from '../../primitives/denom.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import { errors } from './errors.ts'

export interface FactoryDenom {
  readonly denom: string
  /** Bech32 text in canonical spelling. */
  readonly creator: string
  readonly subdenom: string
}

const SUBDENOM = /^[A-Za-z0-9:._-]{1,44}$/

/** Returns the denom of a creator and a subdenom. Throws tokenfactory 5 for a subdenom that is not valid in a coin. */
export function nameDenom(ctx: ReadContext, creator: Uint8Array, subdenom: string): FactoryDenom {
  const text = address.format(ctx, creator)
  const denom = `${ctx.identity.factoryPrefix}/${text}/${subdenom}`
  if (!SUBDENOM.test(subdenom) || !isValid(denom)) {
    throw errors.invalidSubdenom(`expected 1 to 44 letters, digits or : . _ -, got ${JSON.stringify(subdenom)}`)
  }
  return { denom, creator: text, subdenom }
}

/** Returns the reason why a text is not a factory denom, in the text of the reference; undefined for a valid one. */
export function denomFault(ctx: { readonly identity: Identity }, denom: string): string | undefined {
  const { factoryPrefix } = ctx.identity
  const fault = (got: string) =>
    `denom format error: expected "${factoryPrefix}/{creator-bech32}/{subdenom}", got ${got}`
  const parts = denom.split('/')
  if (parts.length !== 3) return fault("denom has invalid number of sections separated by '/'")
  const [prefix, creator, subdenom] = parts as [string, string, string]
  if (prefix !== factoryPrefix) return fault(`${denom}: [missing denom prefix "${factoryPrefix}"]`)
  if (creator === '') return fault(`${denom}: [empty creator address]`)
  if (subdenom === '') return fault(`${denom}: [empty subdenom]`)
  if (!isCanonical(ctx, creator)) return fault(`${denom}: [invalid creator address]`)
  return SUBDENOM.test(subdenom) && isValid(denom) ? undefined : fault(`${denom}: [invalid subdenom]`)
}

function isCanonical(ctx: { readonly identity: Identity }, text: string): boolean {
  try {
    return address.isCanonical(ctx, text)
  } catch (error) {
    if (error instanceof ChainError) return false
    throw error
  }
}

/** Splits a factory denom into its parts. Throws tokenfactory 3. */
export function parseDenom(ctx: ReadContext, denom: string): FactoryDenom {
  const fault = denomFault(ctx, denom)
  if (fault !== undefined) throw errors.invalidDenom(fault)
  const [, creator, subdenom] = denom.split('/') as [string, string, string]
  return { denom, creator, subdenom }
}
