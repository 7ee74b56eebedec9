/**
 * The console on the port of REST: its page at `/` for browsers, its files, and the other protocols on the same origin, so that
 * the page reaches them behind any proxy (ADR 0033).
 */
import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { WebSocketServer } from 'ws'
import type { GatewayNode } from '../gateway.ts'
import { createPayload, matchesEtag, type Payload, sendPayload } from '../transport/http.ts'
import type { MountedServer } from '../transport/http-server.ts'
import { foreignPage } from './own-page.ts'

/** The files of a built console by path: `index.html`, `console/NAME`. */
export type ConsoleFiles = ReadonlyMap<string, string>

/** Ports for programs; absent for a protocol that is turned off. */
export interface ConsolePorts {
  readonly rest?: number
  readonly grpc?: number
  readonly jsonrpc?: number
  readonly ws?: number
  readonly comet?: number
}

export interface ConsoleOptions {
  /** Reads the files, at the first request; undefined if the console is not built. */
  readonly files: () => ConsoleFiles | undefined
  /** The protocols that the console can reach. */
  readonly rpc?: MountedServer | undefined
  readonly engine?: MountedServer | undefined
  readonly ports: () => ConsolePorts
}

export interface Console {
  /** Answers a request of the console. Returns false for any other. */
  handle(request: IncomingMessage, response: ServerResponse): boolean
  /** Returns the server of a WebSocket request of the console, the status line of a refusal, or undefined for any other. */
  accept(request: IncomingMessage): WebSocketServer | string | undefined
}

/** Scripts, styles and connections of the own origin only, nothing inline, and no page may frame the console. */
const POLICY =
  "default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
const SAFETY = [
  'Content-Security-Policy',
  POLICY,
  'X-Content-Type-Options',
  'nosniff',
  'Referrer-Policy',
  'no-referrer',
  'Cross-Origin-Opener-Policy',
  'same-origin-allow-popups',
]
const IMMUTABLE = ['Cache-Control', 'public, max-age=31536000, immutable']
const NO_CACHE = ['Cache-Control', 'no-cache']
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

const FOLDER = '/console/'
const MOUNTS = { rpc: '/console/rpc', engine: '/console/engine' } as const
/** Paths at which browsers get the page. */
const PAGES: ReadonlySet<string> = new Set(['/', '/docs'])

const pathOf = (url: string): string => url.split('?', 1)[0]!

/** Whether a client prefers a page to JSON, as browsers say for the address that a person opens. */
const wantsPage = ({ headers: { accept } }: IncomingMessage): boolean =>
  accept !== undefined && /(^|,)\s*text\/html\s*(,|;(?!\s*q=0(\.0*)?\s*(,|$))|$)/i.test(accept)

function plain(response: ServerResponse, status: number, text: string, headers: readonly string[] = []): void {
  const all = [
    'Content-Type',
    'text/plain; charset=utf-8',
    'X-Content-Type-Options',
    'nosniff',
    ...NO_CACHE,
    ...headers,
  ]
  response.writeHead(status, all).end(`${text}\n`)
}

export function createConsole(node: GatewayNode, { files, rpc, engine, ports }: ConsoleOptions): Console {
  const payloads = new Map<string, Payload>()
  let read: { readonly files: ConsoleFiles | undefined } | undefined

  function fileOf(path: string): Payload | undefined {
    const known = payloads.get(path)
    if (known) return known
    read ??= { files: files() }
    const text = read.files?.get(path)
    if (text === undefined) return undefined
    const payload = createPayload(text, headersOf(path, text))
    payloads.set(path, payload)
    return payload
  }

  function describe(): string {
    const { profile, baseDenom, displayDenom, bech32 } = node.identity
    return JSON.stringify({
      chain_id: node.chainId,
      evm_chain_id: node.evmChainId.toString(),
      version: node.settings.version,
      profile,
      base_denom: baseDenom,
      display_denom: displayDenom,
      bech32,
      development: node.settings.isDevelopment,
      rpc: rpc !== undefined,
      engine: engine !== undefined,
      ports: ports(),
    })
  }

  function serveFile(request: IncomingMessage, response: ServerResponse, payload: Payload, vary: string): void {
    const asked = request.headers['if-none-match']
    const isKnown = typeof asked === 'string' && matchesEtag(asked, payload)
    sendPayload(request, response, isKnown ? 304 : 200, payload, ['Vary', vary])
  }

  /** Returns the mounted server of a path, with the rest of the path there. */
  function mountOf(path: string): { readonly server: MountedServer | undefined; readonly rest: string } | undefined {
    for (const [name, server] of [
      ['rpc', rpc],
      ['engine', engine],
    ] as const) {
      const at = MOUNTS[name]
      if (path === at || path.startsWith(`${at}/`)) return { server, rest: path.slice(at.length) || '/' }
    }
    return undefined
  }

  return {
    handle(request, response) {
      const url = request.url ?? '/'
      if (!url.startsWith(FOLDER) && !PAGES.has(pathOf(url))) return false
      const path = pathOf(url)
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (PAGES.has(path)) {
        const page = isRead && wantsPage(request) ? fileOf('index.html') : undefined
        if (page) serveFile(request, response, page, 'Accept, Accept-Encoding')
        return page !== undefined
      }
      const mount = mountOf(path)
      if (mount) {
        const refusal = foreignPage(request.headers)
        if (refusal !== undefined) plain(response, 403, refusal)
        else if (!mount.server) plain(response, 404, 'this protocol is turned off on this node')
        else if (request.method !== 'POST') plain(response, 405, 'method not allowed: use POST', ['Allow', 'POST'])
        else {
          request.url = mount.rest
          mount.server.request(request, response)
        }
        return true
      }
      if (!isRead) plain(response, 405, 'method not allowed: use GET', ['Allow', 'GET, HEAD'])
      else if (path === '/console/node.json') {
        const headers = [
          'Content-Type',
          'application/json',
          'X-Content-Type-Options',
          'nosniff',
          'Cache-Control',
          'no-store',
        ]
        sendPayload(request, response, 200, createPayload(describe(), headers), [])
      } else {
        const file = fileOf(path.slice(1))
        if (file) serveFile(request, response, file, 'Accept-Encoding')
        else plain(response, 404, 'the console has no such file: reload its page')
      }
      return true
    },
    accept(request) {
      const mount = mountOf(pathOf(request.url ?? '/'))
      if (!mount) return undefined
      if (!mount.server) return '404 Not Found'
      if (foreignPage(request.headers) !== undefined) return '403 Forbidden'
      request.url = mount.rest
      return mount.server.accept(request)
    },
  }
}

/** Returns the headers of a file. The names of all files but the page contain a hash of their content. */
function headersOf(path: string, text: string): readonly string[] {
  if (path !== 'index.html') {
    const type = TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    return ['Content-Type', type, ...IMMUTABLE, 'X-Content-Type-Options', 'nosniff']
  }
  const tag = createHash('sha256').update(text).digest('base64url').slice(0, 22)
  return ['Content-Type', 'text/html; charset=utf-8', ...NO_CACHE, 'ETag', `"${tag}"`, ...SAFETY]
}
