import { once } from 'node:events'
import { createPublicClient, custom, http, webSocket } from 'viem'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startNode } from '../../node/start.ts'

const manual = { blocks: { time: 'manual' } } as const
const refused = (method: string, flag: string) => ({
  code: -32601,
  message: `the method ${method} is not available here: its namespace is not among those of ${flag}`,
})

test('each transport serves the namespaces of its flag, and a refusal names the flag', async () => {
  await using node = await startNode({ ...manual, jsonrpc: { httpApi: ['eth', 'net'], wsApi: ['web3', 'eth'] } })
  const rpc = async (method: string): Promise<unknown> => {
    const response = await fetch(node.urls.jsonrpc!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
    })
    const { result, error } = (await response.json()) as { readonly result?: unknown; readonly error?: unknown }
    return error ?? result
  }
  expect(await rpc('net_version')).toBe(String(6930))
  expect(await rpc('web3_clientVersion')).toEqual(refused('web3_clientVersion', '--http-api'))
  expect(await rpc('anvil_mine')).toEqual(refused('anvil_mine', '--http-api'))
  expect(await rpc('web3_nothing')).toMatchObject({
    message: 'the method web3_nothing does not exist/is not available',
  })
  expect(await rpc('rpc_modules')).toEqual({ eth: '1.0', net: '1.0', rpc: '1.0' })

  const socket = new WebSocket(node.urls.ws!)
  await once(socket, 'open')
  const ask = async (method: string): Promise<unknown> => {
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }))
    const [data] = (await once(socket, 'message')) as [Buffer]
    return JSON.parse(data.toString())
  }
  expect(await ask('net_version')).toMatchObject({ error: refused('net_version', '--ws-api') })
  expect(await ask('web3_clientVersion')).toHaveProperty('result')
  socket.close()

  const overHttp = createPublicClient({ transport: http(node.urls.jsonrpc!) })
  const overSocket = createPublicClient({ transport: webSocket(node.urls.ws!) })
  expect(await overHttp.getChainId()).toBe(6930)
  expect(await overSocket.getChainId()).toBe(6930)
  await expect(overHttp.request({ method: 'txpool_content' as never })).rejects.toThrow('--http-api')
  // Within the process, no flag applies.
  const inProcess = createPublicClient({ transport: custom(node.provider) })
  expect(await inProcess.request({ method: 'net_version' as never })).toBe('6930')
  ;(await overSocket.transport.getRpcClient()).close()
})

test('without the flags every namespace is served; an unknown one is refused at the start', async () => {
  await using node = await startNode(manual)
  const client = createPublicClient({ transport: http(node.urls.jsonrpc!) })
  expect(Object.keys(await client.request({ method: 'rpc_modules' as never }))).toEqual(
    expect.arrayContaining(['anvil', 'debug', 'eth', 'net', 'rpc', 'txpool', 'web3']),
  )
  await expect(startNode({ ...manual, jsonrpc: { wsApi: ['eth', 'admin'] } })).rejects.toThrow(
    /--ws-api: "admin" is not a namespace of JSON-RPC: .*debug, .*eth, .*web3, or \* for all/,
  )
})
