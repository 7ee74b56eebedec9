/**
 * ECDSA over secp256k1: libsecp256k1 if a binary for the machine is there, from the build or from a package `secp256k1` that the
 * user installed, else pure JavaScript (25 times slower).
 */
import { createRequire } from 'node:module'
import { secp256k1 as noble } from '@noble/curves/secp256k1.js'
import { orUndefined } from '../../primitives/host-errors.ts'

/** The order of the group. */
export const SECP256K1_ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

interface RecoverableSignature {
  /** r and s, 32 bytes each; s is in the lower half. */
  readonly bytes: Uint8Array
  readonly yParity: 0 | 1
}

export interface Secp256k1 {
  /** Recovers the public key (x and y, 64 bytes) of a signature (r and s, 64 bytes) over a hash; undefined for an invalid signature. */
  recover(hash: Uint8Array, signature: Uint8Array, yParity: number): Uint8Array | undefined
  /** Signs deterministically (RFC 6979). Throws if the private key is not in 1 to order − 1. */
  sign(hash: Uint8Array, privateKey: Uint8Array): RecoverableSignature
  /** Whether a signature (r and s, 64 bytes) over a hash is of a compressed key (33 bytes), with s in the lower half. */
  verify(hash: Uint8Array, signature: Uint8Array, compressedKey: Uint8Array): boolean
  /** Returns the public key (x and y, 64 bytes) of a private key. */
  publicKey(privateKey: Uint8Array): Uint8Array
  /** Returns the compressed public key (33 bytes) of a private key. */
  compressedKey(privateKey: Uint8Array): Uint8Array
  /** Returns x and y (64 bytes) of a compressed key; undefined if it is not a point of the curve. */
  uncompress(compressedKey: Uint8Array): Uint8Array | undefined
}

type Bindings = Pick<
  typeof import('secp256k1'),
  'ecdsaRecover' | 'ecdsaSign' | 'ecdsaVerify' | 'publicKeyCreate' | 'publicKeyConvert'
>

function loadBindings(): Bindings | undefined {
  const load = createRequire(import.meta.url)
  // The main file of the package has its own fallback, a slower library than ours.
  for (const name of ['#build/secp256k1/bindings.cjs', 'secp256k1/bindings.js']) {
    try {
      return load(name) as Bindings
    } catch {
      // Neither has a binary for every machine.
    }
  }
  return undefined
}

function loadNative(): Secp256k1 | undefined {
  const bindings = loadBindings()
  if (!bindings) return undefined
  return {
    recover(hash, signature, yParity) {
      return orUndefined(() => bindings.ecdsaRecover(signature, yParity, hash, false).subarray(1))
    },
    sign(hash, privateKey) {
      const { signature, recid } = bindings.ecdsaSign(hash, privateKey)
      return { bytes: signature, yParity: recid === 0 ? 0 : 1 }
    },
    verify: (hash, signature, key) => orUndefined(() => bindings.ecdsaVerify(signature, hash, key)) ?? false,
    publicKey: (privateKey) => bindings.publicKeyCreate(privateKey, false).subarray(1),
    compressedKey: (privateKey) => bindings.publicKeyCreate(privateKey, true),
    uncompress: (key) => orUndefined(() => bindings.publicKeyConvert(key, false).slice(1)),
  }
}

/** Loads libsecp256k1; undefined without a binary for the machine. */
export const nativeSecp256k1: Secp256k1 | undefined = loadNative()

export const pureSecp256k1: Secp256k1 = {
  recover(hash, signature, yParity) {
    const recovered = new Uint8Array(65)
    recovered[0] = yParity
    recovered.set(signature, 1)
    return orUndefined(() => {
      const point = noble.Point.fromBytes(noble.recoverPublicKey(recovered, hash, { prehash: false }))
      return point.toBytes(false).subarray(1)
    })
  },
  sign(hash, privateKey) {
    const recovered = noble.sign(hash, privateKey, { prehash: false, format: 'recovered' })
    return { bytes: recovered.slice(1), yParity: recovered[0] === 0 ? 0 : 1 }
  },
  verify(hash, signature, key) {
    return orUndefined(() => noble.verify(signature, hash, key, { prehash: false, lowS: true })) ?? false
  },
  publicKey: (privateKey) => noble.getPublicKey(privateKey, false).subarray(1),
  compressedKey: (privateKey) => noble.getPublicKey(privateKey, true),
  uncompress: (key) => orUndefined(() => noble.Point.fromBytes(key).toBytes(false).slice(1)),
}

export const secp256k1: Secp256k1 = nativeSecp256k1 ?? pureSecp256k1
