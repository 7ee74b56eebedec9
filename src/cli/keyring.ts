/** The keys of a home: one file for each, beside the secret or the way to it. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { diskFiles } from '../node/files.ts'
import { equal, formatHex, hex } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import { publicKeyOf } from '../sdk/crypto.ts'
import { type Algorithm, type AnyRecord, type KeyFile, type KeyRecord, readKeyFile, recordOf } from './keys/record.ts'
import { unseal } from './keys/sealed.ts'
import {
  clearSecrets,
  externalSecrets,
  type KeyringBackend,
  passStore,
  type Secret,
  type SecretStore,
  sealedSecrets,
  systemStore,
} from './keys/secret-stores.ts'

export interface Keyring {
  list(): readonly AnyRecord[]
  /** Returns the key of a name, or that of an address if one is given. Throws `notFound`. */
  find(name: string, address?: Uint8Array): AnyRecord
  /**
   * Stores a key, and the mnemonic that it was derived from if it is given. Throws `alreadyExists` for a name in use,
   * `invalidArgument` for an invalid name or key.
   */
  add(name: string, algorithm: Algorithm, privateKey: Uint8Array, mnemonic?: string): Promise<KeyRecord>
  /** Stores a key without a secret. Throws as `add` does. */
  addPublic(file: KeyFile): AnyRecord
  /** Returns the private key, 32 bytes, and its mnemonic. Throws `permissionDenied` for a wrong passphrase. */
  secret(name: string): Promise<Secret>
  /** Returns the private key, 32 bytes. Throws `permissionDenied` for a wrong passphrase. */
  privateKey(name: string): Promise<Uint8Array>
  rename(name: string, to: string): void
  delete(name: string): void
}

export interface KeyringOptions {
  readonly home: string
  readonly backend: KeyringBackend
  /** Returns the passphrase. Called at most once; `isNew` if the keyring has no keys yet. */
  readonly askPassphrase: (isNew: boolean) => Promise<string>
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/

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

  /** Returns the passphrase of the keyring, verified against its first encrypted key if it has one. */
  const unlock = async (): Promise<string> => {
    const first = readAll().find(({ sealed }) => sealed)
    passphrase ??= askPassphrase(first === undefined)
    const text = await passphrase
    if (first?.sealed) unseal(text, first.sealed, hex(first.public_key ?? ''), 'keyring')
    return text
  }
  const secrets = secretStore(backend, unlock)

  const requireFree = (name: string) => {
    if (existsSync(pathOf(name)))
      throw queryError('alreadyExists', `a key named ${name} already exists: use another name, or delete it first`)
  }
  const write = (file: KeyFile) => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    diskFiles.write(pathOf(file.name), `${JSON.stringify(file, null, 2)}\n`, { secret: true, durable: true })
  }
  const readSecret = async (name: string): Promise<Secret> => {
    const file = readOne(name)
    const { place } = recordOf(file)
    if (place !== 'local')
      throw queryError('failedPrecondition', `the keyring has no private key of ${name}, which is ${place}`)
    if (!diskFiles.isPrivate(pathOf(name))) {
      throw queryError(
        'permissionDenied',
        `other users can read ${pathOf(name)}: chmod 600 ${pathOf(name)}, and use a new key if they are not trusted`,
      )
    }
    return await secrets.get(file)
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
    async add(name, algorithm, privateKey, mnemonic) {
      requireFree(name)
      const publicKey = publicKeyOfSecret(privateKey)
      const place = await secrets.put(name, { privateKey, ...(mnemonic && { mnemonic }) }, publicKey)
      const file: KeyFile = { name, algorithm, public_key: formatHex(publicKey), ...place }
      write(file)
      return recordOf(file) as KeyRecord
    },
    addPublic(file) {
      requireFree(file.name)
      write(file)
      return recordOf(file)
    },
    secret: readSecret,
    privateKey: async (name) => (await readSecret(name)).privateKey,
    rename(name, to) {
      const file = readOne(name)
      requireFree(to)
      write({ ...file, name: to })
      rmSync(pathOf(name))
    },
    delete(name) {
      secrets.remove(readOne(name))
      rmSync(pathOf(name))
    },
  }
}

function secretStore(backend: KeyringBackend, unlock: () => Promise<string>): SecretStore {
  switch (backend) {
    case 'file':
      return sealedSecrets(unlock)
    case 'test':
      return clearSecrets
    case 'os':
      return externalSecrets(systemStore)
    case 'pass':
      return externalSecrets(passStore)
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
