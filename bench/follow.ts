/**
 * `npm run bench -- follow [BLOCKS]` (default 1000): a replica beside a node whose blocks have 20 transactions and more than 500
 * changed keys. How fast it catches up, against the time in which the node made the blocks; and how long after a file is complete a
 * subscriber of the replica has its block. The replica is a process of its own; the node is this one.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { startFakeNode } from '../test/support/follow/fake-node.ts'
import { makeChain } from './support/follow-chain.ts'
import { removeFolder, scratchFolder, startReplicaProcess } from './support/load.ts'
import { median } from './support/median.ts'

const BLOCKS = Number(process.argv[2] ?? 1000)
/** Blocks of which the replica begins. */
const FIRST = 10
/** Blocks that are followed as they come, and the time between two of them. */
const LIVE = Math.min(100, Math.floor(BLOCKS / 3))
const LIVE_MS = 100
const scratch = scratchFolder()

const { history, blockMs } = await makeChain(scratch, BLOCKS)
const typical = history.blocks.get(history.last)!
const txs = (typical.block as { block: { data: { txs: string[] } } }).block.data.txs.length
console.log(`${BLOCKS} blocks of ${txs} transactions and ${typical.changes.length} changed keys`)

const node = await startFakeNode(history, join(scratch, 'stream'))
node.advance(FIRST)
const flags = ['--home', join(scratch, 'replica'), '--stream', node.stream, '--rpc', node.url]
const replica = await startReplicaProcess(flags)
const socket = new WebSocket(`ws://127.0.0.1:${replica.ports.ws}`)
await once(socket, 'open')
const waits = new Map<number, (at: number) => void>()
socket.on('message', (data) => {
  const { params } = JSON.parse(String(data)) as { params?: { result: { number: string } } }
  if (params) waits.get(Number(params.result.number))?.(performance.now())
})
socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }))
await once(socket, 'message')
/** Resolves with the time at which a subscriber has a head. */
const served = (height: number): Promise<number> => new Promise((resolve) => waits.set(height, resolve))

const caughtUp = history.last - LIVE
const caught = served(caughtUp)
const [started, cpuBefore] = [performance.now(), replica.cpuSeconds()]
node.advance(caughtUp)
const seconds = ((await caught) - started) / 1000
const perSecond = (caughtUp - FIRST) / seconds
const cpuMs = ((replica.cpuSeconds() - cpuBefore) * 1000) / (caughtUp - FIRST)
console.log(
  `catch-up: ${perSecond.toFixed(0)} blocks/s, ${cpuMs.toFixed(1)} ms of processor time a block; ${(perSecond / (1000 / blockMs)).toFixed(2)} times as fast as the node made them without a pause (${blockMs.toFixed(1)} ms a block)`,
)
console.log(`memory after it: ${(replica.rssBytes() / 2 ** 20).toFixed(0)} MB in all processes`)

const lags: number[] = []
for (let height = caughtUp + 1; height <= history.last; height++) {
  const done = served(height)
  await delay(LIVE_MS)
  node.advance(height)
  const complete = performance.now()
  lags.push((await done) - complete)
}
lags.sort((a, b) => a - b)
const at = (share: number): string => lags[Math.floor((lags.length - 1) * share)]!.toFixed(1)
console.log(
  `lag after a complete file, ${LIVE} blocks: median ${median(lags).toFixed(1)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`,
)

socket.close()
await replica.end()
await node.close()
removeFolder(scratch)
