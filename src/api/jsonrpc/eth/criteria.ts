/** Addresses, topics and hashes that filters and subscriptions keep. Each takes about 250 bytes of memory. */
import type { LogFilter } from '../params.ts'

/**
 * Addresses and topics in all filters, and in all subscriptions of a process. Beyond: the address with the most loses the filter that
 * was not polled for the longest time, and a subscription is refused with -32000.
 */
export const MAX_CRITERIA = 262_144
/** Addresses and topics in the filters of one address, and in its subscriptions. Beyond: -32000. */
export const MAX_CRITERIA_OF_ADDRESS = 65_536

/** Returns the number of addresses and topics of a filter. */
export const countCriteria = ({ addresses, topics }: LogFilter): number =>
  topics.reduce((sum, list) => sum + list.length, addresses.length)
