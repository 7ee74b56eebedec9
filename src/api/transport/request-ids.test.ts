import { expect, test } from 'vitest'
import { createCometServer } from '../cometbft/server.ts'
import type { GatewayNode } from '../gateway.ts'
import { createJsonRpcServer } from '../jsonrpc/server.ts'
import { gatewayNode } from '../testing.ts'
import { createRequestIds } from './request-ids.ts'

test('a given id is kept if it is one, and others are new each time', () => {
  const idOf = createRequestIds()
  expect(idOf('trace-7:a.b_c')).toBe('trace-7:a.b_c')
  const made = [idOf(), idOf(''), idOf('two words'), idOf('x'.repeat(65)), idOf(['a', 'b']), idOf('a\nb')]
  expect(new Set(made).size).toBe(made.length)
  for (const id of made) expect(id).toMatch(/^[0-9a-f]{8}-\d+$/)
})

const asked = (id?: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', ...(id !== undefined && { 'x-request-id': id }) },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_bug', params: [] }),
})

function failingNode(): { readonly node: GatewayNode; readonly requests: unknown[] } {
  const requests: unknown[] = []
  const fail = (): never => {
    throw new Error('a bug')
  }
  const log: GatewayNode['log'] = (_level, _message, fields) => requests.push(fields?.['request'])
  const node = gatewayNode({})
  const driver = { ...node.driver, onBlock: () => () => {} }
  return { node: { ...node, driver, withContext: fail, blocks: undefined as never, log }, requests }
}

test('an answer of JSON-RPC has the id of its request, and so has the record of a bug', async () => {
  const { node, requests } = failingNode()
  const bug = { servedBy: 'any', run: () => node.withContext(1n, () => '') } as const
  const server = createJsonRpcServer(node, { methods: { eth_bug: bug as never } })
  const { port } = await server.listen(0, '127.0.0.1')
  const given = await fetch(`http://127.0.0.1:${port}`, asked('mine'))
  const made = await fetch(`http://127.0.0.1:${port}`, asked())
  await server.close()
  expect(given.headers.get('x-request-id')).toBe('mine')
  expect(requests).toEqual(['mine', made.headers.get('x-request-id')])
})

test('an answer of the CometBFT RPC has the id of its request, and so has the record of a bug', async () => {
  const { node, requests } = failingNode()
  const server = createCometServer({ node, nodeInfo: {} } as never)
  const { port } = await server.listen(0, '127.0.0.1')
  const given = await fetch(`http://127.0.0.1:${port}/block?height=5`, { headers: { 'x-request-id': 'mine' } })
  await server.close()
  expect([given.status, given.headers.get('x-request-id'), requests]).toEqual([500, 'mine', ['mine']])
})
