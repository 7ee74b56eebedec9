/** Responses by target and height, within a memory limit. */
import type { Payload } from '../transport/http.ts'

export interface ResponseCache {
  /** Returns the response for a target at the latest height or at a pinned one. */
  get(target: string, height: bigint, pinned: boolean): Payload | undefined
  set(target: string, height: bigint, pinned: boolean, payload: Payload): void
  /** Removes every response. */
  clear(): void
}

/** Memory of an entry beside its text. */
const OVERHEAD_BYTES = 300
/** Share of the memory for responses at the latest height. */
const LATEST_SHARE = 0.75

interface Table {
  readonly entries: Map<string, Payload>
  sizeBytes: number
}

function put(table: Table, limitBytes: number, key: string, payload: Payload): void {
  const size = sizeOf(key, payload)
  if (size > limitBytes / 8) return
  table.entries.set(key, payload)
  table.sizeBytes += size
  for (const [oldest, entry] of table.entries) {
    if (table.sizeBytes <= limitBytes) return
    table.entries.delete(oldest)
    table.sizeBytes -= sizeOf(oldest, entry)
  }
}

function sizeOf(key: string, payload: Payload): number {
  // A long body can be compressed later, and then both forms are cached.
  const forms = payload.sizeBytes < 1024 ? 1 : 2
  return OVERHEAD_BYTES + key.length + payload.sizeBytes * forms
}

/**
 * Two tables that share `limitBytes`: responses at the latest height, which are dropped when it changes, and responses at
 * heights that requests named. The oldest entry is evicted first. 0 caches nothing.
 */
export function createResponseCache(limitBytes: number): ResponseCache {
  const latest: Table = { entries: new Map(), sizeBytes: 0 }
  const pinned: Table = { entries: new Map(), sizeBytes: 0 }
  let latestHeight = -1n
  const empty = (table: Table): void => {
    table.entries.clear()
    table.sizeBytes = 0
  }
  return {
    clear() {
      empty(latest)
      empty(pinned)
      latestHeight = -1n
    },
    get(target, height, isPinned) {
      if (isPinned) return pinned.entries.get(`${height} ${target}`)
      return height === latestHeight ? latest.entries.get(target) : undefined
    },
    set(target, height, isPinned, payload) {
      if (limitBytes === 0) return
      if (isPinned) {
        const key = `${height} ${target}`
        if (!pinned.entries.has(key)) put(pinned, limitBytes * (1 - LATEST_SHARE), key, payload)
        return
      }
      if (height < latestHeight) return
      if (height > latestHeight) {
        empty(latest)
        latestHeight = height
      }
      if (!latest.entries.has(target)) put(latest, limitBytes * LATEST_SHARE, target, payload)
    },
  }
}
