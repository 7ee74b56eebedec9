/**
 * Fields of a message that its descriptor lacks. Critical ones are refused, as they could change the
 * meaning.
 */
import type { DescMessage, Message } from '@bufbuild/protobuf'
import { errors } from './errors.ts'
import { requireTimeRange } from './time-range.ts'

/** Bit 11 of the field number marks a field that can be ignored (docs/transactions.md#decoding). */
const NON_CRITICAL_BIT = 0x400

/**
 * Whether a message contains unknown fields that are not refused, at any depth. Throws sdk 2 for a refused one: every unknown
 * field with `all`, critical ones with `critical`. Also throws sdk 2 for a time or duration out of range.
 */
export function hasUnknownFields(schema: DescMessage, message: Message, refuse: 'critical' | 'all'): boolean {
  let found = false
  requireTimeRange(schema, message)
  for (const unknown of message.$unknown ?? []) {
    if (refuse === 'all' || (unknown.no & NON_CRITICAL_BIT) === 0) {
      throw errors.txDecode(`unknown field ${unknown.no} in ${schema.typeName}`)
    }
    found = true
  }
  for (const field of schema.fields) {
    if (!field.message || field.fieldKind === 'map') continue
    const value = fieldValue(message, field)
    for (const part of Array.isArray(value) ? value : [value]) {
      if (part && hasUnknownFields(field.message, part as Message, refuse)) found = true
    }
  }
  return found
}

function fieldValue(message: Message, field: DescMessage['fields'][number]): unknown {
  const record = message as unknown as Record<string, unknown>
  if (!field.oneof) return record[field.localName]
  const selected = record[field.oneof.localName] as { case: string | undefined; value?: unknown }
  return selected.case === field.localName ? selected.value : undefined
}
