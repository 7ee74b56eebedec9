/** Errors that say where in a document they stand. */
import { ChainError } from '../primitives/errors.ts'
import { errors, isOutOfGas } from './errors.ts'

/** Runs; a `ChainError` goes on with the place before its message. Gas runs out everywhere: that error stays as it is. */
export function inPlace<T>(place: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof ChainError) || isOutOfGas(error)) throw error
    const { codespace, code, status, details } = error
    throw new ChainError(codespace, { code, status, text: '' }, `${place}: ${error.message}`, details)
  }
}

/** A part of a document that must be there. Throws sdk 18 with its name. */
export function required<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw errors.invalidRequest(`${name} is missing`)
  return value
}
