/** Secrets encrypted under a passphrase with scrypt and AES-256-GCM, as key files and older exports contain them. */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { concat, formatHex, hex, parseHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'

/** A secret encrypted under a passphrase. Bytes are hexadecimal text. */
export interface Sealed {
  readonly kdf: 'scrypt'
  readonly n: number
  readonly r: number
  readonly p: number
  readonly salt: string
  readonly cipher: 'aes-256-gcm'
  readonly iv: string
  readonly tag: string
  readonly ciphertext: string
}

const SCRYPT = { n: 32_768, r: 8, p: 1 }
const MAX_SCRYPT_N = 1 << 20

function derive(passphrase: string, salt: Uint8Array, { n, r, p }: Pick<Sealed, 'n' | 'r' | 'p'>): Buffer {
  return scryptSync(passphrase.normalize('NFKC'), salt, 32, { N: n, r, p, maxmem: 256 * n * r })
}

/** Encrypts a secret and authenticates the public key with it: `unseal` fails if the two do not belong together. */
export function seal(passphrase: string, secret: Uint8Array, publicKey: Uint8Array): Sealed {
  const salt = randomBytes(16)
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', derive(passphrase, salt, SCRYPT), iv).setAAD(publicKey)
  const ciphertext = concat(cipher.update(secret), cipher.final())
  return {
    kdf: 'scrypt',
    ...SCRYPT,
    salt: formatHex(salt),
    cipher: 'aes-256-gcm',
    iv: formatHex(iv),
    tag: formatHex(cipher.getAuthTag()),
    ciphertext: formatHex(ciphertext),
  }
}

/**
 * Whether a value is a sealed key that this build supports, with bounded scrypt parameters so that opening it takes bounded
 * time.
 */
export function isSealed(value: unknown): value is Sealed {
  const { kdf, n, r, p, salt, cipher, iv, tag, ciphertext } = (value ?? {}) as Readonly<Record<string, unknown>>
  const isNumber = (number: unknown, max: number) =>
    Number.isInteger(number) && Number(number) > 0 && Number(number) <= max
  const isPowerOfTwo = isNumber(n, MAX_SCRYPT_N) && Number(n) > 1 && Number.isInteger(Math.log2(Number(n)))
  const isHex = (text: unknown, length?: number) => {
    const bytes = typeof text === 'string' ? parseHex(text) : undefined
    return bytes !== undefined && (length === undefined || bytes.length === length)
  }
  return (
    kdf === 'scrypt' &&
    cipher === 'aes-256-gcm' &&
    isPowerOfTwo &&
    isNumber(r, 32) &&
    isNumber(p, 16) &&
    isHex(salt) &&
    isHex(iv, 12) &&
    isHex(tag, 16) &&
    isHex(ciphertext)
  )
}

/** The secret that a passphrase opens. */
type Subject = 'keyring' | 'exported key'

/** Decrypts a secret of a subject. Throws `permissionDenied`, which names the subject, for a wrong passphrase or a modified file. */
export function unseal(passphrase: string, sealed: Sealed, publicKey: Uint8Array, subject: Subject): Uint8Array {
  const key = derive(passphrase, hex(sealed.salt), sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, hex(sealed.iv), { authTagLength: 16 })
  decipher.setAAD(publicKey).setAuthTag(hex(sealed.tag))
  try {
    return concat(decipher.update(hex(sealed.ciphertext)), decipher.final())
  } catch {
    throw queryError('permissionDenied', `incorrect passphrase of the ${subject}`)
  }
}
