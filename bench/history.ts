/**
 * A chain of many blocks, each with one transfer: memory, disk, time for each block, and reads at old heights against the
 * latest, printed at 1,000 blocks and at every tenth of the run. Memory is resident memory: the process's own, and the pages
 * of mapped files (its program, libraries, the database).
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { wrapEthereumTx } from '../src/app/evm/envelope.ts'
import { decodeTransaction } from '../src/evm/transaction/decode.ts'
import * as bank from '../src/modules/bank/keeper.ts'
import { assembleNode } from '../src/node/assembly.ts'
import { resolveConfig } from '../src/node/config.ts'
import { residentMemory } from '../src/node/resident-memory.ts'
import { hex } from '../src/primitives/bytes.ts'
import { keccak256 } from '../src/primitives/hash.ts'
import { removeFolder, scratchFolder, signTransfers } from './support/load.ts'

const TOTAL = Number(process.argv[2] ?? 100_000)
const SAMPLE = 400

const home = scratchFolder()
const node = await assembleNode({
  resolved: resolveConfig({
    caller: { blocks: { time: 'manual' }, compute: { workers: 0 }, chain: { balance: 1_000_000_000n } },
  }),
  home,
  freePorts: true,
  openPorts: false,
  log: undefined,
})
const { gateway, production } = node
const { driver, withContext } = gateway
const { privateKey, addressBytes } = node.accounts[0]!

/** Returns the microseconds of one read of a balance that changes in every block, `behind` heights behind the tip. */
function readMicros(behind: number): number {
  const times: number[] = []
  for (let i = 0; i < SAMPLE; i++) {
    const height = node.height - BigInt(behind) - BigInt(i % 50)
    const started = performance.now()
    withContext(height, (ctx) => bank.balance(ctx, addressBytes, ctx.identity.baseDenom))
    times.push(performance.now() - started)
  }
  times.sort((a, b) => a - b)
  return times[SAMPLE / 2]! * 1000
}

async function makeBlocks(until: number): Promise<number> {
  const started = performance.now()
  const first = Number(node.height) - 1
  for (let at = first; at < until; at += 500) {
    const count = Math.min(500, until - at)
    const raws = signTransfers({ privateKey, chainId: Number(node.evmChainId), firstNonce: at, count })
    for (const raw of raws) {
      const bytes = hex(raw)
      const wrapped = wrapEthereumTx(node.identity, decodeTransaction(bytes), keccak256(bytes))
      const { code, log } = await driver.submit(wrapped)
      if (code !== 0) throw new Error(log)
      await production!.nextBlock()
      // As in any running node: unused native objects are freed between two turns of the event loop.
      await new Promise((done) => setImmediate(done))
    }
  }
  return ((performance.now() - started) * 1000) / (until - first)
}

/**
 * Returns the resident memory after a full garbage collection: the process's own, which only it can release, and the pages of
 * mapped files, which the system reclaims when it needs them (reported by Linux only; elsewhere all counts as own). Unit: bytes.
 */
function memory(): { own: number; mapped: number } {
  // The first collection finalizes objects that the second frees.
  globalThis.gc?.()
  globalThis.gc?.()
  const resident = residentMemory()
  return { own: resident?.ownBytes ?? process.memoryUsage.rss(), mapped: resident?.mappedBytes ?? 0 }
}

let first: { own: number; mapped: number } | undefined
let last = { own: 0, mapped: 0 }
let before = { height: Number(node.height), disk: statSync(join(home, 'data', 'data.mdb')).size }
console.log('blocks      µs a block   own       mapped    disk      a block   read latest   10,000 ago   ratio')
for (const until of [1000, ...Array.from({ length: 10 }, (_, i) => ((i + 1) * TOTAL) / 10)]) {
  if (until < Number(node.height)) continue
  const micros = await makeBlocks(until)
  last = memory()
  first ??= last
  const disk = statSync(join(home, 'data', 'data.mdb')).size
  const perBlock = (disk - before.disk) / (until - before.height)
  before = { height: until, disk }
  const latest = readMicros(0)
  const old = until > 10_100 ? readMicros(10_000) : undefined
  const columns = [
    `${until}`.padEnd(12),
    micros.toFixed(0).padEnd(13),
    `${(last.own / 2 ** 20).toFixed(0)} MB`.padEnd(10),
    `${(last.mapped / 2 ** 20).toFixed(0)} MB`.padEnd(10),
    `${(disk / 2 ** 20).toFixed(0)} MB`.padEnd(10),
    `${(perBlock / 1000).toFixed(1)} kB`.padEnd(10),
    `${latest.toFixed(1)} µs`.padEnd(14),
    old === undefined ? '' : `${old.toFixed(1)} µs`.padEnd(13) + (old / latest).toFixed(2),
  ]
  console.log(columns.join(''))
}
const ratio = ((last.own + last.mapped) / (first!.own + first!.mapped)).toFixed(2)
console.log(`memory at the end to that at 1,000: ${ratio} (own ${(last.own / first!.own).toFixed(2)})`)
await node.stop()
removeFolder(home)
