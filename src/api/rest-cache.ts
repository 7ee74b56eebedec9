/** The cache of REST responses. It can keep them because the state of a height never changes. */
import { selectHeight } from './asked-height.ts'
import type { GatewayNode } from './gateway.ts'
import type { Payload } from './http.ts'
import { isStrict, type RestRequest } from './rest-message.ts'
import type { Route } from './routes.ts'

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

/** The response cache of one gateway. It is emptied after every rollback of the chain. */
export interface RestCache {
  /** Empties the cache if the chain has rolled back. Returns how often it has, to compare before and after a read. */
  refresh(): number | undefined
  /** Returns the cached response if URL and height determine it. */
  get(request: RestRequest): Payload | undefined
  /** Caches a response that URL and height determine; any other is ignored. */
  set(request: RestRequest, route: Route, height: bigint, pinned: boolean, payload: Payload): void
}

/** Creates a cache of `limitBytes`. `onRollback` is called when the chain has rolled back. */
export function createRestCache(node: GatewayNode, limitBytes: number, onRollback: () => void): RestCache {
  const responses = createResponseCache(limitBytes)
  let rollbacks: number | undefined

  function refresh(): number | undefined {
    const status = node.driver.status()
    if (status.rollbacks !== rollbacks) {
      rollbacks = status.rollbacks
      responses.clear()
      onRollback()
    }
    return rollbacks
  }

  return {
    refresh,
    get(request) {
      refresh()
      if (namesHeight(request) || isStrict(request)) return undefined
      if (request.headers['grpc-timeout'] !== undefined) return undefined
      const height = selectHeight(request.headers, undefined)
      return responses.get(request.target, height ?? node.blocks.latestHeight(), height !== undefined)
    },
    set(request, route, height, pinned, payload) {
      if (route.verb !== 'GET' || !route.isStateQuery || namesHeight(request)) return
      responses.set(request.target, height, pinned, payload)
    },
  }
}

/** Whether the target can name a height. The height of a cached response comes from the headers alone. */
function namesHeight({ target }: RestRequest): boolean {
  return target.includes('height=')
}
