/** `almanac keys`: manages the keys in the home that sign transactions. */
import { Command } from 'commander'
import { formatBech32 } from '../primitives/address.ts'
import { queryError } from '../primitives/errors.ts'
import { listsCommands } from './command-list.ts'
import { addKey, addKeyOptions } from './keys/add.ts'
import { parseAddress } from './keys/addresses.ts'
import type { ImportedKey } from './keys/armored-key.ts'
import { type MigrateFlags, migrateKeys } from './keys/migrate.ts'
import { createMnemonic } from './keys/mnemonic.ts'
import { addHomeOptions, addKeyringOptions, findAnyKey, type KeyringFlags, keyJson, openKeyring } from './keys/open.ts'
import { parseAlgorithm } from './keys/record.ts'
import { type ExportFlags, exportKey, type ImportFlags, parsePrivateKey, readImport } from './keys/transfer.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import { identityOfFlags } from './profile.ts'
import { processTerminal, type Terminal } from './terminal.ts'

async function importKey(name: string, read: () => Promise<ImportedKey>, flags: KeyringFlags, terminal: Terminal) {
  const identity = identityOfFlags(flags)
  const format = parseOutputFormat(flags.output ?? 'yaml')
  const keyring = openKeyring(flags, terminal)
  const { algorithm, privateKey } = await read()
  const record = await keyring.add(name, algorithm, privateKey)
  terminal.print(formatOutput(keyJson(record, identity), format))
}

interface ShowFlags extends KeyringFlags {
  readonly address?: boolean
  readonly pubkey?: boolean
  readonly bech: string
}

function showKey(name: string, flags: ShowFlags, terminal: Terminal): void {
  const record = findAnyKey(openKeyring(flags, terminal), name)
  const identity = identityOfFlags(flags)
  const { account, validator, consensus } = identity.bech32
  const prefix = { acc: account, val: validator, cons: consensus }[flags.bech]
  if (!prefix) throw queryError('invalidArgument', `--bech ${flags.bech}: must be acc, val or cons`)
  const address = formatBech32(prefix, record.address)
  const shown: Record<string, unknown> = { ...keyJson(record, identity), address }
  const whole = formatOutput(shown, parseOutputFormat(flags.output ?? 'yaml'))
  terminal.print(flags.address ? address : flags.pubkey ? JSON.stringify(shown['pubkey']) : whole)
}

function listKeys(flags: KeyringFlags & { readonly listNames?: boolean }, terminal: Terminal): void {
  const records = openKeyring(flags, terminal).list()
  const identity = identityOfFlags(flags)
  const format = parseOutputFormat(flags.output ?? 'yaml')
  const names = records.map(({ name }) => name)
  const shown = flags.listNames ? names : records.map((one) => keyJson(one, identity))
  const asLines = flags.listNames && format === 'yaml'
  terminal.print(asLines ? names.join('\n') : formatOutput(shown, format))
}

async function confirm(terminal: Terminal, yes: boolean | undefined, question: string, otherwise: string) {
  const answer = yes ? 'y' : (await terminal.ask(`${question} [y/N]`))?.toLowerCase()
  if (answer === 'y') return
  throw queryError('aborted', answer === undefined ? `${otherwise}: confirm with y, or --yes` : otherwise)
}

/** Creates the command `almanac keys` with its subcommands. */
export function keysCommand(terminal: Terminal): Command {
  const keys = new Command('almanac keys').description('Manage the keys that sign transactions').exitOverride()
  const plain = (words: string, about: string) => keys.command(words).description(about)
  const add = (words: string, about: string) => addKeyringOptions(plain(words, about))

  addKeyOptions(add('add <name>', 'Create a key, or recover one from its mnemonic, or make a multisig')).action(
    (name: string, _, command: Command) => addKey(name, command.opts(), terminal),
  )

  add('list', 'List all keys')
    .option('-n, --list-names', 'print only the names')
    .action((_, command: Command) => listKeys(command.opts(), terminal))

  add('show <name>', 'Show a key by its name or address')
    .option('-a, --address', 'print only the address')
    .option('-p, --pubkey', 'print only the public key, as `keys add --pubkey` takes it')
    .option('--bech <prefix>', 'prefix of the address: acc, val or cons', 'acc')
    .action((name: string, _, command: Command) => showKey(name, command.opts(), terminal))

  add('rename <name> <new-name>', 'Rename a key')
    .option('-y, --yes', 'accepted for scripts: a rename is not confirmed')
    .action((name: string, to: string, _, command: Command) => {
      const keyring = openKeyring(command.opts(), terminal)
      keyring.rename(findAnyKey(keyring, name).name, to)
      terminal.note(`Renamed ${name} to ${to}.`)
    })

  add('export <name>', 'Print a key, encrypted under a new passphrase')
    .option('--format <format>', 'armor (of the family), or web3 (secret storage of Ethereum, version 3)', 'armor')
    .option('--unarmored-hex', 'with --unsafe: print the private key itself')
    .option('--mnemonic', 'with --unsafe: print the mnemonic that is stored with the key')
    .option('--unsafe', 'allow a secret in the clear: anyone who sees it controls the account')
    .action((name: string, _, command: Command) => exportKey(name, command.opts<ExportFlags>(), terminal))

  add('import <name> [file]', 'Import an exported key (armor, Web3 secret storage), or with --hex a private key')
    .option('--hex', 'import a private key of 64 hexadecimal digits, from the file or, without one, from a prompt')
    .option('--algo <algorithm>', 'algorithm of the key with --hex: secp256k1 or eth_secp256k1', 'secp256k1')
    .action((name: string, file: string | undefined, _, command: Command) => {
      const flags = command.opts<ImportFlags>()
      return importKey(name, () => readImport(file, flags, terminal), flags, terminal)
    })

  add('import-hex <name> [hex]', 'Import a private key of 64 hexadecimal digits, by default from a prompt')
    .option('--key-type <algorithm>', 'algorithm of the key: secp256k1 or eth_secp256k1', 'secp256k1')
    .action((name: string, hex: string | undefined, _, command: Command) => {
      const flags = command.opts<KeyringFlags & { keyType: string }>()
      const read = async () => ({
        algorithm: parseAlgorithm(flags.keyType),
        privateKey: parsePrivateKey(hex ?? (await terminal.askSecret('Private key:')) ?? ''),
      })
      return importKey(name, read, flags, terminal)
    })

  add('migrate <dir>', "Copy the keys in a home of the family's tool, such as ~/.nibid, into the keyring")
    .option('--from-backend <backend>', 'backend of that keyring: file or test', 'file')
    .action((folder: string, _, command: Command) => migrateKeys(folder, command.opts<MigrateFlags>(), terminal))

  add('delete <name>', 'Delete a key permanently')
    .option('-y, --yes', 'delete without confirmation')
    .action(async (name: string, _, command: Command) => {
      const keyring = openKeyring(command.opts(), terminal)
      const record = findAnyKey(keyring, name)
      const { yes } = command.opts<{ yes?: boolean }>()
      await confirm(terminal, yes, `Permanently delete the key ${record.name}?`, 'nothing deleted')
      keyring.delete(record.name)
      terminal.note(`Deleted ${record.name}.`)
    })

  plain('mnemonic', 'Print a new mnemonic, without storing a key')
    .option('--unsafe', 'confirm that a secret is printed')
    .action((_, command: Command) => {
      if (!command.opts<{ unsafe?: boolean }>().unsafe)
        throw queryError('invalidArgument', 'keys mnemonic prints a secret in the clear: add --unsafe if that is meant')
      terminal.print(createMnemonic())
    })

  addHomeOptions(plain('parse <address>', 'Show an address in Bech32 and hexadecimal forms'))
    .option('-o, --output <format>', 'output format: yaml or json', 'yaml')
    .action((text: string, _, command: Command) => {
      const flags = command.opts<KeyringFlags>()
      terminal.print(
        formatOutput(parseAddress(text, identityOfFlags(flags)), parseOutputFormat(flags.output ?? 'yaml')),
      )
    })

  plain('list-key-types', 'List the algorithms of keys').action(() => terminal.print('secp256k1\neth_secp256k1'))
  return keys
}

/** Runs `almanac keys` with the arguments after its name. Returns the exit code. */
export async function keys(args: readonly string[]): Promise<number> {
  await listsCommands(keysCommand(processTerminal())).parseAsync([...args], { from: 'user' })
  return 0
}
