/** The backends of a keyring: where the secret of each key lies. Key files always hold the public part. */

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { createRequire } from 'node:module'
import { concat, formatHex, formatUtf8, hex, utf8 } from '../../primitives/bytes.ts'
import { type ChainError, queryError } from '../../primitives/errors.ts'
import type { KeyFile } from './record.ts'
import { seal, unseal } from './sealed.ts'

export const KEYRING_BACKENDS = ['file', 'test', 'os', 'pass'] as const
export type KeyringBackend = (typeof KEYRING_BACKENDS)[number]

/** A private key, 32 bytes, and the mnemonic that it was derived from, if the keyring knows it. */
export interface Secret {
  readonly privateKey: Uint8Array
  readonly mnemonic?: string
}

type Place = Pick<KeyFile, 'sealed' | 'private_key' | 'mnemonic' | 'entry'>

export interface SecretStore {
  /** Stores a secret. Returns the fields of the key file that lead to it. */
  put(name: string, secret: Secret, publicKey: Uint8Array): Promise<Place>
  /** Returns the secret of a key file. Throws `permissionDenied` for a wrong passphrase. */
  get(file: KeyFile): Promise<Secret>
  /** Deletes a secret outside the key file. */
  remove(file: KeyFile): void
}

const KEY_BYTES = 32

const encode = ({ privateKey, mnemonic = '' }: Secret): Uint8Array => concat(privateKey, utf8(mnemonic))

function decode(bytes: Uint8Array): Secret {
  const mnemonic = formatUtf8(bytes.subarray(KEY_BYTES))
  return { privateKey: bytes.slice(0, KEY_BYTES), ...(mnemonic !== '' && { mnemonic }) }
}

/** Creates the store of key files that are encrypted under the passphrase which `unlock` returns. */
export function sealedSecrets(unlock: () => Promise<string>): SecretStore {
  return {
    put: async (_, secret, publicKey) => ({ sealed: seal(await unlock(), encode(secret), publicKey) }),
    get: async ({ sealed, public_key }) => decode(unseal(await unlock(), sealed!, hex(public_key ?? ''), 'keyring')),
    remove: () => undefined,
  }
}

/** The store of key files in the clear, for development. */
export const clearSecrets: SecretStore = {
  put: async (_, { privateKey, mnemonic }) => ({ private_key: formatHex(privateKey), ...(mnemonic && { mnemonic }) }),
  get: async ({ private_key = '', mnemonic }) => ({ privateKey: hex(private_key), ...(mnemonic && { mnemonic }) }),
  remove: () => undefined,
}

/** A program that stores texts by name for the current user. */
interface TextStore {
  put(entry: string, text: string): void
  /** Returns undefined if there is no such entry. */
  get(entry: string): string | undefined
  remove(entry: string): void
}

/** Creates the store of secrets in another program, as hexadecimal text. */
export function externalSecrets(store: TextStore): SecretStore {
  return {
    async put(name, secret) {
      // Homes of one user share that program's store.
      const entry = `almanac/${name}-${formatHex(randomBytes(6))}`
      store.put(entry, formatHex(encode(secret)))
      return { entry }
    },
    async get({ name, entry = '' }) {
      const text = store.get(entry)
      if (text === undefined)
        throw queryError('notFound', `the secret of key ${name} is gone: there is no entry ${entry}`)
      return decode(hex(text.trim()))
    },
    remove: ({ entry }) => entry !== undefined && store.remove(entry),
  }
}

const ELSEWHERE =
  '--keyring-backend file keeps keys in files encrypted under a passphrase, --keyring-backend test in the clear'

const SERVICE = 'almanac'

/** The keychain of macOS, the credential manager of Windows, or the Secret Service of a Linux desktop. */
export const systemStore: TextStore = {
  put: (entry, text) => withSystem(({ Entry }) => new Entry(SERVICE, entry).setPassword(text)),
  get: (entry) => withSystem(({ Entry }) => new Entry(SERVICE, entry).getPassword()) ?? undefined,
  remove: (entry) => void withSystem(({ Entry }) => new Entry(SERVICE, entry).deletePassword()),
}

function withSystem<T>(act: (library: typeof import('@napi-rs/keyring')) => T): T {
  try {
    // Loaded late: other backends work on systems without this library.
    return act(createRequire(import.meta.url)('@napi-rs/keyring') as typeof import('@napi-rs/keyring'))
  } catch (error) {
    const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0]
    throw queryError('unavailable', `the keyring of the operating system does not answer (${reason}); ${ELSEWHERE}`)
  }
}

/** The program `pass`, which encrypts with GPG. */
export const passStore: TextStore = {
  put: (entry, text) => void pass(['insert', '--multiline', '--force', entry], text),
  get(entry) {
    const { status, stdout, stderr } = pass(['show', entry])
    if (status === 0) return stdout
    if (/not in the password store/.test(stderr)) return undefined
    throw passFailed(stderr)
  },
  remove: (entry) => void pass(['rm', '--force', entry]),
}

function pass(args: readonly string[], input = '') {
  const { error, ...done } = spawnSync('pass', args, { input, encoding: 'utf8' })
  if (error) {
    const isMissing = 'code' in error && error.code === 'ENOENT'
    throw queryError('unavailable', `${isMissing ? 'the program pass is not installed' : error.message}; ${ELSEWHERE}`)
  }
  if (done.status !== 0 && args[0] !== 'show') throw passFailed(done.stderr)
  return done
}

function passFailed(stderr: string): ChainError {
  const reason = stderr.trim().replace(/\s+/g, ' ')
  return queryError(
    'failedPrecondition',
    `pass refused (${reason}): \`pass init GPG-ID\` creates its store; ${ELSEWHERE}`,
  )
}
