/** ECDSA with recovery over secp256k1: libsecp256k1 if its prebuilt binary loads, else pure JavaScript (25 times slower). */
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
  /** Returns the public key (x and y, 64 bytes) of a private key. */
  publicKey(privateKey: Uint8Array): Uint8Array
}

type Bindings = Pick<typeof import('secp256k1'), 'ecdsaRecover' | 'ecdsaSign' | 'publicKeyCreate'>

function loadNative(): Secp256k1 | undefined {
  let bindings: Bindings
  try {
    // The package's main file has its own fallback, a slower library than ours.
    bindings = createRequire(import.meta.url)('secp256k1/bindings.js') as Bindings
  } catch {
    return undefined
  }
  return {
    recover(hash, signature, yParity) {
      return orUndefined(() => bindings.ecdsaRecover(signature, yParity, hash, false).subarray(1))
    },
    sign(hash, privateKey) {
      const { signature, recid } = bindings.ecdsaSign(hash, privateKey)
      return { bytes: signature, yParity: recid === 0 ? 0 : 1 }
    },
    publicKey: (privateKey) => bindings.publicKeyCreate(privateKey, false).subarray(1),
  }
}

/** Loads libsecp256k1; undefined if the package has no binary for the machine. */
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
  publicKey: (privateKey) => noble.getPublicKey(privateKey, false).subarray(1),
}

export const secp256k1: Secp256k1 = nativeSecp256k1 ?? pureSecp256k1
