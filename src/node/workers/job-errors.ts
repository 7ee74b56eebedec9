/** The errors of jobs that end without a result of their own. */
import { type ChainError, queryError } from '../../primitives/errors.ts'

export function timeError(timeoutMs: number): ChainError {
  return queryError('deadlineExceeded', `the computation took longer than its time budget of ${timeoutMs / 1000} s`)
}

/** Returns the error of a job that no thread began in its time. */
export function waitError(timeoutMs: number): ChainError {
  return queryError('deadlineExceeded', `no thread was free within the time budget of ${timeoutMs / 1000} s; try again`)
}

export const cancelledError = (): ChainError => queryError('cancelled', 'the request was cancelled')
export const memoryError = (): ChainError =>
  queryError('resourceExhausted', 'the computation needed more memory than its budget')
export const internalError = (): ChainError => queryError('internal', 'internal error')
