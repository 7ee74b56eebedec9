/** The flags that select a keyring, and the keys in it. */
import { type Command, Option } from 'commander'
import type { Identity } from '../../identity/types.ts'
import { decodeBech32, formatBech32, formatEip55, parseEvm } from '../../primitives/address.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { createKeyring, type Keyring } from '../keyring.ts'
import type { ProfileFlags } from '../profile.ts'
import { homeOf } from '../settings.ts'
import type { Terminal } from '../terminal.ts'
import type { Algorithm, AnyRecord, KeyRecord } from './record.ts'
import { KEYRING_BACKENDS, type KeyringBackend } from './secret-stores.ts'

const MIN_PASSPHRASE_CHARACTERS = 8

const TYPE_NAMES: Readonly<Record<Algorithm, string>> = {
  secp256k1: 'sdk.crypto.secp256k1.PubKey',
  eth_secp256k1: 'chain.crypto.v1.ethsecp256k1.PubKey',
}

export interface KeyringFlags extends ProfileFlags {
  readonly keyringBackend?: string
  readonly keyringDir?: string
  readonly output?: string
}

/** Adds the flags that select a home and the names of its chain. */
export function addHomeOptions(command: Command): Command {
  return command
    .option('--home <dir>', 'home of the node and its keys (default: ALMANAC_HOME, or ~/.almanac)')
    .option('--profile <value>', 'profile for names and address prefixes (default: that of the chain in the home)')
}

/** Adds the flags that select a keyring, and an output format. */
export function addKeyringOptions(command: Command, format: 'yaml' | 'json' = 'yaml'): Command {
  return addHomeOptions(command)
    .addOption(
      new Option(
        '--keyring-backend <backend>',
        'keyring: file (encrypted), test (in the clear, for development), os (that of the system), or pass (the program pass)',
      )
        .env('ALMANAC_KEYRING_BACKEND')
        .default('file'),
    )
    .option('--keyring-dir <dir>', 'folder of the keyring (default: the home)')
    .option('-o, --output <format>', 'output format: yaml or json', format)
}

/** Opens the keyring that the flags select. It asks for its passphrase when it needs it. */
export function openKeyring(flags: KeyringFlags, terminal: Terminal): Keyring {
  const backend = KEYRING_BACKENDS.find((name) => name === (flags.keyringBackend ?? 'file'))
  if (backend === undefined) {
    throw queryError(
      'invalidArgument',
      `--keyring-backend ${flags.keyringBackend}: must be one of ${KEYRING_BACKENDS.join(', ')}`,
    )
  }
  return createKeyring({
    home: homeOf(flags.keyringDir ?? flags.home),
    backend: backend satisfies KeyringBackend,
    askPassphrase: (isNew) =>
      isNew ? askNewPassphrase(terminal, 'keyring') : askPassphrase(terminal, 'Keyring passphrase:'),
  })
}

export async function askPassphrase(terminal: Terminal, question: string): Promise<string> {
  const passphrase = await terminal.askSecret(question)
  if (passphrase === undefined)
    throw queryError('invalidArgument', 'no passphrase given: type one, or pipe it to standard input')
  return passphrase
}

export async function askNewPassphrase(terminal: Terminal, subject: string): Promise<string> {
  const passphrase = await askPassphrase(
    terminal,
    `New passphrase for the ${subject} (at least ${MIN_PASSPHRASE_CHARACTERS} characters):`,
  )
  if (passphrase.length < MIN_PASSPHRASE_CHARACTERS) {
    throw queryError('invalidArgument', `the passphrase must have at least ${MIN_PASSPHRASE_CHARACTERS} characters`)
  }
  if (terminal.interactive && (await askPassphrase(terminal, 'Repeat the passphrase:')) !== passphrase) {
    throw queryError('invalidArgument', 'the passphrases differ')
  }
  return passphrase
}

/** Parses a hexadecimal or Bech32 address; undefined if the text is not one, and so can be a name. */
export function tryParseAddress(text: string): Uint8Array | undefined {
  if (text.startsWith('0x')) return parseEvm(text)
  const decoded = decodeBech32(text)
  return 'bytes' in decoded ? decoded.bytes : undefined
}

/** A text that looks like an address in hexadecimal or Bech32. */
const ADDRESS_LIKE = /^(0x[0-9a-f]*|[a-z]+1[a-z0-9]{3,})$/i

/** Returns the key of a name or an address. Throws `notFound`. */
export function findAnyKey(keyring: Keyring, nameOrAddress: string): AnyRecord {
  const address = tryParseAddress(nameOrAddress)
  try {
    return keyring.find(nameOrAddress, address)
  } catch (error) {
    if (address || !ADDRESS_LIKE.test(nameOrAddress)) throw error
    const why = `${nameOrAddress} is no address, since its length or checksum is wrong, and no key has this name`
    throw queryError('invalidArgument', why)
  }
}

/** Returns the key of a name or an address that signs by itself. Throws `notFound`, `invalidArgument` for a multisig. */
export function findKey(keyring: Keyring, nameOrAddress: string): KeyRecord {
  const record = findAnyKey(keyring, nameOrAddress)
  if (record.place !== 'multi') return record
  throw queryError(
    'invalidArgument',
    `${record.name} is a multisig: its members sign with \`almanac tx sign --multisig ${record.name}\`, and \`almanac tx multisign\` joins their signatures`,
  )
}

/** Returns the JSON in which commands show a key. */
export function keyJson(record: AnyRecord, { bech32, toProfileName }: Identity): Record<string, unknown> {
  const typed = (algorithm: Algorithm, publicKey: Uint8Array) => ({
    '@type': `/${toProfileName(TYPE_NAMES[algorithm])}`,
    key: formatBase64(publicKey),
  })
  const address = formatBech32(bech32.account, record.address)
  if (record.place === 'multi') {
    const members = record.key.keys.flatMap((key) => {
      if (key.kind === 'multisig') return []
      return [typed(key.kind === 'ethSecp256k1' ? 'eth_secp256k1' : 'secp256k1', key.key)]
    })
    const type = `/${toProfileName('sdk.crypto.multisig.LegacyAminoPubKey')}`
    const pubkey = { '@type': type, threshold: record.key.threshold, public_keys: members }
    return { name: record.name, type: 'multi', address, pubkey }
  }
  return {
    name: record.name,
    type: record.algorithm,
    ...(record.place !== 'local' && { place: record.place }),
    address,
    ...(record.algorithm === 'eth_secp256k1' && { address_evm: formatEip55(record.address) }),
    ...(record.signer !== undefined && { signer: record.signer }),
    pubkey: typed(record.algorithm, record.publicKey),
  }
}
