/**
 * Addresses with the prefixes of a profile: text at the edge, bytes inside. Bech32 has two spellings of an address, in lower
 * and in upper case. Both parse; only the canonical one, in lower case, is stored and emitted (docs/glossary.md).
 */
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

/** Returns the canonical spelling of an account address. Throws sdk 7. */
export function canonical(ctx: AddressContext, text: string): string {
  return format(ctx, parse(ctx, text))
}

/** Whether an account address is in canonical spelling. Throws sdk 7. */
export function isCanonical(ctx: AddressContext, text: string): boolean {
  return canonical(ctx, text) === text
}

/** Parses an operator address. Throws sdk 7. */
export function parseValidator(ctx: AddressContext, text: string): Uint8Array {
  return parseWith([ctx.identity.bech32.validator], text)
}

export function formatValidator(ctx: AddressContext, bytes: Uint8Array): string {
  return formatBech32(ctx.identity.bech32.validator, bytes)
}

/** Returns the canonical spelling of an operator address. Throws sdk 7. */
export function canonicalValidator(ctx: AddressContext, text: string): string {
  return formatValidator(ctx, parseValidator(ctx, text))
}

/** Parses a consensus address. Throws sdk 7. */
export function parseConsensus(ctx: AddressContext, text: string): Uint8Array {
  return parseWith([ctx.identity.bech32.consensus], text)
}

export function formatConsensus(ctx: AddressContext, bytes: Uint8Array): string {
  return formatBech32(ctx.identity.bech32.consensus, bytes)
}

/** Returns the canonical spelling of a consensus address. Throws sdk 7. */
export function canonicalConsensus(ctx: AddressContext, text: string): string {
  return formatConsensus(ctx, parseConsensus(ctx, text))
}

/** Parses a signer's address, in account or operator form. Throws sdk 7. */
export function parseSigner(ctx: AddressContext, text: string): Uint8Array {
  return parseWith([ctx.identity.bech32.account, ctx.identity.bech32.validator], text)
}

/** Returns the canonical spelling of a Bech32 text of any prefix, and any other text unchanged. */
export function canonicalOrSame(text: string): string {
  const lower = text.toLowerCase()
  return lower !== text && lower.toUpperCase() === text && !('reason' in decodeBech32(text)) ? lower : text
}

/**
 * Returns a function that tells whether a text is a spelling of the address with this canonical text. It decodes nothing, so
 * that a list can be searched at the cost of comparing text.
 */
export function spellingOf(canonicalText: string): (text: string) => boolean {
  const upper = canonicalText.toUpperCase()
  return (text) => text === canonicalText || text === upper
}

/** Compares operators by their canonical texts, the order of state keys that contain such texts. */
export function compareValidators(ctx: AddressContext, a: Uint8Array, b: Uint8Array): number {
  const [textA, textB] = [formatValidator(ctx, a), formatValidator(ctx, b)]
  return textA < textB ? -1 : textA > textB ? 1 : 0
}
