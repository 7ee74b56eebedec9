import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { modules } from '../app/modules.ts'
import { encodeTransaction } from '../evm/transaction/encode.ts'
import { signTransaction } from '../evm/transaction/sender.ts'
import { EMPTY, formatHex0x, hex } from '../primitives/bytes.ts'
import { ChainError } from '../primitives/errors.ts'
import { type Node, startNode, testNode } from './start.ts'

async function rpc(node: Node, method: string, params: readonly unknown[]): Promise<unknown> {
  const response = await fetch(node.urls.jsonrpc, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

/** Returns a raw transfer of 1 unative from the node's first account. */
function transfer(node: Node, nonce: number, to = '0x00000000000000000000000000000000000000aa'): string {
  const signed = signTransaction(
    {
      type: 0,
      chainId: BigInt(node.evmChainId),
      nonce: BigInt(nonce),
      gasLimit: 21_000n,
      to: hex(to),
      valueWei: 10n ** 12n,
      data: EMPTY,
      gasPriceWei: 10n ** 12n,
    },
    node.accounts[0]!.privateKeyBytes,
  )
  return formatHex0x(encodeTransaction(signed))
}

test('a test chain answers without a port, waits for its next block, and is the same at every run', async () => {
  await using one = await testNode()
  await using two = await testNode()
  expect(one.urls).toEqual({})
  expect(one.height).toBe(1n)
  expect(await one.nextBlock()).toBe(2n)
  await two.nextBlock()
  const path = '/sdk/base/tendermint/v1beta1/blocks/latest'
  const block = (await one.query(path)) as { block: { header: { height: string; time: string } } }
  expect(block.block.header).toMatchObject({ height: '2', time: '2024-01-01T12:00:00.001Z' })
  expect(await two.query(path)).toEqual(block)
  await expect(one.query('/chain/evm/v1/nothing')).rejects.toThrow('no route')
})

test('several nodes run in one process, each on its own ports', async () => {
  const nodes = await Promise.all([1, 2, 3].map((n) => startNode({ chain: { id: `chain-${n}` } })))
  expect(new Set(nodes.flatMap(({ urls }) => Object.values(urls))).size).toBe(15)
  await rpc(nodes[0]!, 'eth_sendRawTransaction', [transfer(nodes[0]!, 0)])
  expect(nodes.map(({ height }) => height)).toEqual([2n, 1n, 1n])
  for (const node of nodes) await node.stop()
  await expect(rpc(nodes[1]!, 'eth_blockNumber', [])).rejects.toThrow()
})

test('with blocks on arrival a hash is returned when its receipt exists', async () => {
  await using node = await startNode()
  const hashes = await Promise.all(
    [0, 1, 2, 3].map((nonce) => rpc(node, 'eth_sendRawTransaction', [transfer(node, nonce)])),
  )
  for (const hash of hashes) {
    expect(await rpc(node, 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1', transactionHash: hash })
  }
  expect(await rpc(node, 'eth_getBalance', ['0x00000000000000000000000000000000000000aa', 'latest'])).toBe(
    '0x3a352944000',
  )
})

test('with manual blocks a hash means admission, and the next block includes the waiting transactions', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  const hash = await rpc(node, 'eth_sendRawTransaction', [transfer(node, 0)])
  expect(await rpc(node, 'eth_getTransactionReceipt', [hash])).toBeNull()
  expect(await node.nextBlock()).toBe(2n)
  expect(await rpc(node, 'eth_getTransactionReceipt', [hash])).toMatchObject({ blockNumber: '0x2' })
})

test('with an interval blocks come by the clock, even without transactions', async () => {
  await using node = await startNode({ blocks: { time: '50ms' }, jsonrpc: { enabled: false } })
  await expect.poll(() => node.height).toBeGreaterThan(3n)
  expect(node.urls.jsonrpc).toBeUndefined()
})

test('a chain in a home continues at its height with its state', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-'))
  const first = await startNode({ home, chain: { accounts: 2 } })
  const hash = await rpc(first, 'eth_sendRawTransaction', [transfer(first, 0)])
  await expect(startNode({ home })).rejects.toThrow('this process already runs in this home')
  await first.stop()
  await expect(startNode({ home, chain: { accounts: 3 } })).rejects.toThrow('chain.accounts = 2')
  const again = await startNode({ home })
  expect(again.accounts.length).toBe(4)
  expect(again.height).toBe(2n)
  expect(await rpc(again, 'eth_getTransactionReceipt', [hash])).toMatchObject({ blockNumber: '0x2' })
  await rpc(again, 'eth_sendRawTransaction', [transfer(again, 1)])
  expect(again.height).toBe(3n)
  await again.stop()
  await expect(startNode({ home, chain: { fork: 'Berlin' } })).rejects.toThrow('began with chain.fork = Osaka')
  rmSync(home, { recursive: true })
})

test('a build that cannot continue a chain is refused at the start, with the misfit', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-'))
  const config = { home, ports: false, chain: { accounts: 1 } }
  await (await startNode(config)).stop()
  const build = { modules: modules.filter(({ name }) => name !== 'inflation') }
  await expect(startNode(config, { build })).rejects.toThrow(
    'this build cannot continue the chain, which is at height 1:\n  module inflation is at version 3 on the chain and absent',
  )
  const again = await startNode(config)
  expect(again.height).toBe(1n)
  await again.stop()
  rmSync(home, { recursive: true })
})

test('a choice of ports that is neither true nor false is refused', async () => {
  await expect(startNode({ ports: 'none' as unknown as boolean })).rejects.toThrow(
    'ports is "none": it must be true or',
  )
})

test('a configuration, a world or a section that is no object is refused by name', async () => {
  const of = (...given: readonly unknown[]) =>
    (startNode as (...given: readonly unknown[]) => Promise<unknown>)(...given)
  const refused = (given: unknown, message: string) =>
    expect(given).rejects.toMatchObject({ status: 'invalidArgument', message })
  await refused(of(null), 'the configuration is null: it must be an object')
  await refused(of(5), 'the configuration is 5: it must be an object')
  await refused(testNode(null as never), 'the configuration is null: it must be an object')
  await refused(of({}, null), 'the world is null: it must be an object')
  await refused(of({ chain: 'local' }), 'chain is "local": it must be an object')
  await refused(of({ home: 5 }), 'home is 5: it must be a path')
})

test('an invalid mnemonic and an invalid chain id are refused with the reason', async () => {
  const of = (chain: { mnemonic?: string; id?: string }) => startNode({ ports: false, chain })
  await expect(of({ mnemonic: 'test test' })).rejects.toThrow(
    'chain.mnemonic is not a BIP-39 mnemonic in English: the number or the order of its words is wrong',
  )
  await expect(of({ mnemonic: `${'test '.repeat(11)}jnuk` })).rejects.toThrow('"jnuk" is not in its word list')
  for (const id of ['', 'a b', 'x'.repeat(51)]) {
    await expect(of({ id })).rejects.toThrow(`chain.id is "${id}": it must be 1 to 50 ASCII characters without blanks`)
  }
})

test('a taken port ends the start with an error that names it and the remedies', async () => {
  const other = createServer()
  const port = await new Promise<number>((resolve) => {
    other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port))
  })
  await expect(startNode({ rest: { port } })).rejects.toThrow(
    `REST cannot listen on 127.0.0.1:${port}: the port is taken. Stop the process using it, move all ports with --port-offset N, or set rest.port (--rest-port).`,
  )
  other.close()
  await using free = await startNode({ rest: { port } })
  expect(free.urls.rest).toBe(`http://127.0.0.1:${port}`)
  // An address for documentation, which no machine has.
  const elsewhere = { host: '203.0.113.7' }
  const only = {
    node: { insecureKeys: true },
    grpc: { enabled: false },
    jsonrpc: { enabled: false },
    comet: { enabled: false },
  }
  await expect(startNode({ ...only, rest: elsewhere })).rejects.toThrow(
    /REST cannot listen on 203\.0\.113\.7:0: .*\. Set rest\.host to an address of this machine, or to 0\.0\.0\.0 for all\./,
  )
})

test('a query at a future or pruned height names the height, and a wrong setting is named by its key', async () => {
  await using node = await testNode({ store: { keep: 2 } })
  for (let i = 0; i < 5; i++) await node.nextBlock()
  await expect(node.query('/chain/evm/v1/params?height=99')).rejects.toThrow(/99/)
  await expect(node.query('/chain/evm/v1/params?height=1')).rejects.toThrow(/1/)
  await expect(testNode({ evm: { timeout: 'soon' } })).rejects.toThrow('evm.timeout = "soon": must be a duration')
})

test('a failed query rejects with the error of the chain: status, codespace, code and details', async () => {
  await using node = await testNode()
  const failure = async (path: string) => {
    const error = await node.query(path).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ChainError)
    return error as ChainError
  }
  const future = await failure('/chain/evm/v1/params?height=99')
  expect(future).toMatchObject({ status: 'outOfRange', details: [{ requested: 99n, earliest: 1n, latest: 1n }] })
  expect(await failure('/sdk/bank/v1beta1/balances/xyz')).toMatchObject({
    status: 'invalidArgument',
    codespace: 'undefined',
    code: 1,
    details: [{ field: 'address' }],
  })
  expect(await failure('/chain/evm/v1/nothing')).toMatchObject({ status: 'notFound', details: [] })
})

test('a failed call of the library says where its caller is', async () => {
  await using node = await testNode({ ports: false })
  async function ofThisTest(call: () => Promise<unknown>): Promise<void> {
    await call()
  }
  for (const call of [() => node.query('/nothing'), () => node.revert('none'), () => node.revert('0x99')]) {
    const error = (await ofThisTest(call).catch((thrown: unknown) => thrown)) as Error
    expect(error.stack).toContain('ofThisTest')
    expect(error.stack).toContain('start.test.ts')
  }
})

test('a stopped node says so, and a node without ports has no URLs', async () => {
  const node = await startNode({ ports: false })
  const none: undefined = node.urls.rest
  expect([none, node.urls]).toEqual([undefined, {}])
  await node.stop()
  await node.stop()
  const stopped = { status: 'unavailable', message: 'the node has stopped' }
  await expect(node.query('/chain/evm/v1/params')).rejects.toMatchObject(stopped)
  await expect(node.nextBlock()).rejects.toMatchObject(stopped)
  await expect(node.advance(1)).rejects.toMatchObject(stopped)
})

test('a path with a typo names the nearest path of its length and its family', async () => {
  await using node = await startNode({ ports: false })
  for (const family of ['cosmos', 'sdk']) {
    const nearest = `no route /${family}/bank/v1beta1/balancs/x; the nearest is /${family}/bank/v1beta1/balances/{address}`
    await expect(node.query(`/${family}/bank/v1beta1/balancs/x`)).rejects.toMatchObject({ message: nearest })
  }
})

test('the clock goes forward by a number of seconds, up to the last time of a block', async () => {
  await using node = await startNode({ ports: false })
  for (const seconds of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
    await expect(node.advance(seconds)).rejects.toThrow(`advance: ${seconds} seconds: must be a number from 0`)
  }
  await expect(node.advance(1e12)).rejects.toThrow('a block cannot be later than 253402300799 seconds')
  expect(await node.advance(0)).toBe(1n)
})

test('a log that fails affects neither blocks nor their senders', async () => {
  const fails = () => {
    throw new Error('no log')
  }
  await using node = await startNode({ node: { dev: true } }, { log: fails })
  // Calls console.log() of Hardhat: the address of the console with the selector of log().
  const console = '000000000000000000636F6e736F6c652e6c6f67'
  const init = `0x6351973ec960e01b60005260006000600460006000${`73${console}`}5af100`
  const [from] = (await rpc(node, 'eth_accounts', [])) as string[]
  const hash = await rpc(node, 'eth_sendTransaction', [{ from, data: init, gas: '0x30000' }])
  expect(await rpc(node, 'eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
})
