/** Arithmetic of one validator's tokens, shares and power, without access to state. */
import type { Any } from '@bufbuild/protobuf/wkt'
import type { Validator } from '../../gen/sdk/staking/v1beta1/staking_pb.ts'
import type { Identity } from '../../identity/types.ts'
import { cachePerObject } from '../../primitives/cache.ts'
import * as decimal from '../../primitives/decimal.ts'
import { MAX_INT64 } from '../../primitives/integers.ts'
import { addressOf, decodePublicKey } from '../../sdk/public-key.ts'
import { errors } from './errors.ts'

/** Tokens for one unit of power. */
export const POWER_REDUCTION = 1_000_000n
/** Maximum power of a validator, and of the set, in CometBFT: an eighth of the largest signed 64-bit integer. */
export const MAX_POWER = MAX_INT64 / 8n

export function tokensOf(validator: Validator): bigint {
  return BigInt(validator.tokens || '0')
}

export function sharesOf(validator: { readonly delegatorShares: string }): decimal.Decimal {
  return decimal.decode(validator.delegatorShares) ?? decimal.zero
}

/** Returns the power of a validator's tokens. */
export function powerOf(validator: Validator): bigint {
  return tokensOf(validator) / POWER_REDUCTION
}

/** Returns the tokens that shares are worth, as a decimal. */
export function tokensFromShares(validator: Validator, shares: decimal.Decimal): decimal.Decimal {
  const total = sharesOf(validator)
  return total === 0n ? decimal.zero : decimal.quo(decimal.fromRaw(shares * tokensOf(validator)), total)
}

/**
 * Returns the shares that tokens are worth: multiplies, then divides and truncates. Throws staking 34 for a validator without
 * tokens.
 */
export function sharesFromTokens(validator: Validator, amount: bigint): decimal.Decimal {
  const tokens = tokensOf(validator)
  if (tokens === 0n) throw errors.invalidExchangeRate()
  return decimal.fromRaw((sharesOf(validator) * amount) / tokens)
}

/** Returns the validator with more tokens, and the shares they are worth: the amount itself for the first tokens. */
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

/** Returns the validator without some shares, and the tokens they were worth: all tokens for the last shares, else truncated. */
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

/** Returns a validator's consensus key, 32 bytes. Throws staking 6, staking 39, sdk 8. */
export function consensusKey(identity: Identity, validator: Pick<Validator, 'consensusPubkey'>): Uint8Array {
  if (!validator.consensusPubkey) throw errors.emptyPublicKey()
  const key = decodePublicKey(identity, validator.consensusPubkey)
  if (key.kind !== 'ed25519') throw errors.publicKeyType(`got: ${key.kind}, expected: [ed25519]`)
  return key.key
}

/** Consensus addresses by identity and key. Each block needs those of all validators, whose records are cached. */
const addressesOf = cachePerObject((identity: Identity) =>
  cachePerObject((consensusPubkey: Any) =>
    addressOf(identity, { kind: 'ed25519', key: consensusKey(identity, { consensusPubkey }) }),
  ),
)

/** Returns a validator's consensus address, 20 bytes. Throws staking 6, staking 39, sdk 8. */
export function consensusAddress(
  identity: Identity,
  { consensusPubkey }: Pick<Validator, 'consensusPubkey'>,
): Uint8Array {
  if (!consensusPubkey) throw errors.emptyPublicKey()
  return addressesOf(identity)(consensusPubkey)
}
