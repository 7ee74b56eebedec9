/**
 * Proposals in JSON files, in the formats of the Cosmos SDK: `{messages, metadata, deposit, title, summary}`, or the legacy
 * `{type, title, description, deposit}`.
 */
import { create, type DescMessage, getOption, type JsonValue } from '@bufbuild/protobuf'
import { MsgSubmitProposalSchema } from '../gen/sdk/gov/v1/tx_pb.ts'
import { MsgSubmitProposalSchema as LegacySubmitProposalSchema } from '../gen/sdk/gov/v1beta1/tx_pb.ts'
import { signer } from '../gen/sdk/msg/v1/msg_pb.ts'
import { messageType } from '../identity/registry.ts'
import { neutralTypeName } from '../identity/type-name.ts'
import type { Identity } from '../identity/types.ts'
import { readInputText } from '../node/input-file.ts'
import { formatBech32, ofModule } from '../primitives/address.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { parseRequestJson } from '../primitives/request-json.ts'
import { fromJson, type JsonNames, toJson } from '../sdk/json.ts'

type JsonObject = { [key: string]: JsonValue }

/** Fields of a file. A flag of the same name overrides a field. */
const KEYS = ['messages', 'metadata', 'deposit', 'title', 'summary']
const LEGACY_KEYS = ['type', 'title', 'description', 'deposit'] as const

export type LegacyProposalFile = Readonly<Partial<Record<(typeof LEGACY_KEYS)[number], string>>>

export interface ProposalFile {
  readonly messages: readonly JsonValue[]
  readonly metadata: string
  /** `10000000unative`. */
  readonly deposit: string
  readonly title: string
  readonly summary: string
}

const names = (identity: Identity): JsonNames => ({ identity, app: { message: messageType } })

export const authorityOf = (identity: Identity): string => formatBech32(identity.bech32.account, ofModule('gov'))

/** Sets the signer fields that a message omits to the account of governance. */
function withAuthority(identity: Identity, message: JsonValue): JsonValue {
  if (message === null || typeof message !== 'object' || Array.isArray(message)) return message
  const type = message['@type']
  const schema = typeof type === 'string' ? typeOf(identity, type) : undefined
  if (!schema) return message
  const missing = getOption(schema, signer).filter((name) => message[name] === undefined)
  return { ...message, ...Object.fromEntries(missing.map((name) => [name, authorityOf(identity)])) }
}

/** Returns the message type of a name or type URL, neutral or of the profile. */
function typeOf(identity: Identity, name: string): DescMessage | undefined {
  return messageType(neutralTypeName(identity, name))
}

/** Reads a JSON object with known fields. Throws `invalidArgument` with the path and the error. */
function readFields(path: string, keys: readonly string[]): Record<string, unknown> {
  const text = readInputText(path)
  let json: unknown
  try {
    json = parseRequestJson(text)
  } catch (error) {
    throw wrongFile(path, `must be JSON: ${(error as Error).message}`)
  }
  if (json === null || typeof json !== 'object' || Array.isArray(json)) throw wrongFile(path, 'must be a JSON object')
  for (const key of Object.keys(json)) {
    if (!keys.includes(key)) throw wrongFile(path, `unknown field "${key}": must be one of ${keys.join(', ')}`)
  }
  return json as Record<string, unknown>
}

const wrongFile = (path: string, fault: string) => queryError('invalidArgument', `${path}: ${fault}`)

function requireTexts(path: string, texts: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value !== 'string') throw wrongFile(path, `${key} must be a string`)
  }
  return texts as Record<string, string>
}

/** Reads a proposal file. Throws `invalidArgument` with the path and the error. */
export function readProposalFile(path: string): ProposalFile {
  const { messages = [], ...texts } = readFields(path, KEYS)
  if (!Array.isArray(messages)) throw wrongFile(path, 'messages must be a list')
  const empty = { metadata: '', deposit: '', title: '', summary: '' }
  return { ...empty, ...requireTexts(path, texts), messages: messages as JsonValue[] }
}

/** Reads a legacy proposal file. Throws `invalidArgument` with the path and the error. */
export function readLegacyProposalFile(path: string): LegacyProposalFile {
  return requireTexts(path, readFields(path, LEGACY_KEYS))
}

/**
 * Parses the messages of a file. A signer that the file omits is governance. Throws `invalidArgument` with the path of the
 * field.
 */
export function readMessages(identity: Identity, messages: readonly JsonValue[]) {
  const json = { messages: messages.map((message) => withAuthority(identity, message)) }
  return readAs(identity, MsgSubmitProposalSchema, json, 'proposal').messages
}

/** Makes a legacy proposal from a content and its neutral type name. Throws `invalidArgument` with the path of the field. */
export function readLegacyProposal(
  identity: Identity,
  typeName: string,
  content: JsonObject,
  rest: { readonly deposit: readonly JsonValue[]; readonly proposer: string },
) {
  const typed = { '@type': `/${identity.toProfileName(typeName)}`, ...content }
  const json = { content: typed, initial_deposit: [...rest.deposit], proposer: rest.proposer }
  return readAs(identity, LegacySubmitProposalSchema, json, 'proposal')
}

function readAs<Schema extends DescMessage>(identity: Identity, schema: Schema, json: JsonValue, root: string) {
  try {
    return fromJson(names(identity), schema, json, root)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw queryError('invalidArgument', error.message.replace(/: failed to unmarshal JSON bytes$/, ''))
  }
}

/** Returns a proposal file to fill in for a message type. Throws `invalidArgument` for an unknown type. */
export function draftProposal(identity: Identity, typeName: string | undefined): ProposalFile {
  const texts = { metadata: '', deposit: `10000000${identity.baseDenom}`, title: '', summary: '' }
  if (typeName === undefined) return { messages: [], ...texts }
  const schema = typeOf(identity, typeName)
  if (!schema)
    throw queryError(
      'invalidArgument',
      `unknown message type "${typeName}": must be a type such as sdk.consensus.v1.MsgUpdateParams`,
    )
  const fields = toJson(names(identity), schema, create(schema)) as JsonObject
  for (const field of getOption(schema, signer)) fields[field] = authorityOf(identity)
  return { messages: [{ '@type': `/${identity.toProfileName(schema.typeName)}`, ...fields }], ...texts }
}
