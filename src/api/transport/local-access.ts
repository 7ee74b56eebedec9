/** Requests from this machine: the only ones that use the keys and the development methods of a node. */

/** The headers of a request that tell where it comes from. */
interface Provenance {
  /** The name that the client connected to. A page whose name resolves to this machine sends its own name. */
  readonly host?: string | undefined
  /** Sent by browsers, for the page that makes the request. */
  readonly origin?: string | undefined
}

export interface LocalAccessOptions {
  /** Origins that the operator allows by name; `*` allows none here. */
  readonly origins: readonly string[]
  /** Whether programs of other machines have access too. It does not open the node to pages of other origins. */
  readonly anyHost: boolean
}

/** Returns the reason why a request has no access; undefined if it has. */
export type LocalAccess = (request: Provenance) => string | undefined

/** Whether a host name, without port, is of this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/\.$/, '')
  return (
    name === 'localhost' || name.endsWith('.localhost') || /^\[?::1\]?$/.test(name) || /^127(\.\d{1,3}){3}$/.test(name)
  )
}

/** A host name or an address with an optional port, without any further character that a parser could read otherwise. */
const AUTHORITY = /^([a-z0-9.-]+|\[[0-9a-f:]+\])(?::\d{1,5})?$/i
const ORIGIN = /^https?:\/\//i

/** Returns the name of the host of `host:port`; empty for any other text. */
function hostNameOf(authority: string): string {
  return AUTHORITY.exec(authority)?.[1] ?? ''
}

export function createLocalAccess({ origins, anyHost }: LocalAccessOptions): LocalAccess {
  const named = new Set(origins.filter((origin) => origin !== '*'))
  return ({ host, origin }) => {
    if (origin !== undefined && !named.has(origin) && !isLoopback(hostNameOf(origin.replace(ORIGIN, '')))) {
      return `the page ${origin} is not of this machine; --api-cors (almanac dev --allow-origin) can allow its origin by name`
    }
    if (!anyHost && host !== undefined && !isLoopback(hostNameOf(host))) {
      return `the host ${host} is not this machine; --insecure-keys serves other machines too`
    }
    return undefined
  }
}
