/** `almanac tx MODULE MESSAGE`: every message of the descriptors, signed with a key of the keyring and sent. */
import { readFileSync } from 'node:fs'
import { type DescField, type DescMessage, type DescMethod, getOption, ScalarType } from '@bufbuild/protobuf'
import { Command, CommanderError } from 'commander'
import { readJson } from '../api/json-read.ts'
import { MsgEthereumTxSchema } from '../gen/chain/evm/v1/tx_pb.ts'
import { service as isMessageService, signer } from '../gen/sdk/msg/v1/msg_pb.ts'
import { services } from '../identity/registry.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32 } from '../primitives/address.ts'
import { queryError } from '../primitives/errors.ts'
import { addFieldFlags, type FieldFlag, fieldFlags, kebab, optionKey, placeholder, requestJson } from './flags.ts'
import { moduleOf } from './query.ts'
import { addTxOptions, sendTx, type TxFlags } from './send-tx.ts'
import { moduleAliases, nameAliases, takesPlaces } from './short-names.ts'
import { processTerminal, type Terminal } from './terminal.ts'
import { addGovCommands } from './tx-gov.ts'
import { addLegacyProposals } from './tx-gov-legacy.ts'
import { addUpgradeProposals } from './tx-upgrade.ts'

/** The message of a command, its signers filled in from the key. */
function readMessage(
  identity: Identity,
  schema: DescMessage,
  flags: readonly FieldFlag[],
  values: Record<string, unknown>,
  address: Uint8Array,
) {
  const json = requestJson(flags, values)
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
  const values = withPlaced(method.input, fields, command)
  await sendTx(command.opts<TxFlags>(), terminal, ({ identity, address }) => {
    const schema = method.input
    return [{ schema, message: readMessage(identity, schema, fields, values, address) }]
  })
}

/** Fields that may be given without their flag, in their order: all but the signers, which the key says. */
function placedFields(schema: DescMessage, fields: readonly FieldFlag[]): readonly FieldFlag[] {
  const signers = getOption(schema, signer)
  return fields.filter(({ field }) => field.fieldKind !== 'list' && !signers.includes(field.name))
}

/** What stands on the command line, by flags and by place. Throws 3 for a field that is given twice. */
function withPlaced(schema: DescMessage, fields: readonly FieldFlag[], command: Command): Record<string, unknown> {
  const values: Record<string, unknown> = { ...command.opts() }
  for (const [i, place] of placedFields(schema, fields).entries()) {
    const value = command.args[i]
    if (value === undefined) break
    const key = optionKey(place.flag)
    if (values[key] !== undefined) throw queryError('invalidArgument', `--${place.flag} is given twice`)
    values[key] = isJson(place) && !value.startsWith('{') ? readFileSync(value, 'utf8') : value
  }
  return values
}

function isJson({ field }: FieldFlag): boolean {
  return placeholder(field) === 'json'
}

/** The JSON of a message with nothing in it but its names. */
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

/** Messages by module; those of Ethereum transactions have their own signatures and are not sent this way. */
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

/** Modules with commands that take words; they stand in place of those of the descriptors under the same name. */
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

/** Fields by place: those of a message as JSON text or the name of a file with it, which `--template` begins. */
function addPlaces(command: Command, places: readonly FieldFlag[], terminal: Terminal): void {
  for (const place of places) command.argument(`[${place.flag}${isJson(place) ? '-file' : ''}]`)
  const message = places.find(isJson)?.field.message
  if (!message) return
  command.option('--template', 'print what such a file holds, to be filled in')
  // As help does, it answers without what sending needs.
  command.on('option:template', () => {
    terminal.print(JSON.stringify(template(message), null, 2))
    throw new CommanderError(0, 'almanac.template', '')
  })
}

/** `almanac tx` with a subcommand for each module, and under it one for each message. */
export function txCommand(terminal: Terminal): Command {
  const program = new Command('almanac tx').description('Sign and send a transaction').exitOverride()
  for (const [module, messages] of [...messagesByModule()].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const parent = program.command(module).description(`Messages of ${module}`)
    for (const alias of moduleAliases(module)) parent.alias(alias)
    OWN_COMMANDS.get(module)?.(parent, terminal)
    const taken = new Set(parent.commands.map((command) => command.name()))
    for (const [name, method] of messages) {
      if (taken.has(name)) continue
      const command = addTxOptions(parent.command(name).description(method.input.typeName))
      for (const alias of nameAliases(module, name)) command.alias(alias)
      const fields = addFieldFlags(command, fieldFlags(method.input.fields))
      if (takesPlaces(module)) addPlaces(command, placedFields(method.input, fields), terminal)
      command.action(() => send(method, fields, command, terminal))
    }
  }
  return program
}

/** Runs `almanac tx` with what stands behind its name; the exit code. Throws what `main` prints. */
export async function tx(args: readonly string[]): Promise<number> {
  await txCommand(processTerminal()).parseAsync([...args], { from: 'user' })
  return 0
}
