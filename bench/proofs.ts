/**
 * The cost of a proof: `npm run bench -- proofs [BLOCKS]` (default 12,000). Blocks of 20 changed keys, 20,000 of 100,000 in
 * turn; proofs at the tip and 10,000 blocks ago, as a worker makes them, against a read; then memory and disk of the trees.
 */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ALMANAC_STORES } from '../src/app/stores.ts'
import { openDisk } from '../src/node/disk.ts'
import { compare } from '../src/primitives/bytes.ts'
import { sha256 } from '../src/primitives/hash.ts'
import { orderStores } from '../src/store/tree/tree-roots.ts'
import { openTrees } from '../src/store/tree/trees.ts'
import type { Change } from '../src/store/types.ts'
import { openVersionedStore, type VersionedStore } from '../src/store/versioned.ts'

const KEYS = 100_000
const KEYS_PER_BLOCK = 20
const LONG_AGO = 10_000
const STORE = 'bank'

let state = 7
/** Returns a seeded number below `n`. */
function below(n: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * n)
}

const value = () => Uint8Array.from({ length: 60 }, () => below(256))
const keys = Array.from({ length: KEYS }, (_, i) => sha256(new TextEncoder().encode(String(i))).slice(0, 30)).sort(
  compare,
)
const write = (key: Uint8Array): Change => ({ store: STORE, key, value: value() })

function blockOf(count: number, among: number): Change[] {
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(below(among))
  return [...chosen].sort((a, b) => a - b).map((i) => write(keys[i]!))
}

/** Returns the wall-clock and processor time that a function takes. Unit: milliseconds. */
function timed(run: () => void): readonly [wallMs: number, processorMs: number] {
  const start = performance.now()
  const before = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(before)
  return [performance.now() - start, (user + system) / 1000]
}

const shown = (times: readonly [number, number]) => `${times[0].toFixed(2)} ms (processor ${times[1].toFixed(2)} ms)`

/** Makes a thousand proofs at one height, each of another key, half of the keys absent. */
function prove(store: VersionedStore, height: number, count: number): readonly [number, number] {
  return timed(() => {
    const snapshot = store.at(BigInt(height))
    for (let i = 0; i < count; i++) {
      const key = keys[(i * 7919) % KEYS]!
      snapshot.proofs.prove(STORE, i % 2 ? key : key.subarray(0, 29))
    }
    snapshot.close()
  })
}

const each = ([wallMs, processorMs]: readonly [number, number], count: number): readonly [number, number] => [
  wallMs / count,
  processorMs / count,
]

async function memory(): Promise<void> {
  const collect = (globalThis as { gc?: () => void }).gc
  const inUse = async () => {
    for (let i = 0; i < 4; i++) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      collect?.()
    }
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const before = await inUse()
  const tables = { get: () => undefined, iterate: () => [][Symbol.iterator]() }
  const start = { height: 0, first: 0, appHash: new Uint8Array(0) }
  const trees = openTrees(
    tables,
    () => ({ from: 0, order: orderStores([STORE]) }),
    start,
    () => [],
  )
  trees.begin(1, keys.map(write)).finish()
  for (let height = 2; height <= 300; height++) trees.begin(height, blockOf(KEYS_PER_BLOCK, KEYS)).finish()
  const bytes = ((await inUse()) - before) / KEYS
  const kept = trees.at(299) ? 'those of the latest heights among them' : 'the latest alone'
  console.log(`memory of the trees: ${bytes.toFixed(0)} bytes a key of 30 bytes, ${kept}`)
}

async function proofs(blocks: number): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'almanac-bench-'))
  try {
    const backend = openDisk(path, { noSync: true })
    const store = openVersionedStore(backend, ALMANAC_STORES)
    store.commit({ height: 1n, changes: keys.map(write) })
    const pagesOf = () => {
      let bytes = 0
      for (const table of ['node', 'checkpoint', 'stale'])
        for (const [key, row] of backend.iterate(table)) bytes += key.length + row.length
      return bytes
    }
    const begun = { disk: store.sizeBytes(), pages: pagesOf() }
    for (let height = 2; height <= blocks; height++) {
      store.commit({ height: BigInt(height), changes: blockOf(KEYS_PER_BLOCK, 20_000) })
    }
    const changed = (blocks - 1) * KEYS_PER_BLOCK
    const disk = (store.sizeBytes() - begun.disk) / changed
    const pages = (pagesOf() - begun.pages) / changed
    console.log(`disk: ${disk.toFixed(0)} bytes a changed key, ${pages.toFixed(0)} of them for checkpoints`)

    prove(store, blocks, 200)
    const tip = each(prove(store, blocks, 1000), 1000)
    console.log(`proof at the tip: ${shown(tip)}`)
    store.commit({ height: BigInt(blocks + 1), changes: blockOf(1000, KEYS) })
    console.log(`first proof at the previous height, after a block of 1,000 keys: ${shown(prove(store, blocks, 1))}`)

    const old = Math.max(2, blocks - LONG_AGO + 987)
    const worker = openVersionedStore(openDisk(path, { readOnly: true }), ALMANAC_STORES)
    console.log(`first proof at height ${old} of ${blocks}: ${shown(prove(worker, old, 1))}`)
    const again = each(prove(worker, old, 1000), 1000)
    console.log(`second proof: ${shown(again)}, ${(again[0] / tip[0]).toFixed(2)} times that at the tip`)
    console.log(`one height later: ${shown(prove(worker, old + 1, 1))}`)
    const snapshot = worker.at(BigInt(old))
    const read = each(
      timed(() => {
        for (let i = 0; i < 1000; i++) snapshot.get(STORE, keys[(i * 7919) % KEYS]!)
      }),
      1000,
    )
    snapshot.close()
    console.log(`a read of the same keys: ${shown(read)}; a proof is ${(again[0] / read[0]).toFixed(0)} reads`)
    await worker.close()
    await store.close()
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

await memory()
await proofs(Number(process.argv[2] ?? 12_000))
