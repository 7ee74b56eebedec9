/** Answers to browsers of other origins (gateway.md §6.3). */

const ALLOWED_HEADERS =
  'content-type, x-sdk-block-height, x-cosmos-block-height, grpc-timeout, x-grpc-web, x-user-agent, ' +
  'connect-protocol-version, connect-timeout-ms, x-request-id'

export interface Cors {
  /** Headers of an answer to a page of that origin; none where it is not allowed. */
  headers(origin: string | undefined): readonly string[]
  /** Headers of the answer to a preflight. */
  preflight(origin: string | undefined, allow: string): readonly string[]
}

const NONE: readonly string[] = []

/** `origins`: exact ones, or `*`. `exposed`: response headers that a page may read. */
export function createCors(origins: readonly string[], exposed: readonly string[]): Cors {
  const any = origins.includes('*')
  const expose = [...exposed, 'grpc-status', 'grpc-message', 'grpc-status-details-bin', 'etag', 'x-request-id']
    .map((name) => name.toLowerCase())
    .join(', ')
  const allowed = (origin: string | undefined): origin is string =>
    origin !== undefined && (any || origins.includes(origin))
  const headersOf = (origin: string): readonly string[] => [
    'Access-Control-Allow-Origin',
    any ? '*' : origin,
    'Access-Control-Expose-Headers',
    expose,
    ...(any ? [] : ['Vary', 'Origin']),
  ]
  return {
    headers: (origin) => (allowed(origin) ? headersOf(origin) : NONE),
    preflight: (origin, allow) =>
      allowed(origin)
        ? [
            ...headersOf(origin),
            'Access-Control-Allow-Methods',
            allow,
            'Access-Control-Allow-Headers',
            ALLOWED_HEADERS,
            'Access-Control-Max-Age',
            '7200',
          ]
        : NONE,
  }
}
