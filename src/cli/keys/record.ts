/** Keys of a keyring as commands see them, and the files that store them. */
import type { Identity } from '../../identity/types.ts'
import { readInputText } from '../../node/input-file.ts'
import { ofEthSecp256k1, ofSecp256k1 } from '../../primitives/address.ts'
import { formatHex, hex, parseHex } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { uncompressSecp256k1 } from '../../sdk/crypto.ts'
import { addressOf, type MultisigKey, type SimpleKey } from '../../sdk/public-key.ts'
import { isSealed, type Sealed } from './sealed.ts'

export type Algorithm = 'secp256k1' | 'eth_secp256k1'

/** The place of a private key: the keyring, another program that signs, or nowhere that this program knows. */
type KeyPlace = 'local' | 'external' | 'offline'

export interface KeyRecord {
  readonly place: KeyPlace
  readonly name: string
  readonly algorithm: Algorithm
  /** Compressed, 33 bytes. */
  readonly publicKey: Uint8Array
  /** 20 bytes. */
  readonly address: Uint8Array
  /** URL of the program that signs, of a key in place `external`. */
  readonly signer?: string
}

/** A key whose signatures are those of several members. */
interface MultisigRecord {
  readonly place: 'multi'
  readonly name: string
  readonly algorithm: 'multisig'
  readonly key: MultisigKey
  /** 20 bytes. */
  readonly address: Uint8Array
}

export type AnyRecord = KeyRecord | MultisigRecord

/** A member of a multisig in a key file. */
interface MemberFile {
  readonly algorithm: Algorithm
  readonly public_key: string
}

/** The content of a key file: the public part, and the secret or the way to it. */
export interface KeyFile {
  readonly name: string
  readonly algorithm: Algorithm | 'multisig'
  readonly public_key?: string
  readonly threshold?: number
  readonly members?: readonly MemberFile[]
  /** Address of a multisig, which depends on the names of a profile. */
  readonly address?: string
  /** The secret encrypted under the passphrase of the keyring. */
  readonly sealed?: Sealed
  /** The private key in the clear, and the mnemonic if it is known. */
  readonly private_key?: string
  readonly mnemonic?: string
  /** Name of the secret in another program's store. */
  readonly entry?: string
  /** URL of the program that signs. */
  readonly signer?: string
  readonly offline?: true
}

/** Parses the name of a key algorithm. Throws `invalidArgument` for any other text. */
export function parseAlgorithm(text: string): Algorithm {
  if (isAlgorithm(text)) return text
  throw queryError('invalidArgument', `unknown key algorithm ${text}: must be secp256k1 or eth_secp256k1`)
}

const isAlgorithm = (value: unknown): value is Algorithm => value === 'secp256k1' || value === 'eth_secp256k1'

/**
 * Returns the address of a public key under the rule of its algorithm, 20 bytes. Throws `invalidArgument` if the key is not on
 * the curve.
 */
export function addressOfKey(algorithm: Algorithm, publicKey: Uint8Array): Uint8Array {
  const uncompressed = uncompressSecp256k1(publicKey)
  if (!uncompressed) throw queryError('invalidArgument', 'not a secp256k1 public key')
  return algorithm === 'secp256k1' ? ofSecp256k1(publicKey) : ofEthSecp256k1(uncompressed)
}

const KINDS = { secp256k1: 'secp256k1', eth_secp256k1: 'ethSecp256k1' } as const

/** Returns a key of the keyring in the form of the chain. */
export function publicKeyOfRecord(record: AnyRecord): SimpleKey | MultisigKey {
  if (record.place === 'multi') return record.key
  return { kind: KINDS[record.algorithm], key: record.publicKey }
}

const PUBLIC_KEY_BYTES = 33
const PRIVATE_KEY_BYTES = 32
const ADDRESS_BYTES = 20

/** Reads a key file. Throws `failedPrecondition` that names the file if it is not a key. */
export function readKeyFile(path: string): KeyFile {
  const fault = (reason: string) =>
    queryError('failedPrecondition', `${path} is not a key file (${reason}): restore it from a backup, or remove it`)
  let file: Partial<KeyFile> | null
  try {
    file = JSON.parse(readInputText(path)) as Partial<KeyFile> | null
  } catch (error) {
    throw error instanceof SyntaxError ? fault(error.message) : error
  }
  const reason = faultOf(file)
  if (reason !== undefined) throw fault(reason)
  return file as KeyFile
}

function faultOf(file: Partial<KeyFile> | null): string | undefined {
  if (typeof file?.name !== 'string') return 'no name'
  if (file.algorithm === 'multisig') {
    const { members, threshold } = file
    if (!Array.isArray(members) || !members.every(isMember)) return 'no members'
    if (lengthOf(file.address) !== ADDRESS_BYTES) return 'no address'
    const isReachable = Number.isInteger(threshold) && Number(threshold) >= 1 && Number(threshold) <= members.length
    return isReachable ? undefined : 'no threshold that its members can reach'
  }
  if (!isAlgorithm(file.algorithm)) return 'unknown algorithm'
  if (lengthOf(file.public_key) !== PUBLIC_KEY_BYTES) return 'no public key'
  if (file.offline === true || typeof file.signer === 'string' || typeof file.entry === 'string') return undefined
  const isReadable =
    file.sealed === undefined ? lengthOf(file.private_key) === PRIVATE_KEY_BYTES : isSealed(file.sealed)
  return isReadable ? undefined : 'no private key, or unsupported encryption'
}

const lengthOf = (text: unknown): number | undefined => (typeof text === 'string' ? parseHex(text)?.length : undefined)

const isMember = (member: Partial<MemberFile> | null): boolean =>
  isAlgorithm(member?.algorithm) && lengthOf(member?.public_key) === PUBLIC_KEY_BYTES

/** Returns the key that a file stores. */
export function recordOf(file: KeyFile): AnyRecord {
  const { name, algorithm } = file
  if (algorithm === 'multisig') {
    const key = multisigOf(file.threshold ?? 0, file.members ?? [])
    return { place: 'multi', name, algorithm, key, address: hex(file.address ?? '') }
  }
  const publicKey = hex(file.public_key ?? '')
  const place = file.signer !== undefined ? 'external' : file.offline ? 'offline' : 'local'
  return {
    place,
    name,
    algorithm,
    publicKey,
    address: addressOfKey(algorithm, publicKey),
    ...(file.signer !== undefined && { signer: file.signer }),
  }
}

function multisigOf(threshold: number, members: readonly MemberFile[]): MultisigKey {
  const keys = members.map(({ algorithm, public_key }) => ({ kind: KINDS[algorithm], key: hex(public_key) }))
  return { kind: 'multisig', threshold, keys }
}

/** Returns the key file of a multisig of keys in a keyring. */
export function multisigFile(
  identity: Identity,
  name: string,
  threshold: number,
  members: readonly KeyRecord[],
): KeyFile {
  const files = members.map(({ algorithm, publicKey }) => ({ algorithm, public_key: formatHex(publicKey) }))
  const address = formatHex(addressOf(identity, multisigOf(threshold, files)))
  return { name, algorithm: 'multisig', threshold, members: files, address }
}
