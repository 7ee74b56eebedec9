/** The parts that the snippets of every client share: addresses, heights, quotes. */

/** Addresses of a node, as its clients reach them; absent for a protocol that is turned off. */
export interface NodeAddresses {
  readonly rest: string
  readonly jsonrpc?: string | undefined
  /** HOST:PORT. */
  readonly grpc?: string | undefined
  readonly comet?: string | undefined
}

/** The same question for one client. `text` is absent if that client cannot ask it; `reason` then says why. */
export interface Snippet {
  readonly client: string
  /** Language, for the name of the region. */
  readonly language: 'sh' | 'js'
  readonly text?: string
  readonly reason?: string
}

/** A height as JSON-RPC takes it. */
export function blockTag(height: string | undefined): string {
  return height === undefined ? 'latest' : `0x${BigInt(height).toString(16)}`
}

/** Quotes a text for a shell of POSIX. */
export function quoteShell(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}

/** Quotes a text for JavaScript. */
export function quoteJs(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`
}
