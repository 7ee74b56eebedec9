/** Arithmetic of one validator: tokens, shares and power. Nothing here reads or writes state. */
import type { Validator } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import type { Identity } from '../../identity/types.ts'
import * as decimal from '../../primitives/decimal.ts'
import { addressOf, decodePublicKey } from '../../sdk/public-key.ts'
import { errors } from './errors.ts'

/** Tokens of one unit of power. */
export const POWER_REDUCTION = 1_000_000n
/** The most power that the engine counts, of a validator and of a whole set: an eighth of 63 bits (cometbft.md §6). */
export const MOST_POWER = ((1n << 63n) - 1n) / 8n

export function tokensOf(validator: Validator): bigint {
  return BigInt(validator.tokens || '0')
}

export function sharesOf(validator: { readonly delegatorShares: string }): decimal.Decimal {
  return decimal.decode(validator.delegatorShares) ?? decimal.zero
}

/** Power that the validator's tokens stand for. */
export function powerOf(validator: Validator): bigint {
  return tokensOf(validator) / POWER_REDUCTION
}

/** Tokens that shares are worth, as a decimal. */
export function tokensFromShares(validator: Validator, shares: decimal.Decimal): decimal.Decimal {
  const total = sharesOf(validator)
  return total === 0n ? decimal.zero : decimal.quo(decimal.fromRaw(shares * tokensOf(validator)), total)
}

/** Shares that tokens are worth: multiply, then divide and truncate. Throws staking 34 when all tokens are gone. */
export function sharesFromTokens(validator: Validator, amount: bigint): decimal.Decimal {
  const tokens = tokensOf(validator)
  if (tokens === 0n) throw errors.invalidExchangeRate()
  return decimal.fromRaw((sharesOf(validator) * amount) / tokens)
}

/** The validator with more tokens, and the shares they are worth: the amount itself for the first. */
export function withTokens(
  validator: Validator,
  amount: bigint,
): { readonly validator: Validator; readonly shares: decimal.Decimal } {
  const total = sharesOf(validator)
  const shares = total === 0n ? decimal.fromInteger(amount) : sharesFromTokens(validator, amount)
  return {
    shares,
    validator: {
      ...validator,
      tokens: (tokensOf(validator) + amount).toString(),
      delegatorShares: decimal.encode(decimal.fromRaw(total + shares)),
    },
  }
}

/** The validator without shares, and the tokens they were worth: all that is left for the last ones, else truncated. */
export function withoutShares(
  validator: Validator,
  shares: decimal.Decimal,
): { readonly validator: Validator; readonly tokens: bigint } {
  const rest = decimal.fromRaw(sharesOf(validator) - shares)
  const held = tokensOf(validator)
  const tokens = rest === 0n ? held : decimal.truncate(tokensFromShares(validator, shares))
  return {
    tokens,
    validator: { ...validator, tokens: (held - tokens).toString(), delegatorShares: decimal.encode(rest) },
  }
}

/** The engine's key of a validator, 32 bytes. Throws staking 39, sdk 8. */
export function consensusKey(identity: Identity, validator: Pick<Validator, 'consensusPubkey'>): Uint8Array {
  if (!validator.consensusPubkey) throw errors.emptyPublicKey()
  const key = decodePublicKey(identity, validator.consensusPubkey)
  if (key.kind !== 'ed25519') throw errors.publicKeyType(`got: ${key.kind}, expected: [ed25519]`)
  return key.key
}

/** The engine's address of a validator, 20 bytes. */
export function consensusAddress(identity: Identity, validator: Pick<Validator, 'consensusPubkey'>): Uint8Array {
  return addressOf(identity, { kind: 'ed25519', key: consensusKey(identity, validator) })
}
