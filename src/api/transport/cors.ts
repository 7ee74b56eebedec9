/** Cross-origin rules: which web pages can read the answers of a gateway. */

/** Headers that a page can send to the port of REST, joined by commas. */
export const REQUEST_HEADERS =
  'content-type, x-sdk-block-height, x-cosmos-block-height, grpc-timeout, x-grpc-web, x-user-agent, ' +
  'connect-protocol-version, connect-timeout-ms, x-request-id'
/** Time that a browser caches a preflight answer of that port. */
export const PREFLIGHT_SECONDS = 7200

export interface CorsOptions {
  /** Allowed origins, exact; `*` allows every origin. */
  readonly origins: readonly string[]
  /** Response headers that a page can read. */
  readonly exposed: readonly string[]
  /** Request headers that a page can send, joined by commas. */
  readonly requestHeaders: string
  /** Time that a browser caches a preflight answer; absent: its default. */
  readonly preflightSeconds?: number
}

/** Every list has names and values in turn. */
export interface Cors {
  allows(origin: string): boolean
  /** Returns the headers of every answer to a page of this origin; none for an origin that is not allowed. */
  headers(origin: string | undefined): readonly string[]
  /** Returns the further headers of the answer to a preflight request. */
  preflight(methods: string): readonly string[]
}

const NONE: readonly string[] = []

export function createCors({ origins, exposed, requestHeaders, preflightSeconds }: CorsOptions): Cors {
  const any = origins.includes('*')
  const expose = exposed.join(', ')
  const allows = (origin: string): boolean => any || origins.includes(origin)
  return {
    allows,
    headers: (origin) =>
      origin !== undefined && allows(origin)
        ? ['Access-Control-Allow-Origin', any ? '*' : origin, 'Access-Control-Expose-Headers', expose]
        : NONE,
    preflight: (methods) => [
      'Access-Control-Allow-Methods',
      methods,
      'Access-Control-Allow-Headers',
      requestHeaders,
      ...(preflightSeconds === undefined ? [] : ['Access-Control-Max-Age', String(preflightSeconds)]),
    ],
  }
}
