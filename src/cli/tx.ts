/** `almanac tx MODULE MESSAGE`: signs any message of the descriptors with a key of the keyring and sends it. */
import { type DescField, type DescMessage, type DescMethod, getOption, ScalarType } from '@bufbuild/protobuf'
import { Command, CommanderError } from 'commander'
import { readJson } from '../api/json-read.ts'
import { MsgEthereumTxSchema } from '../gen/chain/evm/v1/tx_pb.ts'
import { service as isMessageService, signer } from '../gen/sdk/msg/v1/msg_pb.ts'
import { services } from '../identity/registry.ts'
import type { Identity } from '../identity/types.ts'
import { readInputText } from '../node/input-file.ts'
import { formatBech32 } from '../primitives/address.ts'
import { queryError } from '../primitives/errors.ts'
import { listsCommands } from './command-list.ts'
import {
  addFieldFlags,
  type FieldFlag,
  fieldFlags,
  isCoin,
  kebab,
  optionKey,
  placeholder,
  requestJson,
} from './flags.ts'
import { tryParseAddress } from './keys/open.ts'
import { moduleOf } from './query.ts'
import { addTxOptions, sendTx, type TxFlags } from './send-tx.ts'
import { moduleAliases, nameAliases, signsFirst } from './short-names.ts'
import { processTerminal, type Terminal } from './terminal.ts'
import { addDocumentCommands } from './tx/documents.ts'
import { addFamilyCommands } from './tx/family.ts'
import { addMultisign } from './tx/multisign.ts'
import { addSign } from './tx/sign.ts'
import { addValidatorOptions, validatorFields } from './tx/validator.ts'
import { addGovCommands } from './tx-gov.ts'
import { addLegacyProposals } from './tx-gov-legacy.ts'
import { addUpgradeProposals } from './tx-upgrade.ts'

/** Reads the message of a command. Signer fields that no flag sets are the address of the key. */
function readMessage(
  identity: Identity,
  schema: DescMessage,
  flags: readonly FieldFlag[],
  values: Record<string, unknown>,
  address: Uint8Array,
) {
  const json = { ...requestJson(flags, values), ...validatorFields(schema.typeName, values) }
  for (const name of getOption(schema, signer)) {
    const field = schema.fields.find((one) => one.name === name)
    if (field?.fieldKind === 'scalar') json[name] ??= formatBech32(signerPrefix(identity, name), address)
  }
  return readJson(identity, schema, JSON.stringify(json))
}

function signerPrefix({ bech32 }: Identity, field: string): string {
  return field.startsWith('validator') ? bech32.validator : bech32.account
}

async function send(
  method: DescMethod,
  fields: readonly FieldFlag[],
  command: Command,
  terminal: Terminal,
): Promise<void> {
  const schema = method.input
  const flags = command.opts<TxFlags>()
  const args = [...command.args]
  // The family's tool takes the signer as the first argument of some messages, in place of --from.
  const isSignerFirst = signsFirst(schema.typeName) && args.length > 0 && flags.from === undefined
  const from = isSignerFirst ? args.shift() : flags.from
  if (from === undefined && signsFirst(schema.typeName))
    throw queryError('invalidArgument', '--from is missing: give it, or the argument of that name')
  const values = withPositional(schema, fields, command, args)
  requireAddresses(schema, fields, values)
  await sendTx({ ...flags, ...(from !== undefined && { from }) }, terminal, ({ identity, address }) => [
    { schema, message: readMessage(identity, schema, fields, values, address) },
  ])
}

/** Throws `invalidArgument` that names the first address of a message of the SDK that is missing, or is no address. */
function requireAddresses(
  schema: DescMessage,
  fields: readonly FieldFlag[],
  values: Readonly<Record<string, unknown>>,
): void {
  if (!schema.typeName.startsWith('sdk.')) return
  for (const { flag } of positionalFields(schema, fields)) {
    if (!flag.endsWith('-address')) continue
    const value = values[optionKey(flag)]
    if (value === undefined)
      throw queryError('invalidArgument', `--${flag} is missing: give it, or the argument of that name`)
    if (!tryParseAddress(String(value)))
      throw queryError('invalidArgument', `--${flag} ${String(value)}: must be an address in Bech32`)
  }
}

/**
 * Returns the fields that can be positional arguments, in their order: all except switches, lists of anything but coins, and the
 * signers, which the key sets.
 */
function positionalFields(schema: DescMessage, fields: readonly FieldFlag[]): readonly FieldFlag[] {
  const signers = getOption(schema, signer)
  return fields.filter(({ field }) => {
    const isList = field.fieldKind === 'list' && !isCoin(field)
    return !isList && field.fieldKind !== 'map' && field.scalar !== ScalarType.BOOL && !signers.includes(field.name)
  })
}

/** Returns the values of flags and positional arguments. Throws `invalidArgument` for a field that is set twice. */
function withPositional(
  schema: DescMessage,
  fields: readonly FieldFlag[],
  command: Command,
  args: readonly string[],
): Record<string, unknown> {
  const values: Record<string, unknown> = { ...command.opts() }
  const positionals = positionalFields(schema, fields)
  if (args.length > positionals.length) command.error(`error: too many arguments: expected ${positionals.length}`)
  for (const [i, positional] of positionals.entries()) {
    const value = args[i]
    if (value === undefined) break
    const key = optionKey(positional.flag)
    if (values[key] !== undefined)
      throw queryError('invalidArgument', `--${positional.flag} is set twice: by the flag and as argument ${i + 1}`)
    values[key] = isJson(positional) && !value.startsWith('{') ? readInputText(value) : value
  }
  return values
}

function isJson({ field }: FieldFlag): boolean {
  return placeholder(field) === 'json'
}

/** Returns the JSON of a message with all fields empty. */
function template(schema: DescMessage): Record<string, unknown> {
  const emptyOf = (field: DescField): unknown =>
    field.message ? template(field.message) : field.scalar === ScalarType.STRING ? '' : 0
  return Object.fromEntries(
    schema.fields.map((field) => {
      const list = field.fieldKind === 'list' && (field.message ? [emptyOf(field)] : [])
      return [field.name, list || emptyOf(field)]
    }),
  )
}

/** Returns the messages by module, without that of Ethereum transactions, which are signed differently. */
function messagesByModule(): Map<string, Map<string, DescMethod>> {
  const modules = new Map<string, Map<string, DescMethod>>()
  for (const service of services) {
    if (!getOption(service, isMessageService)) continue
    const module = moduleOf(service.file.proto.package)
    const known = modules.get(module) ?? new Map<string, DescMethod>()
    for (const method of service.methods) {
      const name = kebab(method.name)
      if (method.input.typeName !== MsgEthereumTxSchema.typeName && !known.has(name)) known.set(name, method)
    }
    modules.set(module, known)
  }
  return modules
}

/** Modules with hand-written commands, which replace those of the descriptors of the same name. */
const OWN_COMMANDS = new Map([
  [
    'gov',
    (parent: Command, terminal: Terminal) => {
      addGovCommands(parent, terminal)
      addLegacyProposals(parent, terminal)
      addUpgradeProposals(parent.commands.find((command) => command.name() === 'submit-proposal')!, terminal)
    },
  ],
  ['upgrade', addUpgradeProposals],
])

/** Adds positional arguments. One for a message is JSON or the path of a JSON file, which `--template` prints empty. */
function addPositionalArguments(command: Command, positionals: readonly FieldFlag[], terminal: Terminal): void {
  for (const field of positionals) command.argument(`[${field.flag}${isJson(field) ? '-file' : ''}]`)
  const message = positionals.find(isJson)?.field.message
  if (!message) return
  command.option('--template', 'print an empty file to fill in, and exit')
  // Like help, it works without the flags that sending requires.
  command.on('option:template', () => {
    terminal.print(JSON.stringify(template(message), null, 2))
    throw new CommanderError(0, 'almanac.template', '')
  })
}

/** Creates the command `almanac tx` with a subcommand for each module, and below it one for each message. */
export function txCommand(terminal: Terminal): Command {
  const program = new Command('almanac tx').description('Sign and send a transaction').exitOverride()
  addSign(program, terminal)
  addMultisign(program, terminal)
  addDocumentCommands(program, terminal)
  for (const [module, messages] of [...messagesByModule()].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const parent = program.command(module).description(`Send a message of module ${module}`)
    for (const alias of moduleAliases(module)) parent.alias(alias)
    OWN_COMMANDS.get(module)?.(parent, terminal)
    addFamilyCommands(module, parent, terminal, (command) => {
      const method = messages.get(command.name())
      if (!method) return undefined
      const fields = addFieldFlags(command, fieldFlags(method.input.fields))
      return () => send(method, fields, command, terminal)
    })
    const taken = new Set(parent.commands.map((command) => command.name()))
    for (const [name, method] of messages) {
      if (taken.has(name)) continue
      const command = addTxOptions(parent.command(name).description(`Send ${method.input.typeName}`))
      for (const alias of nameAliases(module, name)) if (!taken.has(alias)) command.alias(alias)
      const fields = addFieldFlags(command, fieldFlags(method.input.fields))
      addValidatorOptions(method.input.typeName, command)
      if (signsFirst(method.input.typeName)) command.argument('[from]', 'the key that signs, in place of --from')
      addPositionalArguments(command, positionalFields(method.input, fields), terminal)
      command.action(() => send(method, fields, command, terminal))
    }
  }
  return program
}

/** Runs `almanac tx` with the arguments after its name. Returns the exit code. */
export async function tx(args: readonly string[]): Promise<number> {
  await listsCommands(txCommand(processTerminal())).parseAsync([...args], { from: 'user' })
  return 0
}
