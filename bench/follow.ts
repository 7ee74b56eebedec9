/**
 * `npm run bench -- follow [BLOCKS]` (default 300): a replica beside a node whose blocks have 20 transactions and more than 500
 * changed keys. How fast it catches up, against the time in which the node made the blocks; and how long after a file is complete
 * its block is served. Node and replica share this process, so that both are slower than apart.
 */
import { join } from 'node:path'
import { assembleNode } from '../src/node/assembly.ts'
import { resolveConfig } from '../src/node/config.ts'
import { startFakeNode } from '../test/support/follow/fake-node.ts'
import { makeChain } from './support/follow-chain.ts'
import { removeFolder, scratchFolder } from './support/load.ts'
import { median } from './support/median.ts'

const BLOCKS = Number(process.argv[2] ?? 300)
/** Blocks that are followed as they come, and the time between two of them. */
const LIVE = Math.min(100, Math.floor(BLOCKS / 3))
const LIVE_MS = 100
const quiet = { workers: 0 }
const scratch = scratchFolder()

const { history, blockMs } = await makeChain(scratch, BLOCKS)
const typical = history.blocks.get(history.last)!
const txs = (typical.block as { block: { data: { txs: string[] } } }).block.data.txs.length
console.log(`${BLOCKS} blocks of ${txs} transactions and ${typical.changes.length} changed keys`)

const node = await startFakeNode(history, join(scratch, 'stream'))
const caughtUp = history.last - LIVE
node.advance(caughtUp)
const replica = await assembleNode({
  resolved: resolveConfig({
    flags: { consensus: 'follow', stream: node.stream, rpc: node.url },
    caller: { api: quiet, compute: quiet },
  }),
  home: join(scratch, 'replica'),
  freePorts: true,
  openPorts: false,
  log: (level, message, facts) => {
    if (level === 'error') console.error(message, facts)
  },
})
const { driver } = replica.gateway
const waits = new Map<bigint, (at: number) => void>()
driver.onBlock(({ header }) => waits.get(header.height)?.(performance.now()))
const committed = (height: number): Promise<number> =>
  new Promise((resolve) => {
    waits.set(BigInt(height), resolve)
  })

const from = Number(replica.height)
const started = performance.now()
const ended = await committed(caughtUp)
const perSecond = ((caughtUp - from) * 1000) / (ended - started)
console.log(
  `catch-up: ${perSecond.toFixed(0)} blocks/s, ${(perSecond / (1000 / blockMs)).toFixed(2)} times as fast as the node made them without a pause (${blockMs.toFixed(1)} ms a block)`,
)
console.log(`memory after it: ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB`)

const lags: number[] = []
for (let height = caughtUp + 1; height <= history.last; height++) {
  const done = committed(height)
  await new Promise((resolve) => setTimeout(resolve, LIVE_MS))
  node.advance(height)
  const complete = performance.now()
  lags.push((await done) - complete)
}
lags.sort((a, b) => a - b)
const at = (share: number): string => lags[Math.floor((lags.length - 1) * share)]!.toFixed(1)
console.log(
  `lag after a complete file, ${LIVE} blocks: median ${median(lags).toFixed(1)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`,
)

await replica.stop()
await node.close()
removeFolder(scratch)
