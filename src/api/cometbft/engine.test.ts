import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Node, startNode } from '../../index.ts'
import { createHttpRpc } from '../../node/engine/http-rpc.ts'
import { queryError } from '../../primitives/errors.ts'
import { wholeBlock } from './engine.ts'
import { cometMethods } from './methods.ts'
import { statusOf } from './node.ts'
import { readJsonParams, readUriParams, writeJsonParams } from './params.ts'

let node: Node

beforeAll(async () => {
  node = await startNode({ chain: { validators: 3 }, comet: { unsafe: true } })
  await node.nextBlock()
})

afterAll(async () => {
  await node?.stop()
})

interface Answer {
  readonly result?: Record<string, never>
  readonly error?: { readonly code: number; readonly data: string }
}

async function rpc(url: string, method: string, params: unknown = {}): Promise<Answer> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  return (await (await fetch(url, { method: 'POST', body })).json()) as Answer
}

interface RoundState {
  readonly round_state: {
    readonly height: string
    readonly validators: { readonly validators: readonly { readonly address: string }[]; readonly proposer: object }
    readonly last_commit: { readonly votes: readonly string[]; readonly votes_bit_array: string }
  }
  readonly peers: readonly unknown[]
}

test('a node that decides its blocks tells who proposes next, and who has signed the last block', async () => {
  const { result } = await rpc(node.urls.comet, 'consensus_state')
  const state = (result as unknown as { readonly round_state: Record<string, unknown> }).round_state
  expect(state['height/round/step']).toBe(`${node.height + 1n}/0/1`)
  expect(state['height_vote_set']).toMatchObject([
    { round: 0, prevotes: ['nil-Vote', 'nil-Vote', 'nil-Vote'], prevotes_bit_array: 'BA{3:___} 0/3000 = 0.00' },
  ])
  const dumped = (await rpc(node.urls.comet, 'dump_consensus_state')).result as unknown as RoundState
  expect(dumped.round_state.height).toBe(String(node.height + 1n))
  expect(dumped.peers).toEqual([])
  const { last_commit: commit, validators } = dumped.round_state
  expect(commit.votes_bit_array).toBe('BA{3:xxx} 3000/3000 = 1.00')
  const first = validators.validators[0]!.address.slice(0, 12)
  expect(commit.votes[0]).toMatch(
    new RegExp(
      `^Vote\\{0:${first} ${node.height}/00/SIGNED_MSG_TYPE_PRECOMMIT\\(Precommit\\) [0-9A-F]{12} [0-9A-F]{12} 0{12} @ `,
    ),
  )
  const { proposer } = state as { readonly proposer: { readonly address: string; readonly index: number } }
  expect(validators.validators[proposer.index]!.address).toBe(proposer.address)
  // The proposer that was announced makes the block.
  const height = await node.nextBlock()
  const { header } = (await rpc(node.urls.comet, 'header', { height: String(height) })).result as unknown as {
    readonly header: { readonly proposer_address: string }
  }
  expect(header.proposer_address).toBe(proposer.address)
})

test('a node that decides its blocks refuses evidence and peers, and says why', async () => {
  expect((await rpc(node.urls.comet, 'broadcast_evidence')).error!.data).toBe('no evidence was provided')
  expect((await rpc(node.urls.comet, 'broadcast_evidence', { evidence: { type: 'x' } })).error!.data).toContain(
    'it takes no evidence',
  )
  expect((await rpc(node.urls.comet, 'dial_peers', { peers: ['a@127.0.0.1:1'] })).error!.data).toContain('has no peers')
  const uri = await fetch(`${node.urls.comet}/dial_seeds?seeds=["a@127.0.0.1:1"]`)
  expect(((await uri.json()) as Answer).error!.data).toContain('has no peers')
  expect((await rpc(node.urls.comet, 'dial_peers', { peers: 'a' })).error!.code).toBe(-32602)
})

test('methods that change the engine exist only if the operator serves them', async () => {
  await using safe = await startNode()
  expect((await rpc(safe.urls.comet, 'dial_seeds', { seeds: [] })).error!.code).toBe(-32601)
  expect((await rpc(safe.urls.comet, 'unsafe_flush_mempool')).error!.code).toBe(-32601)
  expect((await fetch(`${safe.urls.comet}/dial_seeds?seeds=[]`)).status).toBe(404)
  expect(await (await fetch(`${safe.urls.comet}/`)).text()).not.toContain('dial_seeds')
  expect(await (await fetch(`${node.urls.comet}/`)).text()).toContain('//dial_seeds?seeds=_')
})

test('the operator empties the pool', async () => {
  await using manual = await startNode({ blocks: { time: 'manual' }, comet: { unsafe: true } })
  const [first] = await manual.rpc<string[]>('eth_accounts')
  const hash = await manual.rpc('eth_sendTransaction', { from: first, to: first, value: 1n })
  const waiting = async () => (await rpc(manual.urls.comet, 'num_unconfirmed_txs')).result!['total']
  expect(await waiting()).toBe('1')
  expect((await rpc(manual.urls.comet, 'unsafe_flush_mempool')).result).toEqual({})
  expect(await waiting()).toBe('0')
  await manual.nextBlock()
  expect(await manual.rpc('eth_getTransactionByHash', hash)).toBeNull()
})

test('arguments are passed on in the form in which they are read', () => {
  for (const [name, { params: kinds }] of Object.entries(cometMethods)) {
    const search = new URLSearchParams(
      Object.entries(kinds).map(([key, kind]): [string, string] => [
        key,
        {
          int: '7',
          bool: 'true',
          text: '"t"',
          hexBytes: '0x0a0b',
          base64Bytes: '0x0c0d',
          texts: '["x","y"]',
          json: '{"type":"t"}',
        }[kind],
      ]),
    )
    const read = readUriParams(kinds, search)
    expect(Object.keys(read), name).toEqual(Object.keys(kinds))
    expect(readJsonParams(kinds, JSON.parse(JSON.stringify(writeJsonParams(kinds, read)))), name).toEqual(read)
  }
})

test('the methods about the chain are those of the engine, searches and transactions are not', () => {
  const ofEngine = Object.keys(cometMethods).filter((name) => cometMethods[name]!.isOfEngine)
  expect(ofEngine.sort()).toEqual(
    [
      ...[
        'block',
        'block_by_hash',
        'header',
        'header_by_hash',
        'commit',
        'blockchain',
        'validators',
        'consensus_params',
      ],
      ...['consensus_state', 'dump_consensus_state', 'net_info', 'health', 'genesis', 'genesis_chunked'],
      ...['broadcast_evidence', 'dial_seeds', 'dial_peers'],
    ].sort(),
  )
})

/** Serves `answer` as the RPC of an engine while `use` runs. */
async function withEngine<T>(
  answer: (method: string, params: never) => unknown,
  use: (url: string) => Promise<T>,
): Promise<T> {
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const { method, params } = JSON.parse(text) as { readonly method: string; readonly params: never }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 0, ...(answer(method, params) as object) }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    return await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.close()
  }
}

test('an error of the engine keeps its text, and an engine that does not answer is unavailable', async () => {
  const text = 'height 9 must be less than or equal to the current blockchain height 3'
  const failed = await withEngine(
    () => ({ error: { code: -32603, message: 'Internal error', data: text } }),
    (url) =>
      createHttpRpc(url)
        .call('block', { height: '9' })
        .catch((error: unknown) => error),
  )
  expect(failed).toMatchObject({ message: text, status: 'unknown' })
  const stopped = await withEngine(
    () => ({}),
    async (url) => url,
  )
  const gone = await createHttpRpc(stopped)
    .call('status', {})
    .catch((error: unknown) => error)
  expect(gone).toMatchObject({ status: 'unavailable', message: expect.stringContaining('ECONNREFUSED') })
})

test('a block of the engine has the header, the id and the commit of the engine', async () => {
  const height = await node.nextBlock()
  const own = (await rpc(node.urls.comet, 'block', { height: String(height) })).result!
  const plain = { header: { height } } as never
  const found = await wholeBlock({ call: async () => own }, plain)
  expect(found.header.height).toBe(height)
  expect(found.header.lastCommitHash).toHaveLength(32)
  expect(found.blockId.partsTotal).toBe(1)
  expect(found.lastCommit!.signatures).toHaveLength(3)
  expect(found.lastCommit!.signatures[0]!.signature).toHaveLength(64)
})

test('results of a block have the form of the engine line 0.37, and else that of this node', async () => {
  const height = await node.nextBlock()
  const blocks = {
    latestHeight: () => height,
    earliestHeight: () => 1n,
    block: () => ({ header: { height }, results: [], blockEvents: [], nextAppHash: new Uint8Array() }),
    validators: () => undefined,
  }
  const gateway = { blocks, dispatch: async () => ({ ok: true, response: {} }) }
  const asked: unknown[] = []
  const engineOf = (version: string) => ({
    async call(method: string, params: object) {
      asked.push([method, params])
      return method === 'status' ? { node_info: { version } } : { begin_block_events: [] }
    },
  })
  const run = (engine: object) =>
    cometMethods['block_results']!.run({ node: gateway, nodeInfo: { engine } } as never, { height } as never)
  expect(await run(engineOf('0.37.16'))).toEqual({ begin_block_events: [] })
  expect(asked).toEqual([
    ['status', {}],
    ['block_results', { height: String(height) }],
  ])
  expect(await run(engineOf('0.38.25'))).toMatchObject({ height: String(height), finalize_block_events: null })
})

test('status is that of the engine, under the name of this node; without the engine it is that of this node', async () => {
  const facts = {
    nodeId: new Uint8Array(20),
    moniker: 'mine',
    listenAddress: 'tcp://x:1',
    rpcAddress: 'tcp://mine:1',
    validatorKey: undefined,
  }
  const info = { ...facts, genesis: () => ({}) as never, simulate: async () => ({}) as never }
  const status = {
    node_info: { version: '0.37.4', moniker: 'theirs', other: { tx_index: 'off', rpc_address: 'x' } },
    sync_info: { catching_up: true },
  }
  const gateway = {
    chainId: 'c',
    blocks: { latestHeight: () => 0n, earliestHeight: () => 0n, header: () => undefined, validators: () => [] },
    driver: { status: () => ({ catchingUp: false }) },
  } as never
  expect(await statusOf(gateway, { ...info, engine: { call: async () => status } })).toEqual({
    node_info: { version: '0.37.4', moniker: 'mine', other: { tx_index: 'on', rpc_address: 'tcp://mine:1' } },
    sync_info: { catching_up: true },
  })
  const gone = { call: () => Promise.reject(queryError('unavailable', 'gone')) }
  expect(await statusOf(gateway, { ...info, engine: gone })).toMatchObject({
    node_info: { moniker: 'mine', version: '0.38.25' },
    sync_info: { catching_up: false },
  })
})
