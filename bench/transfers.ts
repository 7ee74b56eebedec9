/**
 * Presigned transfers, sent with `eth_sendRawTransaction` by 16 senders, each answered when its block is durable.
 * Prints transfers per second near the beginning of a chain and after 100,000 of them. The senders run in a separate
 * process: with two processors, the node has one.
 */
import { Agent, request } from 'node:http'
import { isAside, serveAside, startAside } from './support/aside.ts'
import { call, removeFolder, scratchFolder, signTransfers, startNodeProcess } from './support/load.ts'

const SENDERS = 16
/** Requests that one sender keeps open: the number that a node accepts from one account. */
const WINDOW = Number(process.env['WINDOW'] ?? 8)

interface Batch {
  readonly url: string
  readonly series: readonly (readonly string[])[]
}

/** Sends every series in order, `WINDOW` requests at a time each. Resolves with the seconds it took. */
async function send({ url, series }: Batch): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: SENDERS * WINDOW })
  const { hostname, port } = new URL(url)
  const post = (raw: string) =>
    new Promise<void>((resolve, reject) => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"eth_sendRawTransaction","params":["${raw}"]}`
      const outgoing = request(
        { hostname, port, method: 'POST', agent, headers: { 'content-type': 'application/json' } },
        (response) => {
          let text = ''
          response.setEncoding('utf8')
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => (text.includes('"result"') ? resolve() : reject(new Error(text))))
        },
      )
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  const started = performance.now()
  await Promise.all(
    series.map(async (raws) => {
      let next = 0
      await Promise.all(
        Array.from({ length: WINDOW }, async () => {
          while (next < raws.length) await post(raws[next++]!)
        }),
      )
    }),
  )
  agent.destroy()
  return (performance.now() - started) / 1000
}

async function main(): Promise<void> {
  const total = Number(process.argv[2] ?? 110_000)
  const home = scratchFolder()
  const node = await startNodeProcess(['--home', home, '--accounts', String(SENDERS), '--balance', '100000000'])
  const { accounts, evm_chain_id: chainId, urls } = node.config
  const senders = accounts.slice(0, SENDERS)
  const nonces = new Array<number>(SENDERS).fill(0)
  const sender = startAside<Batch, number>(import.meta.filename)

  async function run(count: number): Promise<{ perSecond: number; blocks: number; cpuMicros: number }> {
    const each = Math.floor(count / SENDERS)
    const series = senders.map(({ private_key }, i) => {
      const raws = signTransfers({ privateKey: private_key, chainId, firstNonce: nonces[i]!, count: each })
      nonces[i]! += each
      return raws
    })
    const cpu = node.cpuSeconds()
    const before = Number(await call(urls.jsonrpc, 'eth_blockNumber', []))
    const seconds = await sender.run({ url: urls.jsonrpc, series })
    const cpuMicros = ((node.cpuSeconds() - cpu) * 1e6) / (each * SENDERS)
    const blocks = Number(await call(urls.jsonrpc, 'eth_blockNumber', [])) - before
    return { perSecond: (each * SENDERS) / seconds, blocks, cpuMicros }
  }

  const chunk = 10_000
  let sent = 0
  let first: number | undefined
  console.log('transfers      per second   per block   cpu each   memory')
  for (;;) {
    const count = sent === 0 ? 1000 : Math.min(chunk, total - sent)
    const { perSecond, blocks, cpuMicros } = await run(count)
    sent += count
    const line = `${sent}`.padEnd(15) + perSecond.toFixed(0).padEnd(13) + (count / blocks).toFixed(1).padEnd(12)
    console.log(`${line}${`${cpuMicros.toFixed(0)} µs`.padEnd(11)}${(node.rssBytes() / 2 ** 20).toFixed(0)} MB`)
    if (sent > 1000) first ??= perSecond
    if (sent >= total) {
      console.log(`last to first: ${(perSecond / first!).toFixed(2)}`)
      break
    }
  }
  sender.end()
  await node.end()
  removeFolder(home)
}

if (isAside) serveAside(send)
else await main()
