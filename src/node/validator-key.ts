/** The ed25519 key that signs this node's blocks, and its file in CometBFT's format. */
import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { ofEd25519 } from '../primitives/address.ts'
import { concat, formatBase64, formatHex, hex, utf8 } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { sha256 } from '../primitives/hash.ts'

export interface ValidatorKey {
  /** 32 bytes. */
  readonly seed: Uint8Array
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** Consensus address, 20 bytes. */
  readonly address: Uint8Array
  sign(message: Uint8Array): Uint8Array
}

/** PKCS #8 of an ed25519 key: this prefix and the seed. */
const PKCS8_PREFIX = hex('302e020100300506032b657004220420')
const SPKI_PREFIX_LENGTH = 12

/** Returns the key of a seed of 32 bytes. */
export function validatorKeyOf(seed: Uint8Array): ValidatorKey {
  const key: KeyObject = createPrivateKey({
    key: Buffer.from(concat(PKCS8_PREFIX, seed)),
    format: 'der',
    type: 'pkcs8',
  })
  const spki = createPublicKey(key).export({ format: 'der', type: 'spki' })
  const publicKey = new Uint8Array(spki.subarray(SPKI_PREFIX_LENGTH))
  return {
    seed,
    publicKey,
    address: ofEd25519(publicKey),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  }
}

/** Derives the key of a chain without a home, or of a validator after the first, from the mnemonic and the chain id. */
export function derivedValidatorKey(mnemonic: string, chainId: string, index = 0): ValidatorKey {
  const which = index === 0 ? 'validator key' : `validator key ${index}`
  return validatorKeyOf(sha256(utf8(`${which} of ${chainId}\n${mnemonic}`)))
}

/** Returns the text of `priv_validator_key.json`. */
export function formatValidatorKey({ seed, publicKey, address }: ValidatorKey): string {
  const file = {
    address: formatHex(address).toUpperCase(),
    pub_key: { type: 'tendermint/PubKeyEd25519', value: formatBase64(publicKey) },
    priv_key: { type: 'tendermint/PrivKeyEd25519', value: formatBase64(concat(seed, publicKey)) },
  }
  return `${JSON.stringify(file, null, 2)}\n`
}

/** Parses `priv_validator_key.json`. Throws `failedPrecondition` if the text contains no key. */
export const parseValidatorKey = (text: string, path: string): ValidatorKey =>
  parseEngineKey(text, path, 'validator key')

/** Parses a file with an ed25519 key as CometBFT writes it. Throws `failedPrecondition` that names the kind of key. */
export function parseEngineKey(text: string, path: string, kind: string): ValidatorKey {
  try {
    const value = (JSON.parse(text) as { priv_key?: { value?: unknown } } | null)?.priv_key?.value
    if (typeof value !== 'string') throw new Error('priv_key.value is missing')
    const bytes = new Uint8Array(Buffer.from(value, 'base64'))
    if (bytes.length !== 64) throw new Error(`private key has ${bytes.length} bytes, must have 64`)
    return validatorKeyOf(bytes.slice(0, 32))
  } catch (error) {
    throw queryError('failedPrecondition', `${path} contains no ${kind}: ${(error as Error).message}`)
  }
}
