/** Whether a log is one that somebody asks for. */
import { toKey } from '../primitives/bytes.ts'

export interface LogConditions {
  /** One of these; undefined or empty matches every address. */
  readonly addresses?: readonly Uint8Array[] | undefined
  /** By position, one of these; undefined or empty matches everything, but there must be a topic. */
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
 * Conditions made ready once for many logs: they may name thousands of addresses and topics. A log with fewer topics than they
 * have positions does not pass (geth, eth/filters/filter.go, `filterLogs`).
 */
export function createLogMatcher({ addresses, topics = [] }: LogConditions): (log: Log) => boolean {
  const wantedAddress = wantedOf(addresses)
  const wantedTopics = topics.map(wantedOf)
  return (log) =>
    log.topics.length >= wantedTopics.length &&
    isWanted(wantedAddress, log.address) &&
    wantedTopics.every((wanted, i) => isWanted(wanted, log.topics[i]!))
}
