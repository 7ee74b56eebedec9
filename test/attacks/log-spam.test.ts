/** A block of 50 million gas of logs, and searches for it, against the built program. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

const MB = 1_000_000
/** Limit of the growth of a process; without budgets it is gigabytes. */
const LIMIT_BYTES = 512 * MB
/** Longest wait of a light request, on a machine that is busy with other tests; without slices it is half a minute. */
const LIMIT_MS = 15_000
/** JUMPDEST, LOG0 of nothing, and again while more than 8,192 gas is left. */
const SPAM = '0x5b5f5fa05a612000105f5700'
const GAS = '0xffffff'
const SENDERS = 3

interface Answer {
  readonly status: number
  readonly bytes: number
  readonly start: string
  readonly end: string
}

/** Reads a long answer and keeps its ends. */
async function read(url: string, body?: string): Promise<Answer> {
  const response = await fetch(url, body === undefined ? {} : { method: 'POST', body, headers: JSON_TYPE })
  let [bytes, start, end] = [0, '', '']
  for await (const chunk of response.body!) {
    const text = Buffer.from(chunk).toString('latin1')
    bytes += text.length
    if (start.length < 1000) start += text.slice(0, 1000)
    end = (end + text).slice(-1000)
  }
  return { status: response.status, bytes, start, end }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Makes one block that is full of logs. Returns its number and the hashes of its transactions. */
async function spam(node: NodeProcess): Promise<{ number: string; hashes: string[] }> {
  const { config } = node
  const to = `0x${'c0'.repeat(20)}`
  await rpc(config, 'anvil_setCode', [to, SPAM])
  const hashes: string[] = []
  for (const { address } of config.accounts.slice(0, SENDERS)) {
    hashes.push(await rpc<string>(config, 'eth_sendTransaction', [{ from: address, to, gas: GAS }]))
  }
  await rpc(config, 'evm_mine')
  return { number: await rpc<string>(config, 'eth_blockNumber'), hashes }
}

/** Watches memory and the time of light requests while work runs. */
async function watch(node: NodeProcess, work: Promise<unknown>): Promise<{ peakBytes: number; longestMs: number }> {
  const idle = node.memoryByProcess()
  let isRunning = true
  void work
    .catch(() => undefined)
    .then(() => {
      isRunning = false
    })
  let [peakBytes, longestMs] = [0, 0]
  while (isRunning) {
    const begun = performance.now()
    await rpc(node.config, 'eth_chainId')
    expect((await fetch(`${node.config.urls.rest}/`)).status).toBe(200)
    longestMs = Math.max(longestMs, performance.now() - begun)
    for (const [pid, bytes] of node.memoryByProcess()) peakBytes = Math.max(peakBytes, bytes - (idle.get(pid) ?? 0))
    await new Promise((done) => setTimeout(done, 20))
  }
  await work
  return { peakBytes, longestMs }
}

let node: NodeProcess
let number: string
let hashes: readonly string[]
let height: number

beforeAll(async () => {
  node = await startProcess(['--ephemeral', '--block-time', 'manual'])
  ;({ number, hashes } = await spam(node))
  height = Number(number)
})
afterAll(() => node?.[Symbol.asyncDispose]())

test('searches for a block of logs are answered in parts or refused, and others are answered meanwhile', async () => {
  const { rest, comet, jsonrpc } = node.config.urls
  const query = encodeURIComponent(`tx.height=${height}`)
  const call = (method: string, params: unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })

  const attack = Promise.all([
    read(`${comet}/tx_search?query="${query}"&per_page=100`),
    read(`${comet}/tx_search?query="${query}"&per_page=1&page=2`),
    read(`${comet}/block_results?height=${height}`),
    read(`${comet}/block_search?query="block.height>0"&per_page=100`),
    read(`${rest}/cosmos/tx/v1beta1/txs?query=${query}&limit=100`),
    read(`${rest}/cosmos/tx/v1beta1/txs?query=${query}&limit=1&page=3`),
    read(jsonrpc, call('eth_getBlockReceipts', [number])),
    read(jsonrpc, call('eth_getTransactionReceipt', [hashes[0]])),
    read(jsonrpc, call('eth_getLogs', [{ fromBlock: '0x1', toBlock: 'latest' }])),
  ])
  const { peakBytes, longestMs } = await watch(node, attack)
  const [page, one, results, blocks, restPage, restOne, receipts, receipt, logs] = await attack

  expect(page!.start).toContain('ask for page=1 and per_page=1')
  expect(restPage).toMatchObject({ status: 400, start: expect.stringContaining('ask for page=1 and limit=1') })
  expect(logs!.start).toContain(`Try with this block range [0x1, 0x${(height - 1).toString(16)}]`)
  expect(blocks).toMatchObject({ status: 200, end: expect.stringContaining(`"total_count":"${height}"}}`) })
  expect(one!.end.endsWith(`"total_count":"${SENDERS}"}}`)).toBe(true)
  expect(restOne!.end.endsWith(`"pagination":null,"total":"${SENDERS}"}`)).toBe(true)
  expect(results!.end).toContain('"app_hash":')
  for (const long of [one, restOne, receipt]) expect(long!.bytes).toBeGreaterThan(10 * MB)
  for (const whole of [results, receipts]) expect(whole!.bytes).toBeGreaterThan(30 * MB)
  expect(receipts!.end.trimEnd().endsWith(']}')).toBe(true)

  expect(longestMs).toBeLessThan(LIMIT_MS)
  expect(peakBytes).toBeLessThan(LIMIT_BYTES)
})

test('answers that clients abandon are not made to their end', async () => {
  const { comet } = node.config.urls
  const leave = async (): Promise<void> => {
    const gone = new AbortController()
    const response = await fetch(`${comet}/block_results?height=${height}`, { signal: gone.signal })
    await response.body!.getReader().read()
    gone.abort()
  }
  const { peakBytes, longestMs } = await watch(node, Promise.all(Array.from({ length: 20 }, leave)))
  expect(longestMs).toBeLessThan(LIMIT_MS)
  expect(peakBytes).toBeLessThan(LIMIT_BYTES)
  // Twenty whole answers take a minute of work; this search waits for its turn among them.
  const { longestMs: searchMs } = await watch(node, read(`${comet}/tx_search?query="tx.height=1"`))
  expect(searchMs).toBeLessThan(LIMIT_MS)
})
