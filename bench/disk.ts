/**
 * Disk that a gas of work occupies: pages of all tables, history and trees included, that blocks of one kind of work add, over
 * the gas that they used. `npm run bench -- disk [PART_OF_A_NAME]`. Blocks without transactions are subtracted.
 */
import { type Database, open } from 'lmdb'
import { startNode } from '../src/index.ts'
import { openBlockIndex } from '../src/indexer/block-index.ts'
import { INDEX_TABLES } from '../src/indexer/tables.ts'
import { openDisk } from '../src/node/disk.ts'
import { STORE_TABLES } from '../src/store/tables.ts'
import { cosmosWorks } from './support/disk-cosmos.ts'
import { type DiskWork, evmWorks } from './support/disk-works.ts'
import { removeFolder, scratchFolder } from './support/load.ts'

const ACCOUNTS = 32
const EMPTY_BLOCKS = 200

const home = scratchFolder()
const dataFolder = `${home}/data`
const start = () =>
  startNode({
    home,
    blocks: { time: 'manual' },
    chain: { accounts: ACCOUNTS, balance: 100_000_000n },
    mempool: { maxTxs: 20_000 },
  })

type Sizes = ReadonlyMap<string, number>

/** Returns the bytes of the pages of every table of a stopped node. */
async function sizes(): Promise<Sizes> {
  const root = open({ path: dataFolder, encoding: 'binary', keyEncoding: 'binary' })
  const found = new Map<string, number>()
  const own = [...STORE_TABLES, ...INDEX_TABLES].filter(({ placement }) => placement !== 'shared')
  for (const name of [...own.map((table) => table.name), 'tables']) {
    const db: Database = root.openDB({ name, encoding: 'binary', keyEncoding: 'binary' })
    const stats = db.getStats() as Record<'pageSize' | `tree${'Branch' | 'Leaf'}PageCount` | 'overflowPages', number>
    const pages = stats.treeBranchPageCount + stats.treeLeafPageCount + stats.overflowPages
    found.set(name, pages * stats.pageSize)
  }
  await root.close()
  return found
}

const sum = (of: Sizes): number => [...of.values()].reduce((a, b) => a + b, 0)

/** Returns the gas that the transactions of the blocks after a height used, and their number. */
async function gasAfter(height: bigint): Promise<{ gas: number; txs: number; failed: number; blocks: number }> {
  const backend = openDisk(dataFolder)
  const index = openBlockIndex(backend)
  let [gas, txs, failed] = [0, 0, 0]
  const latest = index.latestHeight()
  for (let at = height + 1n; at <= latest; at++) {
    for (const { gasUsed, code } of index.block(at)!.results) {
      gas += Number(gasUsed)
      txs++
      if (code !== 0) failed++
    }
  }
  await backend.close()
  return { gas, txs, failed, blocks: Number(latest - height) }
}

async function measure(work: DiskWork, emptyBlockBytes: number): Promise<number> {
  const first = await start()
  const prepared = await work.prepare(first)
  const { height } = first
  await first.stop()
  const before = await sizes()
  const second = await start()
  const begun = performance.now()
  await work.run(second, prepared)
  const seconds = (performance.now() - begun) / 1000
  await second.stop()
  const after = await sizes()
  const { gas, txs, failed, blocks } = await gasAfter(height)
  const bytes = sum(after) - sum(before) - blocks * emptyBlockBytes
  const tables = [...after]
    .map(([name, size]) => [name, size - before.get(name)!] as const)
    .filter(([, added]) => Math.abs(added) > bytes / 50)
    .map(([name, added]) => `${name} ${(added / gas).toFixed(3)}`)
  const perGas = bytes / gas
  console.log(
    `${perGas.toFixed(3).padStart(7)}  ${work.name.padEnd(52)} ${(bytes / 1e6).toFixed(1).padStart(6)} MB ${(gas / 1e6).toFixed(0).padStart(4)} Mgas ${txs} txs${failed ? ` (${failed} fail)` : ''} ${seconds.toFixed(1)} s: ${tables.join(', ')}`,
  )
  return perGas
}

try {
  const node = await start()
  await node.nextBlock()
  await node.stop()
  const before = await sizes()
  const again = await start()
  for (let i = 0; i < EMPTY_BLOCKS; i++) await again.nextBlock()
  await again.stop()
  const emptyBlockBytes = (sum(await sizes()) - sum(before)) / EMPTY_BLOCKS
  console.log(`a block without transactions: ${emptyBlockBytes.toFixed(0)} bytes`)
  console.log('bytes a gas')
  const filter = process.argv[2] ?? ''
  let worst = 0
  for (const work of [...evmWorks, ...cosmosWorks].filter(({ name }) => name.includes(filter))) {
    worst = Math.max(worst, await measure(work, emptyBlockBytes))
  }
  console.log(`the most: ${worst.toFixed(3)} bytes a gas`)
} finally {
  removeFolder(home)
}
