import { expect, test } from 'vitest'
import { assembleNode } from './assembly.ts'
import { resolveConfig } from './config.ts'
import { createProvider, ProviderRpcError } from './provider.ts'
import { startNode, testNode } from './start.ts'

const TO = '0x00000000000000000000000000000000000000aa'

/** Resolves in a later turn of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('a node without ports answers JSON-RPC through its provider and by rpc', async () => {
  await using node = await startNode({ ports: false })
  const [from] = (await node.provider.request({ method: 'eth_accounts' })) as string[]
  expect(from).toBe(node.accounts[0]!.address.toLowerCase())
  const hash = await node.rpc<string>('eth_sendTransaction', { from, to: TO, value: 10n ** 12n })
  expect(await node.rpc('eth_getTransactionReceipt', hash)).toMatchObject({ status: '0x1', to: TO })
  // 1 unative is 10^12 wei.
  expect(await node.rpc('eth_getBalance', TO, 'latest')).toBe('0xe8d4a51000')
  expect(await node.rpc('web3_sha3', '0x')).toBe('0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
})

test('events of a subscription arrive as messages, in order, and none after its end', async () => {
  await using node = await testNode()
  const seen: { subscription: string; number: string }[] = []
  node.provider.on('message', ({ type, data }) => {
    expect(type).toBe('eth_subscription')
    seen.push({ subscription: data.subscription, number: (data.result as { number: string }).number })
  })
  const subscription = await node.rpc<string>('eth_subscribe', 'newHeads')
  expect(subscription).toMatch(/^0x[0-9a-f]+$/)
  await node.nextBlock()
  await node.nextBlock()
  await expect.poll(() => seen.length).toBe(2)
  expect(seen).toEqual([
    { subscription, number: '0x2' },
    { subscription, number: '0x3' },
  ])
  expect(await node.rpc('eth_unsubscribe', subscription)).toBe(true)
  await node.nextBlock()
  await turn()
  expect(seen.length).toBe(2)
  await expect(node.rpc('eth_unsubscribe', subscription)).rejects.toMatchObject({ code: -32000 })
})

test('a listener that throws fails by itself: blocks and other listeners go on', async () => {
  await using node = await testNode()
  const uncaught: unknown[] = []
  const before = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => uncaught.push(error))
  try {
    node.provider.once('message', () => {
      throw new Error('a listener fails')
    })
    await node.rpc('eth_subscribe', 'newHeads')
    await node.nextBlock()
    await expect.poll(() => uncaught.length).toBe(1)
    expect(await node.nextBlock()).toBe(3n)
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const listener of before) process.on('uncaughtException', listener)
  }
})

test('a failed call rejects with the code and the data that a port answers', async () => {
  await using node = await startNode()
  // Reverts with the four bytes 0xdeadbeef.
  const params = [{ from: node.accounts[0]!.address, data: '0x63deadbeef6000526004601cfd' }]
  const response = await fetch(node.urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params }),
  })
  const { error } = (await response.json()) as { error: { code: number; message: string; data: string } }
  expect([error.code, error.data]).toEqual([3, '0xdeadbeef'])
  const failure = await node.rpc('eth_call', ...params).catch((thrown: unknown) => thrown)
  expect(failure).toBeInstanceOf(ProviderRpcError)
  expect(failure).toMatchObject(error)
  const unknown = await node.rpc('eth_nothing').catch((thrown: object) => thrown)
  expect([unknown, 'data' in (unknown as object)]).toMatchObject([{ code: -32601 }, false])
  await expect(node.rpc('eth_getBalance', 'x')).rejects.toMatchObject({ code: -32602 })
  await expect(node.provider.request({ method: 'eth_getBalance', params: { address: TO } })).rejects.toMatchObject({
    code: -32602,
  })
  const ring: unknown[] = []
  ring.push(ring)
  await expect(node.rpc('eth_call', ring)).rejects.toMatchObject({ code: -32602 })
  await expect(node.provider.request({ method: 1 } as never)).rejects.toMatchObject({ code: -32600 })
  await expect(node.provider.request(undefined as never)).rejects.toMatchObject({ code: -32600 })
})

test('a provider connects at its first use and disconnects when the node stops', async () => {
  const node = await testNode()
  const { provider } = node
  const events: unknown[] = []
  provider
    .on('connect', (info) => events.push(info))
    .on('disconnect', ({ code, message }) => events.push([code, message]))
  await turn()
  // The EVM chain id of a localnet is 6930.
  expect(events).toEqual([{ chainId: '0x1b12' }])
  await node.rpc('eth_subscribe', 'newHeads')
  await node.stop()
  expect(events[1]).toEqual([4900, 'the node has stopped'])
  await expect(provider.request({ method: 'eth_chainId' })).rejects.toMatchObject({ code: 4900 })
  await expect(node.rpc('eth_chainId')).rejects.toMatchObject({ code: 4900 })
  const unused = await testNode()
  await unused.stop()
  await expect(unused.rpc('eth_chainId')).rejects.toMatchObject({ code: 4900 })
})

test('a snapshot brings back the state once; another id, and a chain without development methods, are refused', async () => {
  await using node = await startNode({ ports: false })
  const id = await node.snapshot()
  await node.rpc('anvil_setBalance', TO, 5n * 10n ** 18n)
  await node.nextBlock()
  expect(node.height).toBe(2n)
  await node.revert(id)
  expect(node.height).toBe(1n)
  expect(await node.rpc('eth_getBalance', TO, 'latest')).toBe('0x0')
  await expect(node.revert(id)).rejects.toMatchObject({ status: 'notFound', message: `snapshot ${id} does not exist` })
  await expect(node.revert('one')).rejects.toMatchObject({ status: 'invalidArgument' })
  await using real = await startNode({ ports: false, node: { dev: false, insecureKeys: true } })
  await expect(real.snapshot()).rejects.toMatchObject({ status: 'failedPrecondition' })
})

test('a change of the chain id is an event, after a call and after a block', async () => {
  const caller = { api: { workers: 0 }, compute: { workers: 0 }, feeder: { enabled: false } }
  const node = await assembleNode({
    resolved: resolveConfig({ caller }),
    home: undefined,
    freePorts: true,
    openPorts: false,
    log: () => {},
  })
  let evmChainId = 1n
  const provider = createProvider(Object.create(node.gateway, { evmChainId: { get: () => evmChainId } }))
  const changes: string[] = []
  provider.on('chainChanged', (id) => changes.push(id))
  await provider.request({ method: 'eth_chainId' })
  evmChainId = 31_337n
  expect(await provider.request({ method: 'eth_chainId' })).toBe('0x7a69')
  await turn()
  expect(changes).toEqual(['0x7a69'])
  evmChainId = 2n
  await node.production!.nextBlock()
  await turn()
  expect(changes).toEqual(['0x7a69', '0x2'])
  provider.disconnect('the node has stopped')
  await node.stop()
})
