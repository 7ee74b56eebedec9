import { create, toBinary } from '@bufbuild/protobuf'
import { Client, credentials } from '@grpc/grpc-js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { GetTxRequestSchema } from '../gen/sdk/tx/v1beta1/service_pb.ts'
import { type Node, startNode } from '../index.ts'

/** JUMPDEST, LOG1 of 3 bytes, and again while more than 65,535 gas is left. */
const SPAM = '0x5b60ff60035fa15a61ffff105f5700'
/** Gas of the transactions: answers of half a megabyte, of some megabytes, and of more than a page can have. */
const GAS = [400_000, 2_500_000, 2_500_000, 9_000_000]

interface Log {
  readonly logIndex: string
  readonly data: string
}
interface Receipt {
  readonly transactionHash: string
  readonly blockNumber: string
  readonly logs: readonly Log[]
}
interface Attribute {
  readonly key: string
  readonly value: string
}
type Events = readonly { readonly type: string; readonly attributes: readonly Attribute[] }[]

let node: Node
let receipts: Receipt[]
let firstHeight: number
let lastHeight: number

async function rpc<T>(method: string, params: readonly unknown[]): Promise<T> {
  const response = await fetch(node.urls.jsonrpc!, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

async function comet<T>(target: string): Promise<{ result?: T; error?: { data: string } }> {
  return (await (await fetch(`${node.urls.comet}/${target}`)).json()) as { result?: T; error?: { data: string } }
}

beforeAll(async () => {
  node = await startNode({ blocks: { time: 'manual' } })
  const contract = `0x${'c0'.repeat(20)}`
  await rpc('anvil_setCode', [contract, SPAM])
  const hashes: string[] = []
  for (const gas of GAS) {
    const from = node.accounts.find(({ kind }) => kind === 'eth')!.address
    hashes.push(await rpc('eth_sendTransaction', [{ from, to: contract, gas: `0x${gas.toString(16)}` }]))
    await node.nextBlock()
  }
  receipts = await Promise.all(hashes.map((hash) => rpc<Receipt>('eth_getTransactionReceipt', [hash])))
  firstHeight = Number(receipts[0]!.blockNumber)
  lastHeight = Number(receipts.at(-1)!.blockNumber)
})
afterAll(() => node?.stop())

const RANGE = () => encodeURIComponent(`tx.height >= ${firstHeight}`)

interface CometTx {
  readonly hash: string
  readonly height: string
  readonly tx_result: { readonly data: string; readonly log: string; readonly events: Events }
}
interface RestTx {
  readonly tx_response: {
    readonly txhash: string
    readonly data: string
    readonly raw_log: string
    readonly logs: readonly { readonly events: Events }[]
    readonly events: Events
  }
}

async function cometTx(height: number): Promise<CometTx> {
  const { result } = await comet<{ txs: CometTx[] }>(`tx_search?query="tx.height=${height}"`)
  return result!.txs[0]!
}

const withoutIndex = (events: Events) =>
  events.map(({ type, attributes }) => ({ type, attributes: attributes.map(({ key, value }) => ({ key, value })) }))

test('a long result is the same in every protocol', async () => {
  for (const { blockNumber, logs, transactionHash } of receipts) {
    expect(await rpc('eth_getTransactionLogs', [transactionHash])).toEqual(logs)
    expect(await rpc<Receipt[]>('eth_getBlockReceipts', [blockNumber])).toMatchObject([{ transactionHash, logs }])
    logs.forEach(({ logIndex }, i) => {
      expect(Number(logIndex)).toBe(i)
    })
    const one = await cometTx(Number(blockNumber))
    const text = await (await fetch(`${node.urls.rest}/cosmos/tx/v1beta1/txs/${one.hash}`)).text()
    const { tx_response: rest } = JSON.parse(text) as RestTx
    expect(rest.txhash).toBe(one.hash)
    expect(rest.raw_log).toBe(one.tx_result.log)
    expect(rest.data).toBe(Buffer.from(one.tx_result.data, 'base64').toString('hex').toUpperCase())
    expect(rest.events).toEqual(one.tx_result.events)
    const [first] = JSON.parse(rest.raw_log) as { events: Events }[]
    expect(rest.logs).toMatchObject([{ events: first!.events }])
    expect(withoutIndex(rest.events).slice(-first!.events.length)).toEqual(first!.events)
    const written = rest.events
      .flatMap(({ attributes }) => attributes)
      .find(({ value }) => value.includes('block_hash'))
    expect(JSON.parse(written!.value)).toHaveLength(logs.length)
    const results = await comet<{ txs_results: unknown[] }>(`block_results?height=${Number(blockNumber)}`)
    expect(results.result!.txs_results).toEqual([one.tx_result])
  }
})

test('a page that is too long names a shorter one, and the named pages contain every result once', async () => {
  const found: string[] = []
  const kinds = [
    async (page: number, size: number) => {
      const { result, error } = await comet<{ txs: CometTx[]; total_count: string }>(
        `tx_search?query="${RANGE()}"&page=${page}&per_page=${size}`,
      )
      return { hashes: result?.txs.map(({ hash }) => hash), total: result?.total_count, error: error?.data }
    },
    async (page: number, size: number) => {
      const target = `/cosmos/tx/v1beta1/txs?query=${RANGE()}&page=${page}&limit=${size}`
      const response = await fetch(node.urls.rest + target)
      const { txs, tx_responses, total, message } = (await response.json()) as {
        txs?: unknown[]
        tx_responses?: { txhash: string }[]
        total?: string
        message?: string
      }
      expect(response.status).toBe(message === undefined ? 200 : 400)
      expect(txs?.length).toBe(tx_responses?.length)
      return { hashes: tx_responses?.map(({ txhash }) => txhash), total, error: message }
    },
  ]
  for (const ask of kinds) {
    const hashes: string[] = []
    while (hashes.length < GAS.length) {
      // A client that wants a hundred results from here on: one page that begins at the last result it has.
      const size = hashes.length === 0 ? 100 : hashes.length
      const answer = await ask(hashes.length / size + 1, size)
      if (answer.error === undefined) {
        expect(answer.total).toBe(String(GAS.length))
        hashes.push(...answer.hashes!)
        continue
      }
      const [, page, perPage] = /ask for page=(\d+) and (?:per_page|limit)=(\d+)/.exec(answer.error)!
      const shorter = await ask(Number(page), Number(perPage))
      expect((Number(page) - 1) * Number(perPage)).toBe(hashes.length)
      hashes.push(...shorter.hashes!)
    }
    expect(hashes).toHaveLength(GAS.length)
    found.push(hashes.join())
  }
  expect(found[0]).toBe(found[1])
  expect(new Set(found[0]!.split(',')).size).toBe(GAS.length)
})

test('an answer that is too long for gRPC, a batch or a WebSocket is refused there, and a shorter one is whole', async () => {
  const [first, last] = [await cometTx(firstHeight), await cometTx(lastHeight)]
  const client = new Client(node.urls.grpc!, credentials.createInsecure(), { 'grpc.max_receive_message_length': -1 })
  const get = ({ hash }: CometTx) =>
    new Promise<string>((resolve) => {
      const request = Buffer.from(toBinary(GetTxRequestSchema, create(GetTxRequestSchema, { hash })))
      const pass = (bytes: Buffer) => bytes
      client.makeUnaryRequest('/cosmos.tx.v1beta1.Service/GetTx', pass, pass, request, (error, bytes) =>
        resolve(error ? error.message : (bytes as Buffer).toString('latin1')),
      )
    })
  expect(await get(first)).toContain('block_hash')
  expect(await get(last)).toContain('the answer is longer than 8388608 bytes')
  client.close()
  const call = (id: number, { hash }: CometTx) => ({
    jsonrpc: '2.0',
    id,
    method: 'tx',
    params: { hash: Buffer.from(hash, 'hex').toString('base64') },
  })
  const body = JSON.stringify([call(1, first), call(2, last), call(3, first)])
  const answers = await (await fetch(node.urls.comet!, { method: 'POST', body })).json()
  expect(answers).toMatchObject([
    { id: 1, result: { hash: first.hash } },
    { id: 2, error: { data: expect.stringContaining('longer than 8388608 bytes') } },
    { id: 3, result: { hash: first.hash } },
  ])
  const socket = new WebSocket(`${node.urls.comet!.replace('http', 'ws')}/websocket`)
  await new Promise((done) => socket.once('open', done))
  for (const one of [first, last]) {
    const answer = new Promise<string>((done) => socket.once('message', (data) => done(String(data))))
    socket.send(JSON.stringify(call(4, one)))
    expect(JSON.parse(await answer)).toMatchObject(
      one === first ? { result: { hash: first.hash } } : { error: { data: expect.stringContaining('over HTTP') } },
    )
  }
  socket.terminate()
})

test('a search for logs beyond its limits names the range to ask for', async () => {
  const last = receipts.at(-1)!
  const ask = (fromBlock: string) => rpc<Log[]>('eth_getLogs', [{ fromBlock, toBlock: 'latest' }])
  const before = `0x${(lastHeight - 1).toString(16)}`
  await expect(ask(receipts[0]!.blockNumber)).rejects.toThrow(
    `Try with this block range [${receipts[0]!.blockNumber}, ${before}]`,
  )
  await expect(ask(last.blockNumber)).rejects.toThrow(`in block ${last.blockNumber} alone`)
  const found = await rpc<Log[]>('eth_getLogs', [{ fromBlock: receipts[0]!.blockNumber, toBlock: before }])
  expect(found).toEqual(receipts.slice(0, -1).flatMap(({ logs }) => logs))
})
