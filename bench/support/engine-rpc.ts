/** The RPC of an engine of the CometBFT family, for benchmarks: transactions in, blocks out. */
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'

/** Texts of the engine for a full pool and for a transaction that it has, and the application's code for a full pool. */
const FULL = 'mempool is full'
const KNOWN = 'already exists'
const POOL_FULL = 20
/** The most calls that the engine takes in one request. */
const BATCH = 10

export interface EngineBlock {
  readonly height: number
  /** Unix milliseconds. */
  readonly timeMs: number
  readonly txs: number
}

interface Header {
  readonly header: { readonly height: string; readonly time: string }
  readonly num_txs: string
}

async function get<T>(url: string, path: string): Promise<T> {
  const answer = (await (await fetch(`${url}/${path}`)).json()) as { result?: T; error?: { data: string } }
  if (answer.result === undefined) throw new Error(`${path}: ${answer.error?.data}`)
  return answer.result
}

/** Returns the height of the latest block; 0 while the engine does not answer. */
export async function heightOf(url: string): Promise<number> {
  try {
    const { sync_info } = await get<{ sync_info: { latest_block_height: string } }>(url, 'status')
    return Number(sync_info.latest_block_height)
  } catch {
    return 0
  }
}

/** Returns the number of transactions in the engine's pool. */
export async function waitingIn(url: string): Promise<number> {
  return Number((await get<{ n_txs: string }>(url, 'num_unconfirmed_txs')).n_txs)
}

/** Resolves with the height once it is at least `height`. */
export async function waitForHeight(url: string, height: number): Promise<number> {
  for (;;) {
    const found = await heightOf(url)
    if (found >= height) return found
    await wait(50)
  }
}

/** Returns the blocks between two heights, both included. */
export async function blocksBetween(url: string, from: number, to: number): Promise<EngineBlock[]> {
  const blocks: EngineBlock[] = []
  for (let first = from; first <= to; first += 20) {
    const last = Math.min(first + 19, to)
    const { block_metas } = await get<{ block_metas: Header[] }>(url, `blockchain?minHeight=${first}&maxHeight=${last}`)
    for (const { header, num_txs } of block_metas.reverse()) {
      blocks.push({ height: Number(header.height), timeMs: Date.parse(header.time), txs: Number(num_txs) })
    }
  }
  return blocks
}

/** Sends a series of transactions in order. A full pool is asked again. `perSecond` limits the rate. */
async function sendSeries(agent: Agent, url: string, txs: readonly string[], perSecond: number): Promise<void> {
  const { hostname, port } = new URL(url)
  const post = (
    batch: readonly string[],
  ): Promise<{ error?: { data: string }; result?: { code: number; log: string } }[]> =>
    new Promise((resolve, reject) => {
      const body = JSON.stringify(
        batch.map((tx, id) => ({ jsonrpc: '2.0', id, method: 'broadcast_tx_sync', params: { tx } })),
      )
      const headers = { 'content-type': 'application/json', 'content-length': body.length }
      const outgoing = request({ hostname, port, method: 'POST', agent, headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve([JSON.parse(text)].flat()))
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  const started = performance.now()
  for (let at = 0; at < txs.length; ) {
    const batch = txs.slice(at, at + BATCH)
    const answers = await post(batch)
    const full = answers.findIndex(({ error, result }) => error?.data.includes(FULL) || result?.code === POOL_FULL)
    // Those behind one that a full pool refused lack its nonce, and are sent again with it.
    const taken = full < 0 ? answers : answers.slice(0, full)
    for (const { error, result } of taken) {
      if (error && !error.data.includes(KNOWN)) throw new Error(error.data)
      if (result && result.code !== 0) throw new Error(result.log)
    }
    at += taken.length
    if (full >= 0) await wait(20)
    const due = started + (at / perSecond) * 1000
    if (due > performance.now()) await wait(due - performance.now())
  }
}

/** Sends several series side by side, each in order. Resolves with the seconds it took. `perSecond` limits the sum of all. */
export async function sendAll(url: string, series: readonly (readonly string[])[], perSecond: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: series.length })
  const started = performance.now()
  await Promise.all(series.map((txs) => sendSeries(agent, url, txs, perSecond / series.length)))
  agent.destroy()
  return (performance.now() - started) / 1000
}
