/**
 * Commits deterministic blocks in two phases until it is killed: `committing.ts FOLDER`. Waits between the phases and inside
 * the second one, so that kills at random times hit all of them. Every seventh block takes the path of large blocks.
 */
import type { Backend } from '../../../src/store/backend/backend.ts'
import { createBranch } from '../../../src/store/branch.ts'
import { randomBlock, STORES, seeded } from '../../../src/store/testing/backend-contract.ts'
import { openTestStore } from '../../../src/store/testing/test-store.ts'
import type { Change } from '../../../src/store/types.ts'
import type { VersionedStore } from '../../../src/store/versioned.ts'

const LARGE_EVERY = 7n
const RUN_KEYS = 300

export const openStore = (backend: Backend): VersionedStore =>
  openTestStore(backend, { checkpoints: { changedKeys: 150, writesInMemory: 60 } })

/** Prepares the block of a height. Equal heights have equal blocks. */
export function prepareBlock(store: VersionedStore, height: bigint): ReturnType<VersionedStore['prepare']> {
  const changes = randomBlock(seeded(Number(height))) as Change[]
  if (height === 1n || height % LARGE_EVERY !== 0n) return store.prepare({ height, changes })
  const state = store.at()
  const branch = createBranch(state)
  const entries = Array.from(
    { length: RUN_KEYS },
    (_, n) => [Uint8Array.of(1, n >> 8, n), new Uint8Array(20).fill(Number(height % 251n))] as const,
  )
  branch.writeRun(STORES[0]!, entries)
  const prepared = store.prepare({ height, changes: branch.changes(), staged: branch.staged() })
  state.close()
  return prepared
}

const wait = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

async function run(folder: string): Promise<void> {
  const { openDisk } = await import('../../../src/node/disk.ts')
  const store = openStore(openDisk(folder))
  const below = seeded(Date.now() & 0xffff)
  process.send!('open')
  for (let height = store.latestHeight() + 1n; ; height++) {
    const prepared = prepareBlock(store, height)
    if (below(2) === 0) void prepared.appHash
    wait(below(4))
    prepared.commit(() => {
      wait(below(3))
      return []
    })
    process.send!('block')
  }
}

if (process.argv[1] === import.meta.filename) await run(process.argv[2]!)
