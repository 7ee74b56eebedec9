/**
 * REST answers per second, `params` and `balances` over 10,000 accounts in turn, against a bare `node:http` server that
 * sends the same number of bytes, in the same run under the same load, with and without the answer cache. The last column compares
 * the processor time for each answer, which other load on the machine affects less.
 */
import { Agent, request } from 'node:http'
import { isAside, serveAside, startAside } from './support/aside.ts'
import { startBare } from './support/bare.ts'
import { startNodeProcess } from './support/load.ts'

const CONNECTIONS = 16
const ACCOUNTS = 10_000
const SECONDS = Number(process.argv[2] ?? 4)

interface Load {
  readonly port: number
  readonly paths: readonly string[]
  readonly seconds: number
}

/** Keeps `CONNECTIONS` requests open for the given time. Resolves with answers per second and bytes in each answer. */
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

interface Server {
  readonly port: number
  cpuSeconds(): number
}

async function main(): Promise<void> {
  const worker = startAside<Load, { perSecond: number; bytes: number }>(import.meta.filename)
  const { run } = worker

  /** Rate, bytes, and the server's processor time for each answer. Unit: microseconds. */
  async function measure({ port, cpuSeconds }: Server, paths: readonly string[]) {
    await run({ port, paths, seconds: 1 })
    const [begun, started] = [cpuSeconds(), performance.now()]
    const answered = await run({ port, paths, seconds: SECONDS })
    const answers = (answered.perSecond * (performance.now() - started)) / 1000
    return { ...answered, cpuMicros: ((cpuSeconds() - begun) * 1e6) / answers }
  }

  console.log('request                    per second   bytes   bare        ratio   cpu each, bare   ratio')
  for (const cache of ['16MB', '0']) {
    const node = await startNodeProcess(['--ephemeral', '--accounts', String(ACCOUNTS / 2), '--api-cache', cache])
    const balances = node.config.accounts.map(({ address }) => `/chain/evm/v1/balances/${address}`)
    const port = Number(new URL(node.config.urls.rest).port)
    for (const [name, paths] of [
      ['params', ['/chain/evm/v1/params']],
      ['balances', balances],
    ] as const) {
      const ours = await measure({ port, cpuSeconds: node.cpuSeconds }, paths)
      const bare = await startBare('x'.repeat(Math.round(ours.bytes)))
      const floor = await measure(bare, paths)
      bare.end()
      const title = `${name}, cache ${cache === '0' ? 'off' : 'on'}`
      const numbers = `${ours.perSecond.toFixed(0).padEnd(13)}${ours.bytes.toFixed(0).padEnd(8)}${floor.perSecond.toFixed(0).padEnd(12)}`
      const costs = `${ours.cpuMicros.toFixed(0)} µs, ${floor.cpuMicros.toFixed(0)} µs`.padEnd(17)
      const ratio = (ours.perSecond / floor.perSecond).toFixed(2).padEnd(8)
      console.log(`${title.padEnd(27)}${numbers}${ratio}${costs}${(floor.cpuMicros / ours.cpuMicros).toFixed(2)}`)
    }
    await node.end()
  }
  worker.end()
}

if (isAside) serveAside(load)
else await main()
