/**
 * REST answers a second, `params` and `balances` over 10,000 accounts in turn, against a bare `node:http` server that
 * sends as many bytes: same run, same load, once with the cache of answers and once without it.
 */
import { Agent, request } from 'node:http'
import { isAside, serveAside, startAside } from './aside.ts'
import { startBare } from './bare.ts'
import { startNodeProcess } from './load.ts'

const CONNECTIONS = 16
const ACCOUNTS = 10_000
const SECONDS = Number(process.argv[2] ?? 4)

interface Load {
  readonly port: number
  readonly paths: readonly string[]
  readonly seconds: number
}

/** Keeps `CONNECTIONS` requests open for the given time; resolves with answers a second and bytes an answer. */
async function load({ port, paths, seconds }: Load): Promise<{ perSecond: number; bytes: number }> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let answers = 0
  let bytes = 0
  let next = 0
  const end = performance.now() + seconds * 1000
  const started = performance.now()
  const once = (path: string) =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request({ port, host: '127.0.0.1', path, agent }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${path}: status ${response.statusCode}`))
        response.on('data', (chunk: Buffer) => {
          bytes += chunk.length
        })
        response.on('end', () => {
          answers++
          resolve()
        })
      })
      outgoing.on('error', reject)
      outgoing.end()
    })
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      while (performance.now() < end) await once(paths[next++ % paths.length]!)
    }),
  )
  agent.destroy()
  return { perSecond: (answers * 1000) / (performance.now() - started), bytes: bytes / answers }
}

async function main(): Promise<void> {
  const worker = startAside<Load, { perSecond: number; bytes: number }>(import.meta.filename)
  const { run } = worker
  console.log('what                       per second   bytes   bare        ratio')
  for (const cache of ['16MB', '0']) {
    const node = await startNodeProcess(['--ephemeral', '--accounts', String(ACCOUNTS / 2), '--api-cache', cache])
    const balances = node.config.accounts.map(({ address }) => `/chain/evm/v1/balances/${address}`)
    const port = Number(new URL(node.config.urls.rest).port)
    for (const [name, paths] of [
      ['params', ['/chain/evm/v1/params']],
      ['balances', balances],
    ] as const) {
      await run({ port, paths, seconds: 1 })
      const ours = await run({ port, paths, seconds: SECONDS })
      const bare = await startBare('x'.repeat(Math.round(ours.bytes)))
      await run({ port: bare.port, paths, seconds: 0.5 })
      const floor = await run({ port: bare.port, paths, seconds: SECONDS })
      bare.end()
      const title = `${name}, cache ${cache === '0' ? 'off' : 'on'}`
      const numbers = `${ours.perSecond.toFixed(0).padEnd(13)}${ours.bytes.toFixed(0).padEnd(8)}${floor.perSecond.toFixed(0).padEnd(12)}`
      console.log(`${title.padEnd(27)}${numbers}${(ours.perSecond / floor.perSecond).toFixed(2)}`)
    }
    await node.end()
  }
  worker.end()
}

if (isAside) serveAside(load)
else await main()
