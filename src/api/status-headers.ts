/** The headers by which every answer reports that the chain has halted, and how far a replica is behind. */
import type { Driver, FollowStatus, Halted } from '../consensus/driver.ts'
import { cachePerObject } from '../primitives/cache.ts'

export const HALTED_HEADER = 'X-Chain-Halted'
export const LAG_HEADER = 'X-Chain-Lag'

/** Names of the headers, for pages of other origins. */
export const STATUS_HEADERS = [HALTED_HEADER, LAG_HEADER] as const

/** Returns the reason of a halt. Characters that a header cannot carry are percent-encoded. */
function haltedText({ reason, next }: Halted): string {
  return `${reason}; ${next}`.replace(/[^ -~]+/g, encodeURIComponent)
}

/** Returns the seconds that a replica is behind, with parameters: a structured item of RFC 9651. */
const lagText = cachePerObject(({ lagSeconds, lagBlocks, verifiedHeight, queue, stopped }: FollowStatus): string => {
  const parts = [
    lagSeconds.toFixed(3),
    // Absent while the node does not answer.
    ...(lagBlocks === undefined ? [] : [`blocks=${lagBlocks}`]),
    ...(verifiedHeight === undefined ? ['unverified'] : [`verified=${verifiedHeight}`]),
    `queue=${queue}`,
    ...(stopped === undefined ? [] : ['stopped']),
  ]
  return parts.join(';')
})

/** Returns names and values in turn of the headers that the status of a chain calls for; none usually. */
export function statusHeaders({ status }: Pick<Driver, 'status'>): readonly string[] {
  const { halted, follow } = status()
  if (!halted && !follow) return NONE
  return [...(halted ? [HALTED_HEADER, haltedText(halted)] : []), ...(follow ? [LAG_HEADER, lagText(follow)] : [])]
}

const NONE: readonly string[] = []

/** The same as pairs. */
export function statusPairs(driver: Pick<Driver, 'status'>): readonly (readonly [string, string])[] {
  const list = statusHeaders(driver)
  return list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]!] as const] : []))
}
