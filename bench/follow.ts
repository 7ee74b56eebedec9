/**
 * `npm run bench -- follow [BLOCKS]` (default 300): a replica beside a node whose blocks have 20 transactions and more than 500
 * changed keys. How fast it catches up, against the time in which the node made the blocks; and how long after a file is complete
 * its block is served. Node and replica share this process, so that both are slower than apart.
 */
import { join } from 'node:path'
import { assembleNode } from '../src/node/assembly.ts'
import { resolveConfig } from '../src/node/config.ts'
import { startFakeNode } from '../test/support/follow/fake-node.ts'
import { historyOfNode, type NodeHistory } from '../test/support/follow/node-history.ts'
import { removeFolder, scratchFolder } from './support/load.ts'
import { median } from './support/median.ts'

const BLOCKS = Number(process.argv[2] ?? 300)
/** Blocks that are followed as they come, and the time between two of them. */
const LIVE = Math.min(100, Math.floor(BLOCKS / 3))
const LIVE_MS = 100
const TXS = 20
const SLOTS = 25

/** Code that stores the block number in `SLOTS` slots from the one that the call data names. */
const STORES = Array.from({ length: SLOTS }, (_, i) => `4360${i.toString(16).padStart(2, '0')}5f350155`).join('')
const LENGTH = (STORES.length / 2).toString(16)
const INIT_CODE = `0x60${LENGTH}600a5f3960${LENGTH}5ff3${STORES}`

const quiet = { workers: 0 }
const scratch = scratchFolder()

/** Makes the chain, and returns it with the time of its blocks, execution and commit. Unit: milliseconds. */
async function makeChain(): Promise<{ readonly history: NodeHistory; readonly blockMs: number }> {
  const node = await assembleNode({
    resolved: resolveConfig({
      caller: { api: quiet, compute: quiet, feeder: { enabled: false }, blocks: { time: 'manual' } },
    }),
    home: join(scratch, 'maker'),
    freePorts: true,
    log: () => undefined,
  })
  let id = 0
  const post = async (calls: readonly (readonly [string, readonly unknown[]])[]): Promise<readonly unknown[]> => {
    const answer = await fetch(node.urls.jsonrpc!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls.map(([method, params]) => ({ jsonrpc: '2.0', id: id++, method, params }))),
    })
    const answers = (await answer.json()) as { result?: unknown; error?: { message: string } }[]
    return answers.map(({ result, error }) => {
      if (error) throw new Error(error.message)
      return result
    })
  }
  try {
    const [accounts] = (await post([['eth_accounts', []]])) as [string[]]
    const [hash] = await post([['eth_sendTransaction', [{ from: accounts[0], data: INIT_CODE, gas: '0x200000' }]]])
    await node.production!.nextBlock()
    const [receipt] = (await post([['eth_getTransactionReceipt', [hash]]])) as [{ contractAddress: string }]
    let spentMs = 0
    while (node.height < BigInt(BLOCKS)) {
      await post(
        Array.from({ length: TXS }, (_, i) => {
          const slot = `0x${((Number(node.height) % 50) * TXS * SLOTS + i * SLOTS).toString(16).padStart(64, '0')}`
          const tx = { from: accounts[i % accounts.length], to: receipt.contractAddress, data: slot, gas: '0x100000' }
          return ['eth_sendTransaction', [tx]] as const
        }),
      )
      const started = performance.now()
      await node.production!.nextBlock()
      spentMs += performance.now() - started
    }
    return { history: await historyOfNode(node, node.nodeInfo.genesis()), blockMs: spentMs / (BLOCKS - 1) }
  } finally {
    await node.stop()
  }
}

const { history, blockMs } = await makeChain()
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
