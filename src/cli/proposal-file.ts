/**
 * Proposals as files: `{messages, metadata, deposit, title, summary}`, or of the old form `{type, title, description, deposit}`, as the
 * tools of this family write them.
 */
import { readFileSync } from 'node:fs'
import { create, type DescMessage, getOption, type JsonValue } from '@bufbuild/protobuf'
import { MsgSubmitProposalSchema } from '../gen/sdk/gov/v1/tx_pb.ts'
import { MsgSubmitProposalSchema as LegacySubmitProposalSchema } from '../gen/sdk/gov/v1beta1/tx_pb.ts'
import { signer } from '../gen/sdk/msg/v1/msg_pb.ts'
import { messageType } from '../identity/registry.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32, ofModule } from '../primitives/address.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { fromJson, type JsonNames, toJson } from '../sdk/json.ts'

type JsonObject = { [key: string]: JsonValue }

/** What a file may say; a flag of the same name says it instead. */
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

/** The fields that the one who proposes must sign for: left out of a file they are governance. */
function withAuthority(identity: Identity, message: JsonValue): JsonValue {
  if (message === null || typeof message !== 'object' || Array.isArray(message)) return message
  const type = message['@type']
  const schema = typeof type === 'string' ? typeOf(identity, type) : undefined
  if (!schema) return message
  const missing = getOption(schema, signer).filter((name) => message[name] === undefined)
  return { ...message, ...Object.fromEntries(missing.map((name) => [name, authorityOf(identity)])) }
}

/** A message type by its name or type URL, in neutral words or the profile's. */
function typeOf(identity: Identity, name: string): DescMessage | undefined {
  return messageType(identity.toNeutralName(name.slice(name.lastIndexOf('/') + 1)))
}

/** An object of known entries in a file. Throws 3 `invalidArgument` that says what is wrong with it. */
function readEntries(path: string, keys: readonly string[]): Record<string, unknown> {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw wrongFile(path, error instanceof SyntaxError ? `not JSON: ${error.message}` : 'the file cannot be read')
  }
  if (json === null || typeof json !== 'object' || Array.isArray(json)) throw wrongFile(path, 'not a JSON object')
  for (const key of Object.keys(json)) {
    if (!keys.includes(key)) throw wrongFile(path, `unknown entry "${key}"; known are ${keys.join(', ')}`)
  }
  return json as Record<string, unknown>
}

const wrongFile = (path: string, what: string) => queryError('invalidArgument', `${path}: ${what}`)

function requireTexts(path: string, texts: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value !== 'string') throw wrongFile(path, `${key} is no text`)
  }
  return texts as Record<string, string>
}

/** Reads a file. Throws 3 `invalidArgument` that says what is wrong with it. */
export function readProposalFile(path: string): ProposalFile {
  const { messages = [], ...texts } = readEntries(path, KEYS)
  if (!Array.isArray(messages)) throw wrongFile(path, 'messages is no list')
  const empty = { metadata: '', deposit: '', title: '', summary: '' }
  return { ...empty, ...requireTexts(path, texts), messages: messages as JsonValue[] }
}

/** Reads a file of the old form. Throws as `readProposalFile`. */
export function readLegacyProposalFile(path: string): LegacyProposalFile {
  return requireTexts(path, readEntries(path, LEGACY_KEYS))
}

/** The messages of a file; the signer of each is governance where the file is silent. Throws 3 with the place of a fault. */
export function readMessages(identity: Identity, messages: readonly JsonValue[]) {
  const json = { messages: messages.map((message) => withAuthority(identity, message)) }
  return readAs(identity, MsgSubmitProposalSchema, json, 'proposal').messages
}

/** A proposal of the old form, of a content with its neutral type name. Throws 3 with the place of a fault. */
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

function readAs<Schema extends DescMessage>(identity: Identity, schema: Schema, json: JsonValue, place: string) {
  try {
    return fromJson(names(identity), schema, json, place)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw queryError('invalidArgument', error.message.replace(/: failed to unmarshal JSON bytes$/, ''))
  }
}

/** A file to fill in for a message type. Throws 3 for a type that is not known. */
export function draftProposal(identity: Identity, typeName: string | undefined): ProposalFile {
  const texts = { metadata: '', deposit: `10000000${identity.baseDenom}`, title: '', summary: '' }
  if (typeName === undefined) return { messages: [], ...texts }
  const schema = typeOf(identity, typeName)
  if (!schema) throw queryError('invalidArgument', `unknown message type "${typeName}"`)
  const fields = toJson(names(identity), schema, create(schema)) as JsonObject
  for (const field of getOption(schema, signer)) fields[field] = authorityOf(identity)
  return { messages: [{ '@type': `/${identity.toProfileName(schema.typeName)}`, ...fields }], ...texts }
}
