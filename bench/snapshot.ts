/**
 * `npm run bench -- snapshot [KEYS [restore]]` (default 1,000,000): restores a snapshot, against a program that only inflates the same
 * chunks, reads their items and appends the pairs to a bare LMDB. Both are processes of their own: wall time, processor time and
 * memory. Then the blocks of a node on that state, with and without a snapshot in the making.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { storesOf } from '../src/app/stores.ts'
import { createIdentity } from '../src/identity/identity.ts'
import { findProfile } from '../src/identity/profiles.ts'
import { startNode } from '../src/index.ts'
import { openBackend } from '../src/node/backend.ts'
import { openSnapshotFolder } from '../src/node/snapshots/folder.ts'
import { writeSnapshot } from '../src/node/snapshots/write.ts'
import { openVersionedStore } from '../src/store/versioned.ts'
import { enlarged } from './support/large-snapshot.ts'
import { removeFolder, scratchFolder, signTransfers } from './support/load.ts'
import { median } from './support/median.ts'

const KEYS = Number(process.argv[2] ?? 1_000_000)
const PART = process.argv[3]
const RUNS = 3
const TURNS = 7
/** Heights between two snapshots. */
const INTERVAL = 200
const scratch = scratchFolder()
const origin = join(scratch, 'origin')

interface Usage {
  readonly wallMs: number
  readonly processorMs: number
  /** Largest resident set, and its part that is not a mapped file. Unit: MB. */
  readonly residentMb: number
  readonly ownMb: number
}

/** Runs a program to its end. Rejects with its output if it fails. */
function measure(args: readonly string[]): Promise<Usage> {
  const started = performance.now()
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  let [resident, own, ticks] = [0, 0, 0]
  const sample = (): void => {
    try {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024
      resident = Math.max(resident, of('VmHWM'))
      own = Math.max(own, of('RssAnon'))
      const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
      ticks = Number(fields[11]) + Number(fields[12])
    } catch {
      // It has ended.
    }
  }
  const timer = setInterval(sample, 20)
  return new Promise((resolve, reject) => {
    child.on('exit', (code) => {
      clearInterval(timer)
      if (code !== 0) reject(new Error(output))
      else
        resolve({
          wallMs: performance.now() - started,
          processorMs: ticks * 10,
          residentMb: resident,
          ownMb: own,
        })
    })
  })
}

const shown = ({ wallMs, processorMs, residentMb, ownMb }: Usage): string =>
  `${(wallMs / 1000).toFixed(2)} s, processor ${(processorMs / 1000).toFixed(2)} s, ` +
  `memory ${residentMb.toFixed(0)} MB of which ${ownMb.toFixed(0)} MB its own`

const node = await startNode({ home: origin, blocks: { time: 'manual' } })
while (node.height < 5n) await node.nextBlock()
await node.stop()

const stores = storesOf(createIdentity(findProfile('almanac')!))
const backend = await openBackend({ path: join(origin, 'data'), readOnly: true })
const state = openVersionedStore(backend, stores).exportAt()
const folder = openSnapshotFolder(join(scratch, 'made'))
const writing = performance.now()
const { chunkHashes } = await writeSnapshot(enlarged(state, KEYS), folder.begin(5n))
console.log(
  `${KEYS} keys: ${chunkHashes.length} chunks, written in ${((performance.now() - writing) / 1000).toFixed(1)} s`,
)
state.close()
await backend.close()

const place = join(scratch, 'made/5')
const runs: { ours: Usage; bare: Usage }[] = []
for (let i = 0; i < RUNS; i++) {
  const home = join(scratch, `restored-${i}`)
  const command = ['dist/almanac.cjs', 'snapshot', 'restore', place, '--home', home]
  const bare = await measure(['--import', 'tsx', 'bench/support/bare-restore.ts', place, join(scratch, `bare-${i}`)])
  const ours = await measure([...command, '--genesis', join(origin, 'genesis.json')])
  runs.push({ ours, bare })
  console.log(`bare LMDB  ${shown(bare)}\nrestore    ${shown(ours)}`)
}
const ratio = (of: (usage: Usage) => number): string =>
  median(runs.map(({ ours, bare }) => of(ours) / of(bare))).toFixed(2)
console.log(
  `restore over bare LMDB, median of ${RUNS}: wall ${ratio((one) => one.wallMs)}, processor ${ratio((one) => one.processorMs)}`,
)

if (PART !== 'restore') await blocksBeside(join(scratch, 'restored-0'))
removeFolder(scratch)

/** Makes blocks of 50 transfers, in turn without and with a snapshot in the making, and compares their times. */
async function blocksBeside(home: string): Promise<void> {
  const busy = await startNode({
    home,
    ports: true,
    blocks: { time: 'manual' },
    snapshots: { interval: INTERVAL, keepRecent: 1 },
    mempool: { maxTxs: 20_000, slots: 20_000, maxBytes: '1GB' },
  } as never)
  const snapshots = openSnapshotFolder(join(home, 'snapshots'))
  const { privateKey } = busy.accounts[0]!
  let nonce = 0
  async function block(): Promise<number> {
    const raws = signTransfers({ privateKey, chainId: Number(busy.evmChainId), firstNonce: nonce, count: 50 })
    nonce += raws.length
    for (const raw of raws) await rpc('eth_sendRawTransaction', [raw])
    const started = performance.now()
    await busy.nextBlock()
    return performance.now() - started
  }
  async function rpc(method: string, params: readonly unknown[]): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const answer = (await (await fetch(busy.urls.jsonrpc!, { method: 'POST', headers, body })).json()) as {
      error?: object
    }
    if (answer.error) throw new Error(JSON.stringify(answer.error))
  }
  const ratios: number[] = []
  const quiet: number[] = []
  const beside: number[] = []
  for (let turn = 0; turn < TURNS; turn++) {
    const [alone, together]: [number[], number[]] = [[], []]
    while ((busy.height + 1n) % BigInt(INTERVAL) !== 0n) alone.push(await block())
    await busy.nextBlock()
    const height = busy.height
    while (!snapshots.has(height)) together.push(await block())
    // The node learns that the process has ended.
    await new Promise((done) => setTimeout(done, 500))
    while (busy.height % BigInt(INTERVAL) < INTERVAL / 2) await block()
    ratios.push(median(together) / median(alone))
    quiet.push(...alone)
    beside.push(...together)
  }
  await busy.stop()
  const [alone, together] = [median(quiet), median(beside)]
  console.log(
    `blocks of 50 transfers: ${alone.toFixed(1)} ms alone (${quiet.length}), ${together.toFixed(1)} ms beside a snapshot ` +
      `(${beside.length}), ratio of each turn ${ratios.map((one) => one.toFixed(2)).join(' ')}, median ${median(ratios).toFixed(3)}; ` +
      `of an interval of one second ${((together - alone) / 10).toFixed(1)} %; ${cpus().length} processors`,
  )
}
