/** Addresses with the prefixes of a profile: text at the edge, bytes inside. */
import { decodeBech32, formatBech32 } from '../primitives/address.ts'
import { ChainError, type ErrorRow } from '../primitives/errors.ts'
import type { Identity } from './types.ts'

/** The context for parsing and formatting. Every handler's context is one. */
export interface AddressContext {
  readonly identity: Pick<Identity, 'bech32'>
}

const INVALID: ErrorRow = { code: 7, status: 'invalidArgument', text: 'invalid address' }

function invalid(detail: string): ChainError {
  return new ChainError('sdk', INVALID, `${detail}: ${INVALID.text}`)
}

function parseWith(prefixes: readonly string[], text: string): Uint8Array {
  if (text.trim() === '') throw invalid('empty address string is not allowed')
  const parts = decodeBech32(text)
  if ('reason' in parts) throw invalid(`decoding bech32 failed: ${parts.reason}`)
  if (!prefixes.includes(parts.prefix)) {
    throw invalid(`invalid Bech32 prefix; expected ${prefixes[0]}, got ${parts.prefix}`)
  }
  return parts.bytes
}

/** Parses an account address. Throws sdk 7. */
export function parse(ctx: AddressContext, text: string): Uint8Array {
  return parseWith([ctx.identity.bech32.account], text)
}

export function format(ctx: AddressContext, bytes: Uint8Array): string {
  return formatBech32(ctx.identity.bech32.account, bytes)
}

/** Parses an operator address. Throws sdk 7. */
export function parseValidator(ctx: AddressContext, text: string): Uint8Array {
  return parseWith([ctx.identity.bech32.validator], text)
}

export function formatValidator(ctx: AddressContext, bytes: Uint8Array): string {
  return formatBech32(ctx.identity.bech32.validator, bytes)
}

/** Parses a consensus address. Throws sdk 7. */
export function parseConsensus(ctx: AddressContext, text: string): Uint8Array {
  return parseWith([ctx.identity.bech32.consensus], text)
}

export function formatConsensus(ctx: AddressContext, bytes: Uint8Array): string {
  return formatBech32(ctx.identity.bech32.consensus, bytes)
}

/** Parses a signer's address, in account or operator form. Throws sdk 7. */
export function parseSigner(ctx: AddressContext, text: string): Uint8Array {
  return parseWith([ctx.identity.bech32.account, ctx.identity.bech32.validator], text)
}
