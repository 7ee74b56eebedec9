/** The conditions of log queries. */
import { toKey } from '../primitives/bytes.ts'

export interface LogConditions {
  /** Accepted addresses. Undefined or empty accepts all. */
  readonly addresses?: readonly Uint8Array[] | undefined
  /** Accepted topics by position. Undefined or empty accepts any topic, but the log must have one there. */
  readonly topics?: readonly (readonly Uint8Array[] | undefined)[] | undefined
}

interface Log {
  readonly address: Uint8Array
  readonly topics: readonly Uint8Array[]
}

type Wanted = ReadonlySet<string> | undefined

const wantedOf = (list: readonly Uint8Array[] | undefined): Wanted =>
  list && list.length > 0 ? new Set(list.map(toKey)) : undefined

const isWanted = (wanted: Wanted, bytes: Uint8Array): boolean => !wanted || wanted.has(toKey(bytes))

/**
 * Prepares conditions, which can have thousands of addresses and topics, for many logs. A log with fewer topics than the
 * conditions have positions does not match (geth, eth/filters/filter.go, `filterLogs`).
 */
export function createLogMatcher({ addresses, topics = [] }: LogConditions): (log: Log) => boolean {
  const wantedAddress = wantedOf(addresses)
  const wantedTopics = topics.map(wantedOf)
  return (log) =>
    log.topics.length >= wantedTopics.length &&
    isWanted(wantedAddress, log.address) &&
    wantedTopics.every((wanted, i) => isWanted(wanted, log.topics[i]!))
}
