import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { watchStatus } from './status-watch.ts'

let server: Server
let rpc: string
let node: { height: number; headers: Record<string, string>; txs: string[] }

beforeEach(async () => {
  node = { height: 7, headers: {}, txs: ['AA=='] }
  server = createServer((request, response) => {
    const { height, headers, txs } = node
    const info = {
      latest_block_height: String(height),
      latest_block_time: new Date(height * 1500).toISOString(),
      catching_up: false,
    }
    const results: Record<string, unknown> = {
      '/status': { sync_info: info },
      [`/block?height=${height}`]: { block: { data: { txs } } },
      '/num_unconfirmed_txs': { total: '3' },
    }
    response.writeHead(200, headers).end(JSON.stringify({ result: results[request.url ?? ''] }))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  rpc = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(() => server.close())

test('each block is a line, and so is a halt, a lag and a node that goes away', async () => {
  const lines: string[] = []
  const end = new AbortController()
  const watching = watchStatus(rpc, (line) => lines.push(line), end.signal, 5)
  await expect.poll(() => lines.length).toBe(1)
  node = { ...node, height: 9, headers: { 'X-Chain-Lag': '0.500;blocks=2' } }
  await expect.poll(() => lines.length).toBe(2)
  node = { ...node, headers: { 'X-Chain-Halted': 'a reason; the next step' } }
  await expect.poll(() => lines.length).toBe(3)
  node = { ...node, headers: {} }
  await expect.poll(() => lines.length).toBe(4)
  server.close()
  server.closeAllConnections()
  await expect.poll(() => lines.length).toBe(5)
  end.abort()
  await watching
  expect(lines.slice(0, 4)).toEqual([
    'height 7  1 tx  3 waiting',
    'height 9  1 tx  2 blocks  3.00 s  3 waiting  lag 0.500 blocks=2',
    'halted: a reason; the next step',
    'goes on',
  ])
  expect(lines[4]).toMatch(/^no answer at http:\/\/127\.0\.0\.1:\d+: /)
})
