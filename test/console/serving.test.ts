/** The console as the built program serves it: the page for browsers, its files, and the protocols on its origin. */
import { request as httpRequest } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type NodeProcess, startProcess } from '../support/process.ts'

const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
/** Upper bound of the files that the first page loads, compressed. Unit: bytes. */
const FIRST_PAGE_BYTES = 80 * 1024

let node: NodeProcess
beforeAll(async () => {
  node = await startProcess(['--ephemeral', '--block-time', 'manual'])
})
afterAll(() => node[Symbol.asyncDispose]())

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${node.config.urls.rest}${path}`, { headers, redirect: 'manual' })

const page = async () => (await get('/', { accept: HTML })).text()

interface Answer {
  readonly status: number
  readonly text: string
}

/** Posts as a browser does: `fetch` of Node.js sets no such headers. */
function post(path: string, headers: Record<string, string>, method = 'eth_chainId'): Promise<Answer> {
  return new Promise((done, fail) => {
    const request = httpRequest(
      `${node.config.urls.rest}${path}`,
      { method: 'POST', headers: { 'content-type': 'application/json', ...headers } },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => done({ status: response.statusCode!, text }))
      },
    )
    request.on('error', fail)
    request.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
  })
}

test('a browser gets the page at /, and a program gets the JSON that it always got', async () => {
  const shown = await get('/', { accept: HTML })
  expect(shown.status).toBe(200)
  expect(shown.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(shown.headers.get('vary')).toMatch(/\bAccept\b/)
  for (const accept of ['*/*', 'application/json', 'text/plain', 'text/html;q=0']) {
    const answer = await get('/', { accept })
    expect(await answer.json()).toMatchObject({ chain_id: 'almanac-localnet-1', openapi: '/openapi.json' })
  }
})

test('the policy of the page allows its own origin only, and nothing inline', async () => {
  const { headers } = await get('/', { accept: HTML })
  const policy = headers.get('content-security-policy')!
  expect(policy).toContain("default-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).not.toMatch(/unsafe|https?:|ws:|\*/)
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  const text = await page()
  expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)/)
  // Relative addresses work below any path.
  for (const [, address] of text.matchAll(/(?:src|href)="([^"]+)"/g)) expect(address).toMatch(/^(console\/|data:)/)
})

test('the page has an ETag, and its files are immutable', async () => {
  const first = await get('/', { accept: HTML })
  const tag = first.headers.get('etag')!
  expect(first.headers.get('cache-control')).toBe('no-cache')
  expect((await get('/', { accept: HTML, 'if-none-match': tag })).status).toBe(304)
  const [, script] = /src="(console\/[^"]+)"/.exec(await page())!
  const file = await get(`/${script}`)
  expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
})

test('the first page has at most 80 kB, compressed', async () => {
  const text = await page()
  const named = [...text.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(([, address]) => address!)
  // The code of the overview is imported by the entry, with what it needs.
  const seen = new Set(named)
  let total = gzipSync(text).length
  const overview = async (entry: string) => {
    const code = await (await get(`/${entry}`)).text()
    for (const [, name] of code.matchAll(/(?:from|import)"\.\/([\w.-]+\.js)"/g)) seen.add(`console/${name}`)
    return code
  }
  const entry = await overview(named.find((name) => /console-[^/]+\.js$/.test(name))!)
  const pages = [...entry.matchAll(/path:"\/",[^}]*?import\("\.\/([\w.-]+\.js)"\)/g)].map(
    ([, name]) => `console/${name}`,
  )
  expect(pages).toHaveLength(1)
  seen.add(pages[0]!)
  for (const name of seen) {
    if (name.endsWith('.js')) await overview(name)
  }
  for (const name of seen) total += gzipSync(await (await get(`/${name}`)).text()).length
  expect(total).toBeLessThan(FIRST_PAGE_BYTES)
})

test('the page of the same origin uses the protocols there, and no other client does', async () => {
  const { host, origin } = new URL(node.config.urls.rest)
  const own = await post('/console/rpc', { 'sec-fetch-site': 'same-origin', origin })
  expect(JSON.parse(own.text).result).toBe('0x1b12')
  // Browsers omit the header on plain HTTP to another machine.
  expect((await post('/console/rpc', { origin })).status).toBe(200)
  const engine = await post('/console/engine', { 'sec-fetch-site': 'same-origin', origin }, 'health')
  expect(JSON.parse(engine.text)).toMatchObject({ result: {} })
  const others: Record<string, string>[] = [
    {},
    { origin: 'https://stranger.example' },
    { origin: `http://${host}.stranger.example` },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', origin },
    { 'sec-fetch-site': 'same-site', origin: 'http://127.0.0.1:5173' },
    { 'sec-fetch-site': 'none' },
  ]
  for (const headers of others) {
    for (const path of ['/console/rpc', '/console/engine']) {
      expect((await post(path, headers)).status, JSON.stringify(headers)).toBe(403)
    }
  }
})

test('a page whose name was rebound to this machine reads, and commands nothing', async () => {
  const headers = { host: 'rebound.example', origin: 'http://rebound.example', 'sec-fetch-site': 'same-origin' }
  const read = await post('/console/rpc', headers)
  expect(JSON.parse(read.text).result).toBe('0x1b12')
  const mined = await post('/console/rpc', headers, 'evm_mine')
  expect(JSON.parse(mined.text).error.code).toBe(4100)
})

/** Opens a WebSocket. Resolves with the status of a refusal, or with 101. */
function upgrade(path: string, headers: Record<string, string>): Promise<number> {
  return new Promise((done) => {
    const socket = new WebSocket(`${node.config.urls.rest.replace('http', 'ws')}${path}`, { headers })
    socket.on('open', () => {
      done(101)
      socket.close()
    })
    socket.on('unexpected-response', (_, response) => {
      done(response.statusCode!)
      socket.terminate()
    })
    socket.on('error', () => {})
  })
}

test('WebSocket has the same rules, and no other path of the port accepts it', async () => {
  const { origin } = new URL(node.config.urls.rest)
  expect(await upgrade('/console/engine/websocket', { origin })).toBe(101)
  expect(await upgrade('/console/rpc', { origin })).toBe(101)
  expect(await upgrade('/console/engine/websocket', { origin: 'https://stranger.example' })).toBe(403)
  expect(await upgrade('/console/engine/other', { origin })).toBe(404)
  expect(await upgrade('/healthz', { origin })).toBe(200)
})

test('paths outside of the console, and files that are not there, are refused with a reason', async () => {
  for (const path of ['/console/', '/console/none.js', '/console/../../package.json', '/console/%2e%2e/index.html']) {
    const answer = await get(path)
    expect(answer.status, path).toBe(404)
    expect(await answer.text()).toMatch(/no such file|no route/)
  }
  expect((await get('/console/rpc')).status).toBe(403)
})

test('--console=off removes the page and the protocols, and the rest stays', async () => {
  await using plain = await startProcess(['--ephemeral', '--block-time', 'manual', '--console=off'])
  const { rest } = plain.config.urls
  expect(await (await fetch(rest, { headers: { accept: HTML } })).json()).toHaveProperty('chain_id')
  for (const path of ['/console/node.json', '/console/rpc']) expect((await fetch(`${rest}${path}`)).status).toBe(404)
  expect((await fetch(`${rest}/healthz`)).status).toBe(200)
})

test('a protocol that listens at another address than REST is not reachable on its port', async () => {
  await using apart = await startProcess(['--ephemeral', '--block-time', 'manual', '--jsonrpc-host', 'localhost'])
  const { rest } = apart.config.urls
  expect(await (await fetch(`${rest}/console/node.json`)).json()).toMatchObject({ rpc: false, engine: true })
})
