/** `almanac keys migrate`: copies the keys of the family's tool into the keyring of a home. */
import type { Identity } from '../../identity/types.ts'
import { equal, formatHex } from '../../primitives/bytes.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { publicKeyOf } from '../../sdk/crypto.ts'
import { addressOf, type SimpleKey } from '../../sdk/public-key.ts'
import type { Keyring } from '../keyring.ts'
import { formatOutput, parseOutputFormat } from '../output.ts'
import { identityOfFlags } from '../profile.ts'
import type { Terminal } from '../terminal.ts'
import { FAMILY_BACKENDS, type FamilyKey, listFamilyKeys, openFamilyKey } from './family-keyring.ts'
import { askPassphrase, type KeyringFlags, keyJson, openKeyring } from './open.ts'
import { type Algorithm, type AnyRecord, addressOfKey, type KeyRecord, multisigFile } from './record.ts'

export interface MigrateFlags extends KeyringFlags {
  readonly fromBackend: string
}

/** Passphrase of every keyring of the backend `test`. */
const TEST_PASSPHRASE = 'test'

/**
 * Copies all keys, and prints those that are new. A key that is there already stays. Rejects with `alreadyExists` for another key of the
 * same name; keys before it are copied then.
 */
export async function migrateKeys(folder: string, flags: MigrateFlags, terminal: Terminal): Promise<void> {
  const identity = identityOfFlags(flags)
  const format = parseOutputFormat(flags.output ?? 'yaml')
  const backend = FAMILY_BACKENDS.find((name) => name === flags.fromBackend)
  if (backend === undefined)
    throw queryError(
      'invalidArgument',
      `--from-backend ${flags.fromBackend}: must be ${FAMILY_BACKENDS.join(' or ')}; keys of another backend go by \`keys export\` of that tool and \`keys import\``,
    )
  const paths = listFamilyKeys(folder, backend)
  const keyring = openKeyring(flags, terminal)
  const passphrase =
    backend === 'test' ? TEST_PASSPHRASE : await askPassphrase(terminal, `Passphrase of the keyring in ${folder}:`)
  // All are opened before one is copied, so that a wrong passphrase copies none.
  const found = await Promise.all(paths.map((path) => openFamilyKey(identity, path, passphrase)))
  const copied: AnyRecord[] = []
  for (const key of found) {
    const known = knownKey(keyring, key.name)
    if (known && !isSame(identity, known, key))
      throw queryError('alreadyExists', `another key named ${key.name} exists: rename it with \`keys rename\``)
    if (known) terminal.note(`${key.name} is there already.`)
    else copied.push(await copyKey(identity, keyring, key))
    if (key.kind === 'ledger')
      terminal.note(`${key.name} is on a device: only its public key was copied (keys add --signer makes it sign).`)
  }
  terminal.print(
    formatOutput(
      copied.map((record) => keyJson(record, identity)),
      format,
    ),
  )
}

function knownKey(keyring: Keyring, name: string): AnyRecord | undefined {
  try {
    return keyring.find(name)
  } catch (error) {
    if (error instanceof ChainError && error.status === 'notFound') return undefined
    throw error
  }
}

async function copyKey(identity: Identity, keyring: Keyring, key: FamilyKey): Promise<AnyRecord> {
  if (key.kind === 'local') return await keyring.add(key.name, key.algorithm, key.privateKey)
  const { name, publicKey } = key
  if (publicKey.kind !== 'multisig') {
    const { algorithm, publicKey: bytes } = memberOf(name, publicKey)
    return keyring.addPublic({ name, algorithm, public_key: formatHex(bytes), offline: true })
  }
  const members = publicKey.keys.map((member) => {
    if (member.kind === 'multisig')
      throw queryError(
        'invalidArgument',
        `${name} is a multisig with a multisig as a member, which this keyring does not store`,
      )
    return memberOf(name, member)
  })
  return keyring.addPublic(multisigFile(identity, name, publicKey.threshold, members))
}

/** Returns the key of a member as a record without a secret. Throws `invalidArgument` for an algorithm that no account has here. */
function memberOf(name: string, { kind, key }: SimpleKey): KeyRecord {
  const algorithm: Algorithm | undefined =
    kind === 'secp256k1' ? 'secp256k1' : kind === 'ethSecp256k1' ? 'eth_secp256k1' : undefined
  if (!algorithm) throw queryError('invalidArgument', `${name} is a key of ${kind}, which this keyring does not store`)
  return { place: 'offline', name, algorithm, publicKey: key, address: addressOfKey(algorithm, key) }
}

function isSame(identity: Identity, known: AnyRecord, key: FamilyKey): boolean {
  if (key.kind === 'local')
    return known.algorithm === key.algorithm && equal(known.publicKey, publicKeyOf(key.privateKey) ?? new Uint8Array(0))
  return equal(known.address, addressOf(identity, key.publicKey))
}
