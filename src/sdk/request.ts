/** Fields of query requests: parsed, or refused with the field named (D23). */
import { create } from '@bufbuild/protobuf'
import { FieldViolationSchema } from '../gen/chain/errors/v1/errors_pb.ts'
import { isValid } from '../primitives/denom.ts'
import { ChainError, queryError } from '../primitives/errors.ts'

/** The failure of one field: 3 `invalidArgument` with the message, and the field as typed detail. */
export function wrongField(field: string, message: string): ChainError {
  return queryError('invalidArgument', message, [create(FieldViolationSchema, { field, description: message })])
}

/** The registered text that a malformed address carries in results of transactions. */
const REGISTERED_TEXT = /: invalid address$/

/** What `parse` makes of a field; what it refuses is a wrong field, its own text alone behind `prefix`. */
export function parseField<Value>(field: string, parse: () => Value, prefix = ''): Value {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw wrongField(field, `${prefix}${error.message.replace(REGISTERED_TEXT, '')}`)
  }
}

/** Throws 3 unless the field holds a denomination. */
export function requireDenom(field: string, denom: string): void {
  if (!isValid(denom)) throw wrongField(field, `invalid denom: ${denom}`)
}
