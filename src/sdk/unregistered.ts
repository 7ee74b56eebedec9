/** Failures that the reference reports without a registered error (docs/transactions.md#results, D1). */
import { ChainError } from '../primitives/errors.ts'
import type { ReadContext } from './context.ts'
import { isOutOfGas } from './errors.ts'

/** Returns a failure with codespace `undefined` and code 1 where `unregisteredErrors` is on, else as it is. */
export function unregistered({ identity }: ReadContext, failure: ChainError): ChainError {
  if (!identity.behaviours.unregisteredErrors) return failure
  const { status, details, message } = failure
  return new ChainError('undefined', { code: 1, status, text: message }, message, details)
}

/** Runs a part of a message whose failures are unregistered, except those of the gas meter and those that `isRegistered` names. */
export function withUnregistered<T>(
  ctx: ReadContext,
  run: () => T,
  isRegistered: (failure: ChainError) => boolean = () => false,
): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ChainError) || isOutOfGas(error) || isRegistered(error)) throw error
    throw unregistered(ctx, error)
  }
}
