/** Fields of query requests, parsed or refused with the name of the field (D23). */
import { create } from '@bufbuild/protobuf'
import { FieldViolationSchema } from '../gen/chain/errors/v1/errors_pb.ts'
import { isValid } from '../primitives/denom.ts'
import { ChainError, queryError } from '../primitives/errors.ts'

/** Returns the error for one field: 3 `invalidArgument` with the message, and the field as a typed detail. */
export function wrongField(field: string, message: string): ChainError {
  return queryError('invalidArgument', message, [create(FieldViolationSchema, { field, description: message })])
}

/** The registered text that ends the error of a malformed address in transaction results. */
const REGISTERED_TEXT = /: invalid address$/

/**
 * Returns the result of `parse`. Rethrows its `ChainError` as the error of the field: `prefix`, then the error's message
 * without the registered text.
 */
export function parseField<Value>(field: string, parse: () => Value, prefix = ''): Value {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    throw wrongField(field, `${prefix}${error.message.replace(REGISTERED_TEXT, '')}`)
  }
}

/** Throws 3 unless the field is a valid denom. */
export function requireDenom(field: string, denom: string): void {
  if (!isValid(denom)) throw wrongField(field, `invalid denom: ${denom}`)
}
