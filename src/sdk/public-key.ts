/**
 * Public keys of accounts and validators: their Any forms, addresses, amino forms and signatures
 * (docs/transactions.md#signatures).
 */

import { create, toBinary } from '@bufbuild/protobuf'
import { LegacyAminoPubKeySchema } from '../gen/sdk/crypto/multisig/keys_pb.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import * as address from '../primitives/address.ts'
import { concat, formatBase64, join, utf8 } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import { keccak256, sha256 } from '../primitives/hash.ts'
import { encodeVarint } from '../primitives/varint.ts'
import { uncompressSecp256k1, verifyEd25519, verifySecp256k1, verifySecp256r1 } from './crypto.ts'
import { decodeMessage } from './decode.ts'
import { errors } from './errors.ts'

type SimpleKind = 'secp256k1' | 'ethSecp256k1' | 'ed25519' | 'secp256r1'

export interface SimpleKey {
  readonly kind: SimpleKind
  /** 33 bytes compressed; 32 for ed25519. */
  readonly key: Uint8Array
}

export interface MultisigKey {
  readonly kind: 'multisig'
  readonly threshold: number
  readonly keys: readonly PublicKey[]
}

export type PublicKey = SimpleKey | MultisigKey

/** The two fields of an Any. */
export interface AnyValue {
  readonly typeUrl: string
  readonly value: Uint8Array
}

interface KindFacts {
  readonly typeName: string
  readonly aminoName: string
  readonly length: number
}

const KINDS: Readonly<Record<SimpleKind, KindFacts>> = {
  secp256k1: { typeName: 'sdk.crypto.secp256k1.PubKey', aminoName: 'tendermint/PubKeySecp256k1', length: 33 },
  ethSecp256k1: { typeName: 'chain.crypto.v1.ethsecp256k1.PubKey', aminoName: 'chain/PubKeyEthSecp256k1', length: 33 },
  ed25519: { typeName: 'sdk.crypto.ed25519.PubKey', aminoName: 'tendermint/PubKeyEd25519', length: 32 },
  secp256r1: { typeName: 'sdk.crypto.secp256r1.PubKey', aminoName: 'sdk/PubKeySecp256r1', length: 33 },
}

const KIND_OF_TYPE: ReadonlyMap<string, SimpleKind> = new Map(
  (Object.keys(KINDS) as SimpleKind[]).map((kind) => [KINDS[kind].typeName, kind]),
)

const MULTISIG_TYPE = 'sdk.crypto.multisig.LegacyAminoPubKey'
const MULTISIG_AMINO = 'tendermint/PubKeyMultisigThreshold'
const MAX_NESTING = 4

/**
 * Decodes the key in an Any. Throws sdk 8 for an unknown type, a wrong length, or a threshold that cannot be met. Bounded by:
 * `MAX_NESTING`.
 */
export function decodePublicKey(identity: Identity, packed: AnyValue, depth = 0): PublicKey {
  const typeName = neutralTypeName(identity, packed.typeUrl)
  const kind = KIND_OF_TYPE.get(typeName)
  if (kind) {
    const { length } = KINDS[kind]
    const { value } = packed
    if (value.length !== length + 2 || value[0] !== 0x0a || value[1] !== length) {
      throw errors.invalidPubKey(`${typeName}: the key must have ${length} bytes`)
    }
    return { kind, key: value.slice(2) }
  }
  if (typeName !== MULTISIG_TYPE || depth > MAX_NESTING) throw errors.invalidPubKey(`key type ${packed.typeUrl}`)
  let message: { threshold: number; publicKeys: AnyValue[] }
  try {
    message = decodeMessage(LegacyAminoPubKeySchema, packed.value)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw errors.invalidPubKey(`${typeName}: not a multisig key`)
  }
  const { threshold, publicKeys } = message
  if (threshold < 1 || threshold > publicKeys.length) {
    throw errors.invalidPubKey(`threshold ${threshold} of ${publicKeys.length} keys`)
  }
  return { kind: 'multisig', threshold, keys: publicKeys.map((key) => decodePublicKey(identity, key, depth + 1)) }
}

/** Encodes a key as an Any with the profile's type URL. Bounded by: the keys within a key. */
export function encodePublicKey(identity: Identity, key: PublicKey): AnyValue {
  if (key.kind !== 'multisig') {
    const { typeName, length } = KINDS[key.kind]
    return {
      typeUrl: `/${identity.toProfileName(typeName)}`,
      value: concat(Uint8Array.of(0x0a, length), key.key),
    }
  }
  const publicKeys = key.keys.map((part) => encodePublicKey(identity, part))
  const message = create(LegacyAminoPubKeySchema, { threshold: key.threshold, publicKeys })
  return {
    typeUrl: `/${identity.toProfileName(MULTISIG_TYPE)}`,
    value: toBinary(LegacyAminoPubKeySchema, message),
  }
}

/** Returns the address of a key: 20 bytes, 32 for secp256r1. Throws sdk 8 if the key is not a point of its curve. */
export function addressOf(identity: Identity, key: PublicKey): Uint8Array {
  switch (key.kind) {
    case 'secp256k1':
      return address.ofSecp256k1(key.key)
    case 'ethSecp256k1': {
      const uncompressed = uncompressSecp256k1(key.key)
      if (!uncompressed) throw errors.invalidPubKey('not a point of the curve')
      return address.ofEthSecp256k1(uncompressed)
    }
    case 'ed25519':
      return address.ofEd25519(key.key)
    case 'secp256r1':
      return sha256(concat(sha256(utf8(identity.toProfileName(KINDS.secp256r1.typeName))), key.key))
    case 'multisig':
      return sha256(aminoBinary(identity, key)).slice(0, 20)
  }
}

/** Whether a signature of a simple key over sign bytes is valid. The recovery byte of a 65-byte Ethereum signature is ignored. */
export function verifySignature(key: SimpleKey, signBytes: Uint8Array, signature: Uint8Array): boolean {
  switch (key.kind) {
    case 'secp256k1':
      return verifySecp256k1(sha256(signBytes), signature, key.key)
    case 'ethSecp256k1':
      return verifySecp256k1(
        keccak256(signBytes),
        signature.length === 65 ? signature.subarray(0, 64) : signature,
        key.key,
      )
    case 'ed25519':
      return verifyEd25519(signBytes, signature, key.key)
    case 'secp256r1':
      return verifySecp256r1(signBytes, signature, key.key)
  }
}

/** Returns the number of simple keys in a key. Bounded by: the keys within a key. */
export function countKeys(key: PublicKey): number {
  return key.kind === 'multisig' ? key.keys.reduce((sum, part) => sum + countKeys(part), 0) : 1
}

/** Returns the legacy amino JSON of a key: `{type, value}`. Bounded by: the keys within a key. */
export function aminoJson(identity: Identity, key: PublicKey): { type: string; value: unknown } {
  if (key.kind !== 'multisig') {
    return { type: identity.toProfileAmino(KINDS[key.kind].aminoName), value: formatBase64(key.key) }
  }
  const pubkeys = key.keys.map((part) => aminoJson(identity, part))
  return { type: MULTISIG_AMINO, value: { threshold: key.threshold.toString(), pubkeys } }
}

/** Returns the four bytes that identify a registered type in amino binary. */
export function aminoPrefix(name: string): Uint8Array {
  const skipZeros = (bytes: Uint8Array) => bytes.subarray(bytes.findIndex((byte) => byte !== 0))
  const hash = skipZeros(sha256(utf8(name)))
  return skipZeros(hash.subarray(3)).slice(0, 4)
}

/** Returns the amino binary of a key. Bounded by: the keys within a key. */
function aminoBinary(identity: Identity, key: PublicKey): Uint8Array {
  if (key.kind !== 'multisig') {
    const prefix = aminoPrefix(identity.toProfileAmino(KINDS[key.kind].aminoName))
    return concat(prefix, encodeVarint(key.key.length), key.key)
  }
  const parts = [aminoPrefix(MULTISIG_AMINO), Uint8Array.of(0x08), encodeVarint(key.threshold)]
  for (const part of key.keys) {
    const encoded = aminoBinary(identity, part)
    parts.push(Uint8Array.of(0x12), encodeVarint(encoded.length), encoded)
  }
  return join(parts)
}
