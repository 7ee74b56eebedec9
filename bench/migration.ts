/**
 * An upgrade handler over 1,000,000 keys: `npm run bench -- migration [KEYS]`. Rewrites every value of a store in one durable block, as
 * runs. Prints keys per second and the peak memory of the process, against plain LMDB writes of the same rows.
 */

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ALMANAC_STORES } from '../src/app/stores.ts'
import { openDisk } from '../src/node/disk.ts'
import { createBranch } from '../src/store/branch.ts'
import type { Entry, RunEntry } from '../src/store/types.ts'
import { openVersionedStore } from '../src/store/versioned.ts'

const KEYS = Number(process.argv[2] ?? 1_000_000)
/** Stage of the benchmark, each a separate process, and the folder through which stages pass their data. */
const [part, path] = [process.argv[3], process.argv[4]]

/** Returns the n-th key: address and slot as in the `evm` store, ascending and spread over the whole range. */
function keyOf(n: number): Uint8Array {
  const key = new Uint8Array(53).fill(n)
  key[0] = 2
  new DataView(key.buffer).setUint32(1, Math.floor((n / KEYS) * 2 ** 32))
  return key
}

function valueFor(n: number, round: number): Uint8Array {
  const value = new Uint8Array(32).fill(n)
  value[0] = round
  return value
}

function* entriesOf(round: number): IterableIterator<Entry> {
  for (let n = 0; n < KEYS; n++) yield [keyOf(n), valueFor(n, round)]
}

/** Returns the peak resident memory so far. Unit: MiB. */
const peak = () => Math.round(process.resourceUsage().maxRSS / 1024)

function timed(run: () => void): { readonly perSecond: string; readonly cpu: string } {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  run()
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return { perSecond: Math.round(KEYS / seconds).toLocaleString('en'), cpu: ((user + system) / 1e6).toFixed(1) }
}

/** Writes the chain before its upgrade. */
async function prepare(folder: string): Promise<void> {
  const store = openVersionedStore(openDisk(folder), ALMANAC_STORES)
  store.commit({ height: 1n, changes: [] })
  const branch = createBranch(store.at())
  branch.writeRun('evm', entriesOf(1))
  store.commit({ height: 2n, changes: branch.changes(), staged: branch.staged() })
  await store.close()
}

async function migrate(folder: string): Promise<void> {
  const store = openVersionedStore(openDisk(folder), ALMANAC_STORES)
  const before = peak()
  const snapshot = store.at()
  const branch = createBranch(snapshot)
  let committing = 0
  const whole = timed(() => {
    function* rewritten(): IterableIterator<RunEntry> {
      for (const [key, value] of branch.iterate('evm')) {
        const after = value.slice()
        after[0] = 2
        yield [key, after]
      }
    }
    branch.writeRun('evm', rewritten())
    const start = performance.now()
    store.commit({ height: 3n, changes: branch.changes(), staged: branch.staged() })
    committing = (performance.now() - start) / 1000
  })
  snapshot.close()
  console.log(
    `migration of ${KEYS.toLocaleString('en')} keys in one block: ${whole.perSecond} keys a second (${whole.cpu} s of processor time, the commit ${committing.toFixed(1)} s); greatest memory ${peak()} MiB, ${before} before`,
  )
  if (store.at().get('evm', keyOf(KEYS - 1))![0] !== 2) throw new Error('the last key was not migrated')
  await store.close()
}

/** Measures the reference: the rows of a completed migration, written to LMDB in one transaction. */
async function plain(folder: string): Promise<void> {
  const backend = openDisk(folder)
  const rows = function* (round: number) {
    for (const [key, value] of entriesOf(round)) yield { table: 'head', key, value }
  }
  backend.write(rows(1))
  const { perSecond, cpu } = timed(() => backend.write(rows(2)))
  console.log(`plain LMDB, the values alone: ${perSecond} keys a second (${cpu} s of processor time); ${peak()} MiB`)
  await backend.close()
}

if (part === 'prepare') await prepare(path!)
else if (part === 'migrate') await migrate(path!)
else if (part === 'plain') await plain(path!)
else {
  const folders = [0, 1].map(() => mkdtempSync(join(tmpdir(), 'almanac-bench-')))
  const run = (name: string, folder: string) => {
    const file = fileURLToPath(import.meta.url)
    const { status } = spawnSync(process.execPath, ['--import', 'tsx', file, `${KEYS}`, name, folder], {
      stdio: 'inherit',
    })
    if (status !== 0) throw new Error(`${name} failed`)
  }
  try {
    run('prepare', folders[0]!)
    run('migrate', folders[0]!)
    run('plain', folders[1]!)
  } finally {
    for (const folder of folders) rmSync(folder, { recursive: true, force: true })
  }
}
