/** Proposals as files: `{messages, metadata, deposit, title, summary}`, as the tools of this family write them. */
import { readFileSync } from 'node:fs'
import { create, type DescMessage, getOption, type JsonValue } from '@bufbuild/protobuf'
import { MsgSubmitProposalSchema } from '../gen/sdk/gov/v1/tx_pb.ts'
import { signer } from '../gen/sdk/msg/v1/msg_pb.ts'
import { messageType } from '../identity/registry.ts'
import type { Identity } from '../identity/types.ts'
import { formatBech32, ofModule } from '../primitives/address.ts'
import { ChainError, queryError } from '../primitives/errors.ts'
import { fromJson, type JsonNames, toJson } from '../sdk/json.ts'

type JsonObject = { [key: string]: JsonValue }

/** What a file may say; a flag of the same name says it instead. */
const KEYS = ['messages', 'metadata', 'deposit', 'title', 'summary'] as const

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

/** Reads a file. Throws 3 `invalidArgument` that says what is wrong with it. */
export function readProposalFile(path: string): ProposalFile {
  const wrong = (what: string) => queryError('invalidArgument', `${path}: ${what}`)
  let json: unknown
  try {
    json = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw wrong(error instanceof SyntaxError ? `not JSON: ${error.message}` : 'the file cannot be read')
  }
  if (json === null || typeof json !== 'object' || Array.isArray(json)) throw wrong('not a JSON object')
  const record = json as Record<string, unknown>
  for (const key of Object.keys(record)) {
    if (!(KEYS as readonly string[]).includes(key)) throw wrong(`unknown entry "${key}"; known are ${KEYS.join(', ')}`)
  }
  const { messages = [], ...texts } = record
  if (!Array.isArray(messages)) throw wrong('messages is no list')
  for (const [key, value] of Object.entries(texts)) if (typeof value !== 'string') throw wrong(`${key} is no text`)
  return { ...{ metadata: '', deposit: '', title: '', summary: '' }, ...texts, messages: messages as JsonValue[] }
}

/** The messages of a file; the signer of each is governance where the file is silent. Throws 3 with the place of a fault. */
export function readMessages(identity: Identity, messages: readonly JsonValue[]) {
  try {
    const json = { messages: messages.map((message) => withAuthority(identity, message)) }
    return fromJson(names(identity), MsgSubmitProposalSchema, json, 'proposal').messages
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
