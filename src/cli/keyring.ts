/** Keys stored in a home: one file for each key, encrypted under a passphrase, or in the clear for development chains. */
import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { diskFiles } from '../node/files.ts'
import { ofEthSecp256k1, ofSecp256k1 } from '../primitives/address.ts'
import { concat, equal, formatHex, hex, parseHex } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { publicKeyOf, uncompressSecp256k1 } from '../sdk/crypto.ts'

export type Algorithm = 'secp256k1' | 'eth_secp256k1'
export type KeyringBackend = 'file' | 'test'

export interface KeyRecord {
  readonly name: string
  readonly algorithm: Algorithm
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array
  /** 20 bytes. */
  readonly address: Uint8Array
}

export interface Keyring {
  list(): readonly KeyRecord[]
  /** Returns the key of a name, or that of an address if one is given. Throws `notFound`. */
  find(name: string, address?: Uint8Array): KeyRecord
  /** Stores a key. Throws `alreadyExists` for a name in use, `invalidArgument` for an invalid name or key. */
  add(name: string, algorithm: Algorithm, privateKey: Uint8Array): Promise<KeyRecord>
  /** Returns the private key, 32 bytes. Throws `permissionDenied` for a wrong passphrase. */
  privateKey(name: string): Promise<Uint8Array>
  delete(name: string): void
}

export interface KeyringOptions {
  readonly home: string
  readonly backend: KeyringBackend
  /** Returns the passphrase. Called at most once; `isNew` if the keyring has no keys yet. */
  readonly askPassphrase: (isNew: boolean) => Promise<string>
}

/** A private key encrypted under a passphrase with scrypt and AES-256-GCM. Bytes are hexadecimal text. */
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

interface KeyFile {
  readonly name: string
  readonly algorithm: Algorithm
  readonly public_key: string
  readonly sealed?: Sealed
  readonly private_key?: string
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/
const SCRYPT = { n: 32_768, r: 8, p: 1 }
const MAX_SCRYPT_N = 1 << 20

/** Parses the name of a key algorithm. Throws `invalidArgument` for any other text. */
export function parseAlgorithm(text: string): Algorithm {
  if (text === 'secp256k1' || text === 'eth_secp256k1') return text
  throw queryError('invalidArgument', `unknown key algorithm ${text}: must be secp256k1 or eth_secp256k1`)
}

/**
 * Returns the address of a public key under the rule of its algorithm, 20 bytes. Throws `invalidArgument` if the key is not on
 * the curve.
 */
function addressOfKey(algorithm: Algorithm, publicKey: Uint8Array): Uint8Array {
  if (algorithm === 'secp256k1') return ofSecp256k1(publicKey)
  const uncompressed = uncompressSecp256k1(publicKey)
  if (!uncompressed) throw queryError('invalidArgument', 'not a secp256k1 public key')
  return ofEthSecp256k1(uncompressed)
}

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
function isSealed(value: unknown): value is Sealed {
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

/** Decrypts a sealed secret. Throws `permissionDenied` for a wrong passphrase or a modified file. */
function unseal(passphrase: string, sealed: Sealed, publicKey: Uint8Array): Uint8Array {
  const key = derive(passphrase, hex(sealed.salt), sealed)
  const decipher = createDecipheriv('aes-256-gcm', key, hex(sealed.iv), { authTagLength: 16 })
  decipher.setAAD(publicKey).setAuthTag(hex(sealed.tag))
  try {
    return concat(decipher.update(hex(sealed.ciphertext)), decipher.final())
  } catch {
    throw queryError('permissionDenied', 'incorrect passphrase')
  }
}

const LENGTH = { privateKey: 32, publicKey: 33 }

/** Reads a key file. Throws `failedPrecondition` that names the file if it is not a key. */
function readKeyFile(path: string): KeyFile {
  const fault = (reason: string) =>
    queryError('failedPrecondition', `${path} is not a key file (${reason}): restore it from a backup, or remove it`)
  let file: Partial<KeyFile> | null
  try {
    file = JSON.parse(readFileSync(path, 'utf8')) as Partial<KeyFile> | null
  } catch (error) {
    throw error instanceof SyntaxError ? fault(error.message) : error
  }
  const lengthOf = (text: unknown) => (typeof text === 'string' ? parseHex(text)?.length : undefined)
  if (typeof file?.name !== 'string') throw fault('no name')
  if (file.algorithm !== 'secp256k1' && file.algorithm !== 'eth_secp256k1') throw fault('unknown algorithm')
  if (lengthOf(file.public_key) !== LENGTH.publicKey) throw fault('no public key')
  if (file.sealed === undefined ? lengthOf(file.private_key) !== LENGTH.privateKey : !isSealed(file.sealed)) {
    throw fault('no private key, or unsupported encryption')
  }
  return file as KeyFile
}

/** Opens the keyring of a home. Its folder is created with the first key, readable by its owner only. */
export function createKeyring({ home, backend, askPassphrase }: KeyringOptions): Keyring {
  const folder = join(home, `keyring-${backend}`)
  const pathOf = (name: string) => join(folder, `${checkName(name)}.json`)
  let passphrase: Promise<string> | undefined

  const readAll = () =>
    existsSync(folder)
      ? readdirSync(folder)
          .filter((file) => file.endsWith('.json'))
          .sort((a, b) => (a < b ? -1 : 1))
          .map((file) => readKeyFile(join(folder, file)))
      : []
  const readOne = (name: string) => {
    if (!existsSync(pathOf(name)))
      throw queryError('notFound', `no key named ${name} in the ${backend} keyring of ${home}`)
    return readKeyFile(pathOf(name))
  }

  /** Returns the passphrase of the keyring, verified against its first key if it has one. */
  const unlock = async (): Promise<string> => {
    const [first] = readAll()
    passphrase ??= askPassphrase(first === undefined)
    const text = await passphrase
    if (first?.sealed) unseal(text, first.sealed, hex(first.public_key))
    return text
  }

  return {
    list: () => readAll().map(recordOf),
    find(name, address) {
      if (!address) return recordOf(readOne(name))
      const found = readAll()
        .map(recordOf)
        .find((record) => equal(record.address, address))
      if (!found) throw queryError('notFound', `no key with address ${name} in the ${backend} keyring of ${home}`)
      return found
    },
    async add(name, algorithm, privateKey) {
      if (existsSync(pathOf(name)))
        throw queryError('alreadyExists', `a key named ${name} already exists: use another name, or delete it first`)
      const publicKey = publicKeyOfSecret(privateKey)
      const secret =
        backend === 'test'
          ? { private_key: formatHex(privateKey) }
          : { sealed: seal(await unlock(), privateKey, publicKey) }
      const file: KeyFile = { name, algorithm, public_key: formatHex(publicKey), ...secret }
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      diskFiles.write(pathOf(name), `${JSON.stringify(file, null, 2)}\n`, { secret: true, durable: true })
      return recordOf(file)
    },
    async privateKey(name) {
      const file = readOne(name)
      return file.sealed ? unseal(await unlock(), file.sealed, hex(file.public_key)) : hex(file.private_key ?? '')
    },
    delete(name) {
      readOne(name)
      rmSync(pathOf(name))
    },
  }
}

function checkName(name: string): string {
  if (!NAME.test(name))
    throw queryError(
      'invalidArgument',
      `${JSON.stringify(name)} cannot be the name of a key: use 1 to 64 letters, digits, _ . or -, with a letter or digit first`,
    )
  return name
}

function publicKeyOfSecret(privateKey: Uint8Array): Uint8Array {
  try {
    return publicKeyOf(privateKey)
  } catch {
    throw queryError('invalidArgument', 'not a secp256k1 private key')
  }
}

function recordOf({ name, algorithm, public_key }: KeyFile): KeyRecord {
  const publicKey = hex(public_key)
  return { name, algorithm, publicKey, address: addressOfKey(algorithm, publicKey) }
}

/** Formats an exported key, as `keys export` prints and `keys import` reads it. */
export function formatExport(record: KeyRecord, sealed: Sealed): string {
  const { algorithm, publicKey } = record
  return JSON.stringify({ format: 'almanac-key-1', algorithm, public_key: formatHex(publicKey), sealed }, null, 2)
}

/** Decrypts an exported key. Throws `invalidArgument` if the text is not one, `permissionDenied` for a wrong passphrase. */
export async function parseExport(
  text: string,
  askPassphrase: () => Promise<string>,
): Promise<{ readonly algorithm: Algorithm; readonly privateKey: Uint8Array }> {
  let parsed: { format?: unknown; algorithm?: unknown; public_key?: unknown; sealed?: unknown } | null
  try {
    parsed = JSON.parse(text) as typeof parsed
  } catch {
    throw queryError('invalidArgument', 'the file is not an exported key')
  }
  const publicKey = parseHex(String(parsed?.public_key))
  if (parsed?.format !== 'almanac-key-1' || !publicKey) {
    throw queryError('invalidArgument', 'the file is not an exported key')
  }
  const algorithm = parseAlgorithm(String(parsed.algorithm))
  if (!isSealed(parsed.sealed)) {
    throw queryError('invalidArgument', 'the exported key uses an encryption that this build does not support')
  }
  return { algorithm, privateKey: unseal(await askPassphrase(), parsed.sealed, publicKey) }
}
