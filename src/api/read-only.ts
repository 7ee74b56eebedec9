/** A node that takes no transactions: its driver answers each with the reason. */
import type { Driver } from '../consensus/driver.ts'
import { type ChainError, queryError } from '../primitives/errors.ts'

/** Returns the error of a transaction that is sent to such a node. */
export const readOnlyError = (): ChainError =>
  queryError(
    'failedPrecondition',
    'this node is read-only and takes no transactions: send them to another node of the chain',
  )

/** Returns a driver that refuses transactions, and is otherwise the given one. */
export function readOnlyDriver(driver: Driver): Driver {
  const refuse = () => Promise.reject(readOnlyError())
  // A prototype keeps properties that are computed at each access.
  return Object.create(driver, {
    submit: { value: refuse },
    submitAndWait: { value: refuse },
    development: { value: undefined },
  }) as Driver
}
