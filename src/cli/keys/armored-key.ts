/**
 * Private keys in the armor of the family: the key in amino, encrypted as Cosmos SDK v0.47 does (bcrypt, XSalsa20-Poly1305) or as
 * v0.50 does (Argon2id, ChaCha20-Poly1305). Both are read, and the first is written.
 */
import { randomBytes } from 'node:crypto'
import { chacha20poly1305 } from '@noble/ciphers/chacha.js'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { argon2idAsync } from '@noble/hashes/argon2.js'
import bcrypt from 'bcryptjs'
import type { Identity } from '../../identity/types.ts'
import { concat, formatHex, parseHex, utf8 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { formatArmor, parseArmor } from '../../sdk/armor.ts'
import { aminoPrefix } from '../../sdk/public-key.ts'
import { type Algorithm, parseAlgorithm } from './record.ts'

const TYPE = 'TENDERMINT PRIVATE KEY'
const SALT_BYTES = 16
const NONCE_BYTES = 24
const PREFIX_BYTES = 4
const KEY_BYTES = 32
/** Cost of bcrypt, and the parameters of Argon2id: those of the family, which its armor does not contain. */
const BCRYPT_COST = 12
const ARGON2 = { t: 1, m: 64 * 1024, p: 4, dkLen: 32 }
const MAX_PASSPHRASE_BYTES = 72

/** Names of the private keys in amino. */
const AMINO_NAMES: Readonly<Record<Algorithm, string>> = {
  secp256k1: 'tendermint/PrivKeySecp256k1',
  eth_secp256k1: 'chain/PubKeyEthSecp256k1',
}

export interface ImportedKey {
  readonly algorithm: Algorithm
  readonly privateKey: Uint8Array
}

export const isArmored = (text: string): boolean => text.trimStart().startsWith('-----BEGIN ')

/** Returns the key that bcrypt derives, 32 bytes. It reads the first 72 bytes of a passphrase. */
async function bcryptKey(passphrase: string, salt: Uint8Array): Promise<Uint8Array> {
  const text = `$2a$${BCRYPT_COST}$${bcrypt.encodeBase64([...salt] as never, SALT_BYTES)}`
  return sha256(utf8(await bcrypt.hash(passphrase, text)))
}

/** The amino prefix of a private key. An Ethereum key has the name of its public key in the profile, with `Priv` for `Pub`. */
function prefixOf({ toProfileAmino }: Identity, algorithm: Algorithm): Uint8Array {
  const name = toProfileAmino(AMINO_NAMES[algorithm])
  return aminoPrefix(algorithm === 'secp256k1' ? name : name.replace('/PubKey', '/PrivKey'))
}

/** Encrypts a private key as Cosmos SDK v0.47 does. Throws `invalidArgument` for a passphrase of which bcrypt reads only a part. */
export async function armorKey(
  identity: Identity,
  { algorithm, privateKey }: ImportedKey,
  passphrase: string,
): Promise<string> {
  if (utf8(passphrase).length > MAX_PASSPHRASE_BYTES) {
    throw queryError(
      'invalidArgument',
      `the passphrase must have at most ${MAX_PASSPHRASE_BYTES} bytes, which bcrypt reads`,
    )
  }
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)]
  const plain = concat(prefixOf(identity, algorithm), Uint8Array.of(KEY_BYTES), privateKey)
  const sealed = xsalsa20poly1305(await bcryptKey(passphrase, salt), nonce).encrypt(plain)
  const headers = { kdf: 'bcrypt', salt: formatHex(salt).toUpperCase(), type: algorithm }
  return formatArmor({ type: TYPE, headers, bytes: concat(nonce, sealed) })
}

/** Decrypts an armored key. Throws `invalidArgument` if the text is not one, `permissionDenied` for a wrong passphrase. */
export async function openArmoredKey(text: string, askPassphrase: () => Promise<string>): Promise<ImportedKey> {
  const { type, headers, bytes } = parseArmor(text)
  if (type !== TYPE) throw queryError('invalidArgument', `the armor holds a ${type}, not a ${TYPE}`)
  const algorithm = parseAlgorithm(headers['type'] ?? 'secp256k1')
  const salt = parseHex(headers['salt'] ?? '')
  const kdf = headers['kdf'] ?? ''
  if (salt?.length !== SALT_BYTES)
    throw queryError('invalidArgument', `the salt of the armor is not ${SALT_BYTES} bytes`)
  if (kdf !== 'bcrypt' && kdf !== 'argon2')
    throw queryError('invalidArgument', `the armor's kdf is ${kdf}: must be bcrypt or argon2`)
  const passphrase = await askPassphrase()
  const plain = await decrypt(kdf, passphrase, salt, bytes)
  if (plain.length !== PREFIX_BYTES + 1 + KEY_BYTES || plain[PREFIX_BYTES] !== KEY_BYTES)
    throw queryError('invalidArgument', 'the armor does not hold a private key of 32 bytes')
  return { algorithm, privateKey: plain.slice(PREFIX_BYTES + 1) }
}

async function decrypt(
  kdf: 'bcrypt' | 'argon2',
  passphrase: string,
  salt: Uint8Array,
  bytes: Uint8Array,
): Promise<Uint8Array> {
  try {
    if (kdf === 'bcrypt') {
      const key = await bcryptKey(passphrase, salt)
      return xsalsa20poly1305(key, bytes.subarray(0, NONCE_BYTES)).decrypt(bytes.subarray(NONCE_BYTES))
    }
    const key = await argon2idAsync(utf8(passphrase), salt, ARGON2)
    // Each export has a salt, and so a key, of its own: the family uses a nonce of zeros.
    return chacha20poly1305(key, new Uint8Array(12)).decrypt(bytes)
  } catch {
    throw queryError('permissionDenied', 'incorrect passphrase of the exported key')
  }
}
