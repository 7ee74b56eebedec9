/** The REST responses that can be cached: those to queries of state, which never changes at a height. */
import type { GatewayNode } from '../gateway.ts'
import type { Payload } from '../transport/http.ts'
import { selectHeight } from './height-selection.ts'
import { createResponseCache } from './response-cache.ts'
import { isStrict, type RestRequest } from './rest-message.ts'
import type { Route } from './routes.ts'

/** The cache of one gateway. Every rollback of the chain empties it. */
export interface RestCache {
  /** Empties the cache if the chain has rolled back. Returns the number of rollbacks, to compare before and after a read. */
  refresh(): number | undefined
  /** Returns the cached response if URL and height determine it. */
  get(request: RestRequest): Payload | undefined
  /** Caches a response that URL and height determine; any other is ignored. */
  set(request: RestRequest, route: Route, height: bigint, pinned: boolean, payload: Payload): void
}

/** Creates a cache of `limitBytes`. Calls `onRollback` after a rollback of the chain. */
export function createRestCache(node: GatewayNode, limitBytes: number, onRollback: () => void): RestCache {
  const responses = createResponseCache(limitBytes)
  let { rollbacks } = node.driver.status()

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
