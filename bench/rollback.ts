/**
 * The cost of a rollback: `npm run bench -- rollback [BLOCKS]` (default 3,000). Blocks of 20 changed keys of 20,000, then
 * rollbacks of 1 to all blocks from the same height. Prints processor time, also for each block and each changed key.
 */

import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALMANAC_STORES } from '../src/app/stores.ts'
import { openDisk } from '../src/node/disk.ts'
import { encodeUint64, equal } from '../src/primitives/bytes.ts'
import { openVersionedStore } from '../src/store/versioned.ts'

const BLOCKS = Number(process.argv[2] ?? 3_000)
const KEYS = 20_000
const PER_BLOCK = 20

const path = mkdtempSync(join(tmpdir(), 'almanac-bench-'))
const copy = `${path}-copy`
const change = (n: number, round: number) => {
  return { store: 'bank', key: encodeUint64(BigInt(n)), value: new Uint8Array(60).fill(round) }
}

try {
  const store = openVersionedStore(openDisk(path, { noSync: true }), ALMANAC_STORES)
  store.commit({ height: 1n, changes: Array.from({ length: KEYS }, (_, n) => change(n, 0)) })
  const hashes = [store.appHash(), store.appHash()]
  for (let height = 2; height <= BLOCKS; height++) {
    const first = (height * 7919) % (KEYS - PER_BLOCK)
    const changes = Array.from({ length: PER_BLOCK }, (_, i) => change(first + i, height))
    hashes.push(store.commit({ height: BigInt(height), changes }).appHash)
  }
  await store.close()
  for (const back of [1, 10, 100, 1_000, BLOCKS - 1]) {
    if (back >= BLOCKS) continue
    cpSync(path, copy, { recursive: true })
    const again = openVersionedStore(openDisk(copy), ALMANAC_STORES)
    const target = BLOCKS - back
    const [start, cpu] = [performance.now(), process.cpuUsage()]
    const { appHash } = again.rollback({ height: BigInt(target) })
    const { user, system } = process.cpuUsage(cpu)
    const elapsed = performance.now() - start
    if (!equal(appHash, hashes[target]!)) throw new Error(`another app hash at height ${target}`)
    const used = (user + system) / 1000
    const each = ((used * 1000) / (back * PER_BLOCK)).toFixed(0)
    console.log(
      `back ${back} blocks: ${used.toFixed(0)} ms of processor time, ${elapsed.toFixed(0)} ms by the clock; ${each} µs a changed key`,
    )
    await again.close()
    rmSync(copy, { recursive: true })
  }
} finally {
  for (const folder of [path, copy]) rmSync(folder, { recursive: true, force: true })
}
