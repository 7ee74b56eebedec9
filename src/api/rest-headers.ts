/** Headers of REST replies: those of every reply, the height that was read, and how long an answer can be cached. */
import { formatHex } from '../primitives/bytes.ts'
import { createCors } from './cors.ts'
import type { GatewayNode } from './gateway.ts'
import { HALTED_HEADER, haltedHeader } from './halted.ts'
import { heightHeaderNames } from './height-selection.ts'
import type { RestRequest } from './rest-message.ts'
import type { Route } from './routes.ts'

export const JSON_TYPE = ['Content-Type', 'application/json'] as const

const EXPOSED_HEADERS = ['grpc-status', 'grpc-message', 'grpc-status-details-bin', 'etag', 'x-request-id']
const REQUEST_HEADERS =
  'content-type, x-sdk-block-height, x-cosmos-block-height, grpc-timeout, x-grpc-web, x-user-agent, ' +
  'connect-protocol-version, connect-timeout-ms, x-request-id'
const PREFLIGHT_SECONDS = 7200

/** Every list has names and values in turn. */
export interface RestHeaders {
  /** Returns the headers of every reply: server time, request id, a halt of the chain, CORS. */
  common(request: RestRequest): readonly string[]
  /** Returns the headers that name the height that was read; none if it is not known. */
  ofHeight(height: bigint | undefined): readonly string[]
  /**
   * Returns the headers of an answer from the state of one height: an ETag, and `immutable` if the request named the height
   * (`pinned`), else `no-cache`.
   */
  ofState(height: bigint, pinned: boolean): readonly string[]
  /** Returns the headers that answer a preflight request; none for an origin that is not allowed. */
  preflight(request: RestRequest, methods: string): readonly string[]
  /** Drops the headers built for the last height. Call it after a rollback: another block takes that height. */
  clear(): void
}

interface StateHeaders {
  readonly height: bigint
  readonly latest: readonly string[]
  readonly pinned: readonly string[]
}

/** Creates the headers of one gateway, which serves `routes`. */
export function createRestHeaders(node: GatewayNode, routes: readonly Route[]): RestHeaders {
  const heightNames = heightHeaderNames(node.identity)
  const operationNames = new Set(routes.flatMap(({ operationHeaders: [name] }) => name ?? []))
  const cors = createCors({
    origins: node.settings.corsOrigins,
    exposed: [...heightNames, ...operationNames, HALTED_HEADER, ...EXPOSED_HEADERS].map((name) => name.toLowerCase()),
    requestHeaders: REQUEST_HEADERS,
    preflightSeconds: PREFLIGHT_SECONDS,
  })
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

  /** Returns a tag that identifies a state: its height, and the start of its block's hash, which fixes everything before. */
  function etagOf(height: bigint): string {
    const hash = node.blocks.header(height)?.hash
    return `"${height}-${hash ? formatHex(hash.subarray(0, 4)) : '0'}"`
  }

  return {
    common(request) {
      const headers = ['X-Server-Time', serverTime(), 'X-Request-Id', request.id]
      const halted = haltedHeader(node.driver)
      if (halted) headers.push(...halted)
      const origin = request.headers['origin']
      return origin === undefined ? headers : headers.concat(cors.headers(String(origin)))
    },
    ofHeight,
    ofState(height, pinned) {
      if (state?.height !== height) {
        const headers = [...JSON_TYPE, ...ofHeight(height), 'ETag', etagOf(height), 'Cache-Control']
        state = {
          height,
          latest: [...headers, 'no-cache'],
          pinned: [...headers, 'public, max-age=31536000, immutable'],
        }
      }
      return pinned ? state.pinned : state.latest
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
