/** How every answer of a node whose chain has halted says so. */
import type { Driver, Halted } from '../consensus/driver.ts'

export const HALTED_HEADER = 'X-Chain-Halted'

/** The value of the header: what cannot stand in one is percent-encoded. */
function haltedText({ reason, next }: Halted): string {
  return `${reason}; ${next}`.replace(/[^ -~]+/g, encodeURIComponent)
}

/** The header as name and value, where the chain has halted. */
export function haltedHeader({ status }: Pick<Driver, 'status'>): readonly [string, string] | undefined {
  const { halted } = status()
  return halted && [HALTED_HEADER, haltedText(halted)]
}
