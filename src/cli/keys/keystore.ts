/** Private keys in Web3 secret storage, version 3: the JSON files of Ethereum's wallets, with scrypt or PBKDF2. */
import { createCipheriv, createDecipheriv, pbkdf2Sync, randomBytes, randomUUID, scryptSync } from 'node:crypto'
import { ofEthSecp256k1 } from '../../primitives/address.ts'
import { concat, equal, formatHex, hex, parseHex } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { publicKeyOf, uncompressSecp256k1 } from '../../sdk/crypto.ts'

const SCRYPT = { dklen: 32, n: 1 << 17, r: 8, p: 1 }
const CIPHER = 'aes-128-ctr'
/** Bounds of what a file can ask for, so that opening it takes bounded time and memory. */
const MAX_SCRYPT_N = 1 << 20
const MAX_PBKDF2_ROUNDS = 10_000_000

type Json = Readonly<Record<string, unknown>>

interface Keystore {
  readonly cipherText: Uint8Array
  readonly iv: Uint8Array
  readonly mac: Uint8Array
  readonly derive: (passphrase: string) => Uint8Array
}

const objectOf = (value: unknown): Json => (typeof value === 'object' && value !== null ? (value as Json) : {})

/** Whether a JSON value is a file of this kind, of any version. */
export const isKeystore = (value: unknown): boolean => {
  const { crypto, Crypto, version } = objectOf(value)
  return version !== undefined && (crypto !== undefined || Crypto !== undefined)
}

const fault = (reason: string): ChainError => queryError('invalidArgument', `the Web3 secret storage ${reason}`)

function bytesAt(place: Json, name: string, length?: number): Uint8Array {
  const value = place[name]
  const bytes = typeof value === 'string' ? parseHex(value) : undefined
  if (!bytes || (length !== undefined && bytes.length !== length)) throw fault(`has no valid ${name}`)
  return bytes
}

function countAt(place: Json, name: string, max: number): number {
  const value = place[name]
  if (!Number.isInteger(value) || Number(value) < 1 || Number(value) > max)
    throw fault(`has no ${name} from 1 to ${max}`)
  return Number(value)
}

function parse(file: unknown): Keystore {
  const { version, ...rest } = objectOf(file)
  if (version !== 3) throw fault(`has version ${String(version)}: must be 3`)
  const crypto = objectOf(rest['crypto'] ?? rest['Crypto'])
  if (crypto['cipher'] !== CIPHER) throw fault(`has cipher ${String(crypto['cipher'])}: must be ${CIPHER}`)
  return {
    cipherText: bytesAt(crypto, 'ciphertext', 32),
    iv: bytesAt(objectOf(crypto['cipherparams']), 'iv', 16),
    mac: bytesAt(crypto, 'mac', 32),
    derive: derivation(crypto['kdf'], objectOf(crypto['kdfparams'])),
  }
}

function derivation(kdf: unknown, params: Json): Keystore['derive'] {
  const salt = bytesAt(params, 'salt')
  const length = countAt(params, 'dklen', 64)
  if (length < 32) throw fault('has a dklen below 32')
  if (kdf === 'scrypt') {
    const [N, r, p] = [countAt(params, 'n', MAX_SCRYPT_N), countAt(params, 'r', 32), countAt(params, 'p', 16)]
    if (N < 2 || !Number.isInteger(Math.log2(N))) throw fault('has an n that is not a power of two')
    return (passphrase) => scryptSync(passphrase.normalize('NFKC'), salt, length, { N, r, p, maxmem: 256 * N * r })
  }
  if (kdf !== 'pbkdf2') throw fault(`has kdf ${String(kdf)}: must be scrypt or pbkdf2`)
  if (params['prf'] !== 'hmac-sha256') throw fault(`has prf ${String(params['prf'])}: must be hmac-sha256`)
  const rounds = countAt(params, 'c', MAX_PBKDF2_ROUNDS)
  return (passphrase) => pbkdf2Sync(passphrase.normalize('NFKC'), salt, rounds, length, 'sha256')
}

/** Decrypts a file. Throws `invalidArgument` with what is wrong in it, `permissionDenied` for a wrong passphrase. */
export async function openKeystore(file: unknown, askPassphrase: () => Promise<string>): Promise<Uint8Array> {
  const { cipherText, iv, mac, derive } = parse(file)
  const key = derive(await askPassphrase())
  if (!equal(keccak256(concat(key.subarray(16, 32), cipherText)), mac))
    throw queryError('permissionDenied', 'incorrect passphrase of the exported key')
  const decipher = createDecipheriv(CIPHER, key.subarray(0, 16), iv)
  return concat(decipher.update(cipherText), decipher.final())
}

/** Encrypts a private key of an Ethereum account. */
export function formatKeystore(privateKey: Uint8Array, passphrase: string): string {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const { n: N, r, p, dklen } = SCRYPT
  const key = scryptSync(passphrase.normalize('NFKC'), salt, dklen, { N, r, p, maxmem: 256 * N * r })
  const cipher = createCipheriv(CIPHER, key.subarray(0, 16), iv)
  const cipherText = concat(cipher.update(privateKey), cipher.final())
  const file = {
    version: 3,
    id: randomUUID(),
    address: formatHex(ofEthSecp256k1(uncompressSecp256k1(publicKeyOf(privateKey)) ?? hex(''))),
    crypto: {
      cipher: CIPHER,
      cipherparams: { iv: formatHex(iv) },
      ciphertext: formatHex(cipherText),
      kdf: 'scrypt',
      kdfparams: { ...SCRYPT, salt: formatHex(salt) },
      mac: formatHex(keccak256(concat(key.subarray(16, 32), cipherText))),
    },
  }
  return JSON.stringify(file, null, 2)
}
