/**
 * `npm run bench -- follow-reads [BLOCKS] [SECONDS]` (default 2000 and 3): reads of a replica while it catches up at full speed and
 * at rest, against a bare `node:http` server with answers of the same length, in the same run; and the lag of live blocks with and
 * without 16 endless `eth_call`s. The node, the replica and the client are processes of their own.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { startFakeNode } from '../test/support/follow/fake-node.ts'
import { isAside, serveAside, startAside } from './support/aside.ts'
import { startBare } from './support/bare.ts'
import { makeChain } from './support/follow-chain.ts'
import { call, removeFolder, scratchFolder, startReplicaProcess } from './support/load.ts'
import { median } from './support/median.ts'
import { type RawAnswers, type RawLoad, rawLoad } from './support/raw-load.ts'

const [BLOCKS = 2000, SECONDS = 3] = process.argv
  .slice(2)
  .filter((word) => /^\d+$/.test(word))
  .map(Number)
const CONNECTIONS = 16
/** Blocks that are followed as they come, and the time between two of them. */
const LIVE = 100
const LIVE_MS = 100
/** A creation whose code never ends. */
const ENDLESS = '0x5b5f56'

async function main(): Promise<void> {
  const scratch = scratchFolder()
  const client = startAside<RawLoad, RawAnswers>(import.meta.filename)
  const other = startAside<RawLoad, RawAnswers>(import.meta.filename)
  const { history, accounts, contract } = await makeChain(scratch, BLOCKS)
  const node = await startFakeNode(history, join(scratch, 'stream'))
  const caughtUp = BLOCKS - 2 * LIVE
  const rpc = (method: string, ...params: unknown[]) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const loads: readonly (readonly [string, Pick<RawLoad, 'paths' | 'bodies'>, number])[] = [
    ['REST params', { paths: ['/chain/evm/v1/params'] }, 8290],
    ['REST balances', { paths: accounts.map((one) => `/chain/evm/v1/balances/${one}`) }, 8223],
    ['eth_getBalance', { bodies: accounts.map((one) => rpc('eth_getBalance', one, 'latest')) }, 5567],
    ['eth_call', { bodies: [rpc('eth_call', { to: contract, data: `0x${'0'.repeat(64)}` }, 'latest')] }, 2883],
  ]

  node.advance(10)
  const flags = ['--home', join(scratch, 'replica'), '--stream', node.stream, '--rpc', node.url]
  const replica = await startReplicaProcess(flags)
  const { ports } = replica
  const jsonrpc = `http://127.0.0.1:${ports.jsonrpc}`
  const heightNow = async (): Promise<number> => Number(await call(jsonrpc, 'eth_blockNumber', []))
  const portOf = ({ paths }: Pick<RawLoad, 'paths'>) => (paths ? ports.rest : ports.jsonrpc)
  const ask = (load: Pick<RawLoad, 'paths' | 'bodies'>, port = portOf(load), seconds = SECONDS) =>
    client.run({ ...load, port, connections: CONNECTIONS, seconds })

  console.log('                 while following    at rest    bare       reference   times the reference')
  for (const [name, load, reference] of loads) {
    await ask(load, portOf(load), 1)
    const resting = await ask(load)
    const bare = await startBare('x'.repeat(Math.round(resting.bytes)))
    const floor = await ask(load, bare.port)
    bare.end()
    const from = await heightNow()
    node.advance(Math.min(caughtUp, from + Math.ceil((caughtUp - 10) / loads.length)))
    const during = await ask(load)
    const followed = (await heightNow()) - from
    while ((await heightNow()) < node.latest) await delay(20)
    const rates = [during, resting, floor].map(({ perSecond }) => perSecond.toFixed(0).padEnd(11)).join('')
    const failed = during.failed + resting.failed
    console.log(
      `${name.padEnd(17)}${rates}${String(reference).padEnd(12)}${(during.perSecond / reference).toFixed(2)}, at ${(followed / SECONDS).toFixed(0)} blocks/s; ${failed} failed`,
    )
  }

  const socket = new WebSocket(`ws://127.0.0.1:${ports.ws}`)
  const waits = new Map<number, (at: number) => void>()
  await once(socket, 'open')
  socket.on('message', (data) => {
    const { params } = JSON.parse(String(data)) as { params?: { result: { number: string } } }
    if (params) waits.get(Number(params.result.number))?.(performance.now())
  })
  socket.send(rpc('eth_subscribe', 'newHeads'))
  await delay(200)

  /** Measures the time from a complete file to the head that a subscriber gets. Unit: milliseconds. */
  async function lags(): Promise<number[]> {
    const found: number[] = []
    for (let i = 0; i < LIVE; i++) {
      const height = node.latest + 1
      const seen = new Promise<number>((resolve) => waits.set(height, resolve))
      await delay(LIVE_MS)
      node.advance(height)
      const complete = performance.now()
      found.push((await seen) - complete)
    }
    return found.sort((a, b) => a - b)
  }
  const shown = (found: readonly number[]) =>
    `median ${median(found).toFixed(1)} ms, p99 ${found[Math.floor((found.length - 1) * 0.99)]!.toFixed(1)} ms`
  while ((await heightNow()) < node.latest) await delay(20)
  const quiet = await lags()
  const endless = rpc('eth_call', { data: ENDLESS, gas: '0x7fffffffffff' }, 'latest')
  const calls = other.run({
    bodies: [endless],
    port: ports.jsonrpc,
    connections: 16,
    seconds: (LIVE * LIVE_MS * 1.5) / 1000,
  })
  await delay(500)
  const loaded = await lags()
  const { perSecond } = await calls
  console.log(`lag of a live block, idle: ${shown(quiet)}`)
  console.log(
    `with 16 endless eth_calls: ${shown(loaded)}, ${(median(loaded) / median(quiet)).toFixed(2)} times; ${perSecond.toFixed(1)} calls a second ended`,
  )

  socket.close()
  await replica.end()
  await node.close()
  client.end()
  other.end()
  removeFolder(scratch)
}

if (isAside) serveAside(rawLoad)
else await main()
