/** The address of a client: that of its connection, or the one that a trusted proxy names. */
import { BlockList, isIP, isIPv4 } from 'node:net'
import { queryError } from '../../primitives/errors.ts'

/**
 * Returns the address by which a client is counted, from the address of its connection and its header `X-Forwarded-For`. IPv6
 * addresses are those of a network of 64 bits, `2001:db8:1:2::/64`, since one client has all of it.
 */
export type ClientAddress = (remote: string | undefined, forwarded: string | readonly string[] | undefined) => string

/** Name for the addresses of this machine in a list of proxies. */
const LOOPBACK = 'loopback'
const LOOPBACK_RANGES = ['127.0.0.0/8', '::1/128']
/** Entries of `X-Forwarded-For` that are read, the last ones. Beyond: the earlier entries are ignored. */
const MAX_HOPS = 16

/**
 * Creates the function for a list of trusted proxies: addresses, ranges such as `10.0.0.0/8`, or `loopback`. The header of any
 * other sender is ignored. Throws `invalidArgument` for any other entry.
 */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  const isTrusted = createProxies(trusted)
  const hasProxies = trusted.length > 0
  /** The latest connection that no proxy spoke for, since the requests of one follow each other. */
  let latest = { remote: '', client: '' }

  return (remote, forwarded) => {
    const isDirect = !hasProxies || forwarded === undefined
    if (isDirect && remote === latest.remote) return latest.client
    let client = plainAddress(remote ?? '') ?? ''
    if (isDirect) {
      latest = { remote: remote ?? '', client: networkOf(client) }
      return latest.client
    }
    if (client === '' || !isTrusted(client)) return networkOf(client)
    const hops = (typeof forwarded === 'string' ? forwarded : forwarded.join(',')).split(',').slice(-MAX_HOPS)
    // Only the last entries come from trusted proxies: a client can send any others itself.
    for (const hop of hops.reverse()) {
      const address = plainAddress(withoutPort(hop.trim()))
      if (address === undefined) break
      client = address
      if (!isTrusted(address)) break
    }
    return networkOf(client)
  }
}

/** Creates the function that tells whether an address is one of a list of trusted proxies. Throws as `createClientAddress`. */
export function createProxies(trusted: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList()
  for (const range of trusted.flatMap((one) => (one === LOOPBACK ? LOOPBACK_RANGES : [one]))) addRange(proxies, range)
  return (address) => proxies.check(address, isIPv4(address) ? 'ipv4' : 'ipv6')
}

/** Returns the address by which a connection is counted, also one of a proxy; empty if that is unknown. */
export const addressOf = (remote: string | undefined): string => networkOf(plainAddress(remote ?? '') ?? '')

function addRange(list: BlockList, range: string): void {
  const [address = '', bits] = range.split('/')
  const family = isIP(address)
  const length = bits === undefined ? (family === 4 ? 32 : 128) : Number(bits)
  const isRange = family !== 0 && (bits === undefined || /^\d{1,3}$/.test(bits)) && length <= (family === 4 ? 32 : 128)
  if (!isRange) {
    throw queryError(
      'invalidArgument',
      `api.trusted_proxies (--trusted-proxies) contains "${range}": it must be an address, a range such as 10.0.0.0/8, or ${LOOPBACK}`,
    )
  }
  list.addSubnet(address, length, family === 4 ? 'ipv4' : 'ipv6')
}

/** Returns an IPv4 or IPv6 address without its zone, an IPv4 address in IPv6 as IPv4; undefined for any other text. */
function plainAddress(text: string): string | undefined {
  const address = text.replace(/%.*$/, '')
  if (isIP(address) === 0) return undefined
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1]
  return mapped !== undefined && isIPv4(mapped) ? mapped : address
}

/** Removes a port and brackets: `[2001:db8::1]:443`, `192.0.2.1:80`. */
function withoutPort(text: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)
  return bracketed ? bracketed[1]! : text.replace(/^(\d{1,3}(?:\.\d{1,3}){3}):\d+$/, '$1')
}

function networkOf(address: string): string {
  if (!address.includes(':')) return address
  const [before = '', after] = address.toLowerCase().split('::')
  const groupsOf = (part: string): string[] =>
    part === '' ? [] : part.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]))
  const first = groupsOf(before)
  const last = groupsOf(after ?? '')
  const zeros = after === undefined ? 0 : Math.max(0, 8 - first.length - last.length)
  const groups = [...first, ...new Array<string>(zeros).fill('0'), ...last]
  const network = groups.slice(0, 4).map((group) => group.replace(/^0+(?=.)/, ''))
  return `${network.join(':')}::/64`
}
