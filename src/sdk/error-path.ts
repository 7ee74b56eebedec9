/** Errors prefixed with the path in a document that they refer to. */
import { ChainError } from '../primitives/errors.ts'
import { errors, isOutOfGas } from './errors.ts'

/** Calls `run` and rethrows a `ChainError` with `path: ` before its message. Out of gas is rethrown unchanged: it has no path. */
export function withErrorPath<T>(path: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ChainError) || isOutOfGas(error)) throw error
    const { codespace, code, status, details } = error
    throw new ChainError(codespace, { code, status, text: '' }, `${path}: ${error.message}`, details)
  }
}

/** Returns a required part of a document. Throws sdk 18 with its name if it is missing. */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw errors.invalidRequest(`${name} is missing`)
  return value
}
