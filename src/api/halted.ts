/** The header by which every answer reports that the chain has halted. */
import type { Driver, Halted } from '../consensus/driver.ts'

export const HALTED_HEADER = 'X-Chain-Halted'

/** Returns the value of the header. Characters that a header cannot carry are percent-encoded. */
function haltedText({ reason, next }: Halted): string {
  return `${reason}; ${next}`.replace(/[^ -~]+/g, encodeURIComponent)
}

/** Returns name and value of the header; undefined unless the chain has halted. */
export function haltedHeader({ status }: Pick<Driver, 'status'>): readonly [string, string] | undefined {
  const { halted } = status()
  return halted && [HALTED_HEADER, haltedText(halted)]
}
