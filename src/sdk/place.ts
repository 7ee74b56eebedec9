/** Errors that say where in a document they stand. */
import { ChainError } from '../primitives/errors.ts'
import { isOutOfGas } from './errors.ts'

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
