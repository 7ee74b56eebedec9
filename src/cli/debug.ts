/** `almanac debug`: converts addresses, keys and messages between their forms. Asks no node. */
import type { DescMessage } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { Command } from 'commander'
import { createJsonWriter } from '../api/json.ts'
import { messageType } from '../identity/registry.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32 } from '../primitives/address.ts'
import { formatHex, parseBase64, parseHex } from '../primitives/bytes.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { decodeMessage } from '../sdk/decode.ts'
import { addressOf, decodePublicKey, encodePublicKey, type PublicKey, type SimpleKey } from '../sdk/public-key.ts'
import { listsCommands } from './command-list.ts'
import { parseAddress } from './keys/addresses.ts'
import { addHomeOptions } from './keys/open.ts'
import { formatOutput, parseOutputFormat } from './output.ts'
import { identityOfFlags, type ProfileFlags } from './profile.ts'
import { processTerminal, type Terminal } from './terminal.ts'
import { readMessageText } from './tx/tx-file.ts'

interface DebugFlags extends ProfileFlags {
  readonly output: string
}

/** Names of `--type`, with the kind of key and its length in bytes. */
const KEY_TYPES: Readonly<Record<string, readonly [kind: SimpleKey['kind'], length: number]>> = {
  ed25519: ['ed25519', 32],
  secp256k1: ['secp256k1', 33],
  eth_secp256k1: ['ethSecp256k1', 33],
}

/** Runs `almanac debug` with the arguments after its name. Returns the exit code. */
export async function debug(
  args: readonly string[],
  _build?: unknown,
  terminal: Terminal = processTerminal(),
): Promise<number> {
  const program = new Command('almanac debug')
    .description('Convert addresses, keys and messages between their forms, without a node')
    .exitOverride()
  const add = (words: string, about: string) =>
    addHomeOptions(program.command(words).description(about)).option(
      '-o, --output <format>',
      'output format: yaml or json',
      'yaml',
    )
  const print = (value: unknown, { output }: DebugFlags) =>
    terminal.print(formatOutput(value, parseOutputFormat(output)))

  add('addr <address>', 'Show an address in Bech32 and hexadecimal forms').action((text: string, flags: DebugFlags) =>
    print(parseAddress(text, identityOfFlags(flags)), flags),
  )
  add('pubkey <json>', 'Show a public key, as `keys show --pubkey` prints it, with its addresses').action(
    (text: string, flags: DebugFlags) => {
      const identity = identityOfFlags(flags)
      print(describeKey(identity, decodePublicKey(identity, readMessageText(identity, AnySchema, text, 'key'))), flags)
    },
  )
  add('pubkey-raw <key>', 'Show a public key of hexadecimal digits or base64 with its addresses')
    .option('-t, --type <type>', `type of the key: ${Object.keys(KEY_TYPES).join(', ')}`, 'ed25519')
    .action((text: string, flags: DebugFlags & { readonly type: string }) =>
      print(describeKey(identityOfFlags(flags), parseRawKey(text, flags.type)), flags),
    )
  add('raw-bytes <bytes>', 'Print bytes such as "[72 101 108]" as hexadecimal digits').action((text: string) =>
    terminal.print(formatHex(parseDecimals(text)).toUpperCase()),
  )
  add('prefixes', 'Show the prefixes of addresses').action((flags: DebugFlags) => {
    const { account, validator, consensus } = identityOfFlags(flags).bech32
    print({ account, validator, consensus }, flags)
  })
  add('base64-decode <json>', 'Decode messages of JSON, such as {"type_url": "…", "value": "base64"}').action(
    (text: string, flags: DebugFlags) => print(decodePacked(identityOfFlags(flags), text), flags),
  )
  await listsCommands(program).parseAsync(args.length === 0 ? ['--help'] : [...args], { from: 'user' })
  return 0
}

/** Returns a key in all its forms. Throws sdk 8 if it is no point of its curve. */
function describeKey(identity: Identity, key: PublicKey): object {
  const packed = encodePublicKey(identity, key)
  const json = createJsonWriter(identity).of(AnySchema)({ $typeName: 'google.protobuf.Any', ...packed })
  const { account, validator, consensus } = identity.bech32
  const address = addressOf(identity, key)
  return {
    pubkey: JSON.parse(json) as unknown,
    ...(key.kind !== 'multisig' && { hex: formatHex(key.key).toUpperCase() }),
    address: formatHex(address).toUpperCase(),
    formats: [account, validator, consensus].map((prefix) => formatBech32(prefix, address)),
  }
}

function parseRawKey(text: string, type: string): SimpleKey {
  const found = KEY_TYPES[type]
  if (!found) throw queryError('invalidArgument', `--type ${type}: must be one of ${Object.keys(KEY_TYPES).join(', ')}`)
  const [kind, length] = found
  const key = [parseHex(text), parseBase64(text)].find((bytes) => bytes?.length === length)
  if (key) return { kind, key }
  throw queryError('invalidArgument', `key ${text}: must be ${length} bytes of ${type} in hexadecimal digits or base64`)
}

function parseDecimals(text: string): Uint8Array {
  const words = /^\[?([\d\s,]*)\]?$/
    .exec(text.trim())?.[1]
    ?.split(/[\s,]+/)
    .filter((word) => word !== '')
  const numbers = words?.map(Number)
  if (numbers !== undefined && numbers.length > 0 && numbers.every((number) => number <= 255))
    return Uint8Array.from(numbers)
  throw queryError('invalidArgument', `bytes ${text}: must be numbers from 0 to 255, such as "[72 101 108]"`)
}

/** Returns the messages that a JSON text has in packed form, at any place. */
function decodePacked(identity: Identity, text: string): readonly object[] {
  const packed: { readonly type_url: string; readonly value: string }[] = []
  try {
    JSON.parse(text, (_, value) => {
      if (typeof value?.type_url === 'string' && typeof value.value === 'string') packed.push(value)
      return value
    })
  } catch (error) {
    throw queryError('invalidArgument', `not JSON: ${(error as Error).message}`)
  }
  if (packed.length === 0)
    throw queryError('invalidArgument', 'the JSON has no object with the texts type_url and value')
  return packed.map(({ type_url, value }) => {
    const schema = schemaOf(identity, type_url)
    const bytes = parseBase64(value)
    if (!bytes) throw queryError('invalidArgument', `value of ${type_url}: must be base64`)
    try {
      const json = createJsonWriter(identity).of(schema)(decodeMessage(schema, bytes))
      return { type_url, value: JSON.parse(json) as unknown }
    } catch (error) {
      if (!(error instanceof ChainError)) throw error
      throw queryError('invalidArgument', `value of ${type_url}: ${error.message}`)
    }
  })
}

function schemaOf(identity: Identity, typeUrl: string): DescMessage {
  const schema = messageType(neutralTypeName(identity, typeUrl))
  if (schema) return schema
  throw queryError('notFound', `type_url ${typeUrl}: this build has no such message`)
}
