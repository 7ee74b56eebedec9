/** Requests of the console's own page: the only ones that use the protocols on its origin. */
import type { IncomingHttpHeaders } from 'node:http'

/**
 * Returns the reason why a request is not the console's; undefined if it is. Browsers name the page that sends a request in
 * headers that the page cannot set. A request that names no page comes from a program, which has the protocol's own port.
 */
export function foreignPage(headers: IncomingHttpHeaders): string | undefined {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined)
    return site === 'same-origin' ? undefined : 'this path serves the console of the same origin only'
  // Browsers omit that header on plain HTTP to another machine.
  if (origin === undefined) return 'this path serves the console; programs use the port of the protocol'
  if (host !== undefined && origin.toLowerCase().replace(/^https?:\/\//, '') === host.toLowerCase()) return undefined
  return `the page ${origin} is not the console of ${host ?? 'this node'}`
}
