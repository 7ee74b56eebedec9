/** Headers of REST replies: those of every reply, the height that was read, and how long an answer can be cached. */
import { formatHex } from '../../primitives/bytes.ts'
import type { GatewayNode } from '../gateway.ts'
import { STATUS_HEADERS, statusHeaders } from '../status-headers.ts'
import { createCors, PREFLIGHT_SECONDS, REQUEST_HEADERS } from '../transport/cors.ts'
import type { Payload } from '../transport/http.ts'
import { HEIGHT_HEADERS, heightHeaderNames } from './height-selection.ts'
import { type RestRequest, STRICT_HEADER } from './rest-message.ts'
import type { Route } from './routes.ts'

export const JSON_TYPE = ['Content-Type', 'application/json'] as const

const EXPOSED_HEADERS = ['grpc-status', 'grpc-message', 'grpc-status-details-bin', 'etag', 'x-request-id']
/** Headers that select among the answers to one URL, in one field: some caches read the last field only. */
const VARY = ['Vary', ['origin', 'accept-encoding', STRICT_HEADER, ...HEIGHT_HEADERS].join(', ')] as const
/**
 * The same for an answer whose URL names its height: another height in a header is an error. nginx stores no answer with a
 * longer list than 128 characters.
 */
const VARY_AT_HEIGHT = ['Vary', ['origin', 'accept-encoding', STRICT_HEADER].join(', ')] as const
const FOREVER = 'max-age=31536000, immutable'

/** Source of the height of an answer: the URL, a header, or neither, which is the latest height. */
export type HeightSource = 'url' | 'header' | 'latest'

/** How long caches can use an answer from state. Only a URL that names its height identifies an answer to everyone. */
const CACHE_CONTROL: Readonly<Record<HeightSource, string>> = {
  url: `public, ${FOREVER}`,
  header: `private, ${FOREVER}`,
  latest: 'no-cache',
}
/** The same on a development chain: a revert or the next chain on its ports has other states at the same heights. */
const CACHE_CONTROL_OF_DEVELOPMENT: Readonly<Record<HeightSource, string>> = {
  url: 'no-cache',
  header: 'private, no-cache',
  latest: 'no-cache',
}

/** Every list has names and values in turn. */
export interface RestHeaders {
  /** Returns the headers that a payload lacks: server time, request id, a halt of the chain, the lag of a replica, CORS, `Vary`. */
  common(request: RestRequest, payload: Payload): readonly string[]
  /** Returns the headers that name the height that was read; none if it is not known. */
  ofHeight(height: bigint | undefined): readonly string[]
  /** Returns the headers of an answer from the state of one height: an ETag, and how long caches can use it. */
  ofState(height: bigint, source: HeightSource): readonly string[]
  /** Returns the headers that answer a preflight request; none for an origin that is not allowed. */
  preflight(request: RestRequest, methods: string): readonly string[]
  /** Drops the headers built for the last height. Call it after a rollback: another block takes that height. */
  clear(): void
}

interface StateHeaders extends Readonly<Record<HeightSource, readonly string[]>> {
  readonly height: bigint
}

/** Creates the headers of one gateway, which serves `routes`. */
export function createRestHeaders(node: GatewayNode, routes: readonly Route[]): RestHeaders {
  const heightNames = heightHeaderNames(node.identity)
  const operationNames = new Set(routes.flatMap(({ operationHeaders: [name] }) => name ?? []))
  const cors = createCors({
    origins: node.settings.corsOrigins,
    exposed: [...heightNames, ...operationNames, ...STATUS_HEADERS, ...EXPOSED_HEADERS].map((name) =>
      name.toLowerCase(),
    ),
    requestHeaders: REQUEST_HEADERS,
    preflightSeconds: PREFLIGHT_SECONDS,
  })
  const cacheControl = node.settings.isDevelopment ? CACHE_CONTROL_OF_DEVELOPMENT : CACHE_CONTROL
  let clock = { seconds: -1, text: '' }
  let state: StateHeaders | undefined

  function serverTime(): string {
    const seconds = Math.floor(node.now() / 1000)
    if (seconds !== clock.seconds) clock = { seconds, text: String(seconds) }
    return clock.text
  }

  function ofHeight(height: bigint | undefined): readonly string[] {
    if (height === undefined) return []
    const text = height.toString()
    return heightNames.flatMap((name) => [name, text])
  }

  /**
   * Returns a tag that identifies a state: its height, the start of its block's hash, which fixes everything before, and the
   * number of rollbacks, because a development chain can change the state after a block.
   */
  function etagOf(height: bigint): string {
    const hash = node.blocks.header(height)?.hash
    const { rollbacks = 0 } = node.driver.status()
    return `"${height}-${hash ? formatHex(hash.subarray(0, 4)) : '0'}${rollbacks > 0 ? `-${rollbacks}` : ''}"`
  }

  return {
    common(request, payload) {
      const headers = ['X-Server-Time', serverTime(), 'X-Request-Id', request.id]
      if (!payload.headers.includes('Vary')) headers.push(...VARY)
      headers.push(...statusHeaders(node.driver))
      const origin = request.headers['origin']
      return origin === undefined ? headers : headers.concat(cors.headers(String(origin)))
    },
    ofHeight,
    ofState(height, source) {
      if (state?.height !== height) {
        const headers = [...JSON_TYPE, ...ofHeight(height), 'ETag', etagOf(height)]
        const of = (from: HeightSource) => [
          ...headers,
          'Cache-Control',
          cacheControl[from],
          ...(from === 'url' ? VARY_AT_HEIGHT : VARY),
        ]
        state = { height, url: of('url'), header: of('header'), latest: of('latest') }
      }
      return state[source]
    },
    preflight(request, methods) {
      const given = request.headers['origin']
      const origin = given === undefined ? undefined : String(given)
      const headers = cors.headers(origin)
      return headers.length === 0 ? headers : headers.concat(cors.preflight(methods))
    },
    clear() {
      state = undefined
    },
  }
}
