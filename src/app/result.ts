/** Results of transactions: codes, data, and the log texts that clients read. */
import { create, type DescMessage, type Message, toBinary } from '@bufbuild/protobuf'
import { AnySchema } from '@bufbuild/protobuf/wkt'
import { TxMsgDataSchema } from '../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { complete } from '../identity/complete.ts'
import type { Identity } from '../identity/types.ts'
import { EMPTY } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import type { ChainEvent } from '../store/types.ts'
import type { TxResult } from './records.ts'

/** Returns the public fields of a failure. In admission an unexpected failure is `internal` without detail; the node's log has its stack. */
export function failureOf(error: unknown): { readonly code: number; readonly codespace: string; readonly log: string } {
  if (error instanceof ChainError) return { code: error.code, codespace: error.codespace, log: error.message }
  return { code: 1, codespace: 'undefined', log: 'internal' }
}

export function failedResult(
  failure: { readonly code: number; readonly codespace: string; readonly log: string },
  gas: { readonly gasWanted: bigint; readonly gasUsed: bigint },
  events: readonly ChainEvent[] = [],
): TxResult {
  return { ...failure, info: '', data: EMPTY, ...gas, events }
}

export interface MessageResponse {
  readonly schema: DescMessage
  readonly message: Message
}

/** Encodes the `TxMsgData` of responses, under the profile's names. */
export function encodeResponses(identity: Identity, responses: readonly MessageResponse[]): Uint8Array {
  const msgResponses = responses.map(({ schema, message }) =>
    create(AnySchema, {
      typeUrl: `/${identity.toProfileName(schema.typeName)}`,
      value: toBinary(schema, complete(schema, message)),
    }),
  )
  return toBinary(TxMsgDataSchema, create(TxMsgDataSchema, { msgResponses }))
}

/**
 * Returns the log of a transaction as clients read it. The log of a success repeats the events, so it is built on request and
 * not stored.
 */
export function logOf({ log, events }: Pick<TxResult, 'log' | 'events'>): string {
  if (typeof log === 'string') return log
  return successLog(log.map((start, message) => events.slice(start, log[message + 1])))
}

/** Formats the log of a success: events by message, each with its type, then its attributes, key before value. */
export function successLog(eventsOfMessages: readonly (readonly ChainEvent[])[]): string {
  return JSON.stringify(eventsOfMessages.map((events, index) => ({ msg_index: index, events })))
}
