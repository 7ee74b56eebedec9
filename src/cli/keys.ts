/** `almanac keys`: manages the keys in the home that sign transactions. */
import { readFileSync } from 'node:fs'
import { HDKey } from '@scure/bip32'
import { generateMnemonic, mnemonicToSeedSync, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { Command } from 'commander'
import type { Identity } from '../identity/types.ts'
import { decodeBech32, formatBech32, formatEip55, parseEvm } from '../primitives/address.ts'
import { formatBase64, formatHex, parseHex } from '../primitives/bytes.ts'
import { queryError } from '../primitives/errors.ts'
import {
  type Algorithm,
  createKeyring,
  formatExport,
  type KeyRecord,
  type Keyring,
  type KeyringBackend,
  parseAlgorithm,
  parseExport,
  seal,
} from './keyring.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import { identityOfFlags, type ProfileFlags } from './profile.ts'
import { homeOf } from './settings.ts'
import { processTerminal, type Terminal } from './terminal.ts'

const MIN_PASSPHRASE_CHARACTERS = 8
const MNEMONIC_BITS = 256
const PATHS: Readonly<Record<Algorithm, string>> = { secp256k1: "m/44'/118'/0'/0/0", eth_secp256k1: "m/44'/60'/0'/0/0" }
const TYPE_NAMES: Readonly<Record<Algorithm, string>> = {
  secp256k1: 'sdk.crypto.secp256k1.PubKey',
  eth_secp256k1: 'chain.crypto.v1.ethsecp256k1.PubKey',
}

export interface KeyringFlags extends ProfileFlags {
  readonly keyringBackend?: string
  readonly output?: string
}

/** Adds the flags that select a keyring. */
export function addKeyringOptions(command: Command): Command {
  return command
    .option('--home <dir>', 'home of the node and its keys (default: ALMANAC_HOME, or ~/.almanac)')
    .option('--profile <value>', 'profile for names and address prefixes (default: that of the chain in the home)')
    .option('--keyring-backend <backend>', 'keyring: file (encrypted) or test (in the clear, for development)', 'file')
    .option('--output <format>', 'output format: yaml or json', 'yaml')
}

/** Opens the keyring that the flags select. It asks for its passphrase when it needs it. */
export function openKeyring(flags: KeyringFlags, terminal: Terminal): Keyring {
  const backend = flags.keyringBackend ?? 'file'
  if (backend !== 'file' && backend !== 'test') {
    throw queryError('invalidArgument', `--keyring-backend ${backend}: must be file or test`)
  }
  return createKeyring({
    home: homeOf(flags.home),
    backend: backend satisfies KeyringBackend,
    askPassphrase: (isNew) =>
      isNew ? askNewPassphrase(terminal, 'keyring') : askPassphrase(terminal, 'Keyring passphrase:'),
  })
}

async function askPassphrase(terminal: Terminal, question: string): Promise<string> {
  const passphrase = await terminal.askSecret(question)
  if (passphrase === undefined)
    throw queryError('invalidArgument', 'no passphrase given: type one, or pipe it to standard input')
  return passphrase
}

async function askNewPassphrase(terminal: Terminal, subject: string): Promise<string> {
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

/** Returns the key of a name or an address. Throws `notFound`. */
export function findKey(keyring: Keyring, nameOrAddress: string): KeyRecord {
  return keyring.find(nameOrAddress, tryParseAddress(nameOrAddress))
}

/** Returns the JSON in which commands show a key. */
export function keyJson(record: KeyRecord, { bech32, toProfileName }: Identity): Record<string, unknown> {
  return {
    name: record.name,
    type: record.algorithm,
    address: formatBech32(bech32.account, record.address),
    ...(record.algorithm === 'eth_secp256k1' && { address_evm: formatEip55(record.address) }),
    pubkey: {
      '@type': `/${toProfileName(TYPE_NAMES[record.algorithm])}`,
      key: formatBase64(record.publicKey),
    },
  }
}

/** Derives the private key of a mnemonic at a path, 32 bytes. Throws `invalidArgument` for an invalid mnemonic or path. */
export function keyOfMnemonic(mnemonic: string, path: string): Uint8Array {
  const words = mnemonic.trim().split(/\s+/).join(' ')
  if (!validateMnemonic(words, wordlist))
    throw queryError('invalidArgument', 'the mnemonic is not valid: give the 12 to 24 English words of BIP-39')
  try {
    const { privateKey } = HDKey.fromMasterSeed(mnemonicToSeedSync(words)).derive(path)
    if (privateKey) return privateKey
  } catch {
    // Reported below: the library's messages do not name the flag.
  }
  throw queryError('invalidArgument', `--hd-path ${path}: must be a derivation path such as ${PATHS.secp256k1}`)
}

/**
 * Returns a function that formats a key as the flags request. The flags are checked now, before a key is created: a mnemonic that
 * cannot be shown is lost.
 */
function keyFormatter(flags: KeyringFlags): (record: KeyRecord, more?: Record<string, unknown>) => string {
  const identity = identityOfFlags(flags)
  const format = parseOutputFormat(flags.output ?? 'yaml')
  return (record, more = {}) => formatOutput({ ...keyJson(record, identity), ...more }, format)
}

interface AddFlags extends KeyringFlags {
  readonly algo: string
  readonly recover?: boolean
  readonly hdPath?: string
}

async function addKey(name: string, flags: AddFlags, terminal: Terminal): Promise<void> {
  const algorithm = parseAlgorithm(flags.algo)
  const format = keyFormatter(flags)
  const keyring = openKeyring(flags, terminal)
  const recovered = flags.recover ? ((await terminal.askSecret('Mnemonic:')) ?? '') : undefined
  const mnemonic = recovered ?? generateMnemonic(wordlist, MNEMONIC_BITS)
  const record = await keyring.add(name, algorithm, keyOfMnemonic(mnemonic, flags.hdPath ?? PATHS[algorithm]))
  terminal.print(format(record, recovered === undefined ? { mnemonic } : {}))
  if (recovered === undefined) terminal.note('Write the mnemonic down: it is the only way to recover this key.')
}

interface ExportFlags extends KeyringFlags {
  readonly unarmoredHex?: boolean
}

async function exportKey(name: string, flags: ExportFlags, terminal: Terminal): Promise<void> {
  const keyring = openKeyring(flags, terminal)
  const record = findKey(keyring, name)
  const privateKey = await keyring.privateKey(record.name)
  if (flags.unarmoredHex) return terminal.print(formatHex(privateKey))
  const passphrase = await askNewPassphrase(terminal, 'exported key')
  terminal.print(formatExport(record, seal(passphrase, privateKey, record.publicKey)))
}

interface ImportFlags extends KeyringFlags {
  readonly hex?: boolean
  readonly algo: string
}

async function importKey(
  name: string,
  file: string | undefined,
  flags: ImportFlags,
  terminal: Terminal,
): Promise<void> {
  const format = keyFormatter(flags)
  const keyring = openKeyring(flags, terminal)
  let text: string
  if (file !== undefined) text = readKeyFile(file)
  else if (flags.hex) text = (await terminal.askSecret('Private key:')) ?? ''
  else
    throw queryError(
      'invalidArgument',
      'no key given: pass the file of an exported key, or --hex to be prompted for a private key',
    )
  const { algorithm, privateKey } = flags.hex
    ? { algorithm: parseAlgorithm(flags.algo), privateKey: parsePrivateKey(text) }
    : await parseExport(text, () => askPassphrase(terminal, 'Passphrase of the exported key:'))
  const record = await keyring.add(name, algorithm, privateKey)
  terminal.print(format(record))
}

function readKeyFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw queryError('notFound', `cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`)
  }
}

function parsePrivateKey(text: string): Uint8Array {
  const bytes = parseHex(text.trim())
  if (bytes?.length !== 32) throw queryError('invalidArgument', 'the private key must be 64 hexadecimal digits')
  return bytes
}

interface ShowFlags extends KeyringFlags {
  readonly address?: boolean
  readonly bech: string
}

function showKey(name: string, flags: ShowFlags, terminal: Terminal): void {
  const record = findKey(openKeyring(flags, terminal), name)
  const identity = identityOfFlags(flags)
  const { account, validator, consensus } = identity.bech32
  const prefix = { acc: account, val: validator, cons: consensus }[flags.bech]
  if (!prefix) throw queryError('invalidArgument', `--bech ${flags.bech}: must be acc, val or cons`)
  const address = formatBech32(prefix, record.address)
  const shown = { ...keyJson(record, identity), address }
  terminal.print(flags.address ? address : formatOutput(shown, parseOutputFormat(flags.output ?? 'yaml')))
}

async function deleteKey(name: string, flags: KeyringFlags & { yes?: boolean }, terminal: Terminal): Promise<void> {
  const keyring = openKeyring(flags, terminal)
  const record = findKey(keyring, name)
  if (!flags.yes && (await terminal.ask(`Permanently delete the key ${record.name}? [y/N]`))?.toLowerCase() !== 'y') {
    throw queryError('aborted', 'nothing deleted')
  }
  keyring.delete(record.name)
  terminal.note(`Deleted ${record.name}.`)
}

/** Creates the command `almanac keys` with its subcommands. */
export function keysCommand(terminal: Terminal): Command {
  const keys = new Command('almanac keys').description('Manage the keys that sign transactions').exitOverride()
  const add = (words: string, about: string) => addKeyringOptions(keys.command(words).description(about))

  add('add <name>', 'Create a key, or recover one from its mnemonic')
    .option('--recover', 'prompt for a mnemonic and recover its key')
    .option('--algo <algorithm>', 'key algorithm: secp256k1 or eth_secp256k1', 'secp256k1')
    .option(
      '--hd-path <path>',
      `derivation path (default: ${PATHS.secp256k1}, for eth_secp256k1 ${PATHS.eth_secp256k1})`,
    )
    .action((name: string, _, command: Command) => addKey(name, command.opts(), terminal))

  add('list', 'List all keys').action((_, command: Command) => {
    const flags = command.opts<KeyringFlags>()
    const records = openKeyring(flags, terminal).list()
    const identity = identityOfFlags(flags)
    terminal.print(
      formatOutput(
        records.map((record) => keyJson(record, identity)),
        parseOutputFormat(flags.output ?? 'yaml'),
      ),
    )
  })

  add('show <name>', 'Show a key by its name or address')
    .option('-a, --address', 'print only the address')
    .option('--bech <prefix>', 'prefix of the address: acc, val or cons', 'acc')
    .action((name: string, _, command: Command) => showKey(name, command.opts(), terminal))

  add('export <name>', 'Print a key, encrypted under a new passphrase')
    .option('--unarmored-hex', 'print the unencrypted private key: anyone who sees it controls the account')
    .action((name: string, _, command: Command) => exportKey(name, command.opts(), terminal))

  add('import <name> [file]', 'Import an exported key, or with --hex an unencrypted private key')
    .option('--hex', 'import a private key of 64 hexadecimal digits, from the file or, without one, from a prompt')
    .option('--algo <algorithm>', 'algorithm of the key with --hex: secp256k1 or eth_secp256k1', 'secp256k1')
    .action((name: string, file: string | undefined, _, command: Command) =>
      importKey(name, file, command.opts(), terminal),
    )

  add('delete <name>', 'Delete a key permanently')
    .option('-y, --yes', 'delete without confirmation')
    .action((name: string, _, command: Command) => deleteKey(name, command.opts(), terminal))
  return keys
}

/** Runs `almanac keys` with the arguments after its name. Returns the exit code. */
export async function keys(args: readonly string[]): Promise<number> {
  await keysCommand(processTerminal()).parseAsync([...args], { from: 'user' })
  return 0
}
