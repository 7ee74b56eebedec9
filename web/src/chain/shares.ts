/** The contracts that are registered for developer gas, from the store of the module: no query lists them all. */
import { BinaryReader } from '@bufbuild/protobuf/wire'
import { ApiError, ask } from '../api/ask.ts'
import { engine, type Question } from '../api/question.ts'

export interface Share {
  readonly contract: string
  readonly deployer: string
  /** The address that is paid; empty if it is the deployer. */
  readonly withdrawer: string
}

interface Answer {
  readonly response: { readonly code: number; readonly log: string; readonly value: string | null }
}

/** First byte of the keys of registrations (docs/modules/devgas.md#state). */
const PREFIX = '01'

/** Returns the question for all registrations at a height. */
export const sharesQuestion = (height: bigint | undefined): Question =>
  engine('abci_query', { path: '/store/devgas/subspace', data: PREFIX, height: String(height ?? 0) })

/** Returns the registrations in the order of the contracts' addresses. */
export async function readShares(question: Question, signal: AbortSignal): Promise<readonly Share[]> {
  const { code, log, value } = (await ask<Answer>(question, { signal })).response
  if (code !== 0) throw new ApiError(log, 200, code)
  const pairs = Uint8Array.from(atob(value ?? ''), (one) => one.charCodeAt(0))
  const text = (bytes: Uint8Array | undefined): string => new TextDecoder().decode(bytes)
  return fieldsOf(pairs).map(([, pair]) => {
    const record = new Map(fieldsOf(new Map(fieldsOf(pair)).get(2) ?? new Uint8Array()))
    return { contract: text(record.get(1)), deployer: text(record.get(2)), withdrawer: text(record.get(3)) }
  })
}

/** Returns the fields of an encoded message whose fields are all texts, bytes or messages. */
function fieldsOf(message: Uint8Array): (readonly [number: number, bytes: Uint8Array])[] {
  const reader = new BinaryReader(message)
  const fields: (readonly [number, Uint8Array])[] = []
  while (reader.pos < reader.len) {
    const [number] = reader.tag()
    fields.push([number, reader.bytes()])
  }
  return fields
}
