/**
 * Keyrings of the family's tool, in their backends `test` and `file`: one JWE file `NAME.info` for each key, encrypted under a
 * passphrase (PBES2-HS256+A128KW, A256GCM), with the record of a key in protobuf. Sources: RFC 7516, RFC 7518 4.8, and
 * `cosmos.crypto.keyring.v1.Record` of Cosmos SDK 0.46 and later.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { compactDecrypt, errors } from 'jose'
import type { Identity } from '../../identity/types.ts'
import { readInputText } from '../../node/input-file.ts'
import { formatUtf8, parseBase64, utf8 } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import { type AnyValue, decodePublicKey, type PublicKey } from '../../sdk/public-key.ts'
import type { Algorithm } from './record.ts'

/** A key of such a keyring. */
export type FamilyKey =
  | { readonly name: string; readonly kind: 'local'; readonly algorithm: Algorithm; readonly privateKey: Uint8Array }
  /** Without a private key: another person's, or that of a device. */
  | { readonly name: string; readonly kind: 'public' | 'ledger'; readonly publicKey: PublicKey }

const SUFFIX = '.info'
const ALGORITHM = 'PBES2-HS256+A128KW'
const ENCRYPTION = 'A256GCM'
/** Bound of the work that a file can ask for. */
const MAX_ROUNDS = 10_000_000
/** Fields of a record, in the order of its definition. */
const FIELD = { name: 1, publicKey: 2, local: 3, ledger: 4, multi: 5, offline: 6 } as const

export const FAMILY_BACKENDS = ['file', 'test'] as const
export type FamilyBackend = (typeof FAMILY_BACKENDS)[number]

/** Returns the paths of the keys in a keyring, by name. Throws `notFound` for a home without such a keyring. */
export function listFamilyKeys(home: string, backend: FamilyBackend): readonly string[] {
  const folder = join(home, `keyring-${backend}`)
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(SUFFIX)) : []
  if (names.length === 0)
    throw queryError('notFound', `${folder} has no keys of the family's tool: there must be files NAME${SUFFIX}`)
  return names.sort((a, b) => (a < b ? -1 : 1)).map((name) => join(folder, name))
}

/** Opens the file of a key. Throws `permissionDenied` for a wrong passphrase, `invalidArgument` for any other file. */
export async function openFamilyKey(identity: Identity, path: string, passphrase: string): Promise<FamilyKey> {
  const fault = (reason: string): ChainError =>
    queryError('invalidArgument', `${path} is no key of the family's tool: ${reason}`)
  return parseRecord(identity, await decrypt(readInputText(path).trim(), passphrase, path, fault), fault)
}

type Fault = (reason: string) => ChainError

/** Decrypts the data of a keyring item. */
async function decrypt(text: string, passphrase: string, path: string, fault: Fault): Promise<Uint8Array> {
  if (text.split('.').length !== 5) throw fault('it is no JWE of five parts')
  let item: Uint8Array
  try {
    const options = {
      keyManagementAlgorithms: [ALGORITHM],
      contentEncryptionAlgorithms: [ENCRYPTION],
      maxPBES2Count: MAX_ROUNDS,
    }
    item = (await compactDecrypt(text, utf8(passphrase), options)).plaintext
  } catch (error) {
    if (error instanceof errors.JOSEError && !(error instanceof errors.JWEDecryptionFailed))
      throw fault(`it must be a JWE with ${ALGORITHM} and ${ENCRYPTION}: ${error.message}`)
    throw queryError('permissionDenied', `${path} does not open: the passphrase is incorrect, or the file was changed`)
  }
  const { Data: data } = parseJson(item, fault)
  const bytes = typeof data === 'string' ? parseBase64(data) : undefined
  if (!bytes) throw fault('it has no Data')
  return bytes
}

function parseJson(bytes: Uint8Array, fault: Fault): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(formatUtf8(bytes))
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>
  } catch {
    // Reported below, with other values that are no object.
  }
  throw fault('its content is no JSON object')
}

function parseRecord(identity: Identity, bytes: Uint8Array, fault: Fault): FamilyKey {
  const fields = fieldsOf(bytes)
  const named = fields?.get(FIELD.name)
  const packed = anyOf(fields?.get(FIELD.publicKey))
  if (!named || !packed)
    throw fault('its record is of a release before 0.46; `keys migrate` of the tool that wrote it converts it')
  const name = formatUtf8(named)
  const local = fields?.get(FIELD.local)
  if (!local) return { name, kind: fields?.has(FIELD.ledger) ? 'ledger' : 'public', publicKey: keyOf(identity, packed) }
  const secret = anyOf(fieldsOf(local)?.get(1))
  const algorithm = ALGORITHMS.find(([type]) => type.test(secret?.typeUrl ?? ''))?.[1]
  const privateKey = secret && fieldsOf(secret.value)?.get(1)
  if (!algorithm || privateKey?.length !== 32) throw fault(`its private key has type ${secret?.typeUrl ?? 'none'}`)
  return { name, kind: 'local', algorithm, privateKey }
}

/** Types of private keys, whose package depends on the chain. */
const ALGORITHMS: readonly (readonly [RegExp, Algorithm])[] = [
  [/\.ethsecp256k1\.PrivKey$/, 'eth_secp256k1'],
  [/\.secp256k1\.PrivKey$/, 'secp256k1'],
]

/** Returns a public key, whose type in the family can have the package of another chain. */
function keyOf(identity: Identity, packed: AnyValue): PublicKey {
  const isEthereum = /\.ethsecp256k1\.PubKey$/.test(packed.typeUrl)
  const typeUrl = isEthereum ? `/${identity.toProfileName('chain.crypto.v1.ethsecp256k1.PubKey')}` : packed.typeUrl
  return decodePublicKey(identity, { typeUrl, value: packed.value })
}

function anyOf(bytes: Uint8Array | undefined): AnyValue | undefined {
  const fields = bytes && fieldsOf(bytes)
  const typeUrl = fields?.get(1)
  return typeUrl && { typeUrl: formatUtf8(typeUrl), value: fields?.get(2) ?? new Uint8Array(0) }
}

/** Returns the fields of a message that have a length, by number; undefined for bytes that are no message. */
function fieldsOf(bytes: Uint8Array): ReadonlyMap<number, Uint8Array> | undefined {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, Uint8Array>()
  try {
    while (reader.pos < reader.len) {
      const [number, wire] = reader.tag()
      if (wire === 2) fields.set(number, reader.bytes())
      else reader.skip(wire, number)
    }
    return fields
  } catch {
    return undefined
  }
}
