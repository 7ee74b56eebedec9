/**
 * The cost of a commit and of a read: `npm run bench -- store [BLOCKS]` (default 5,000; 100,000 is the full run).
 * Blocks of 1,000 and 2,000 changed keys of 100,000, each compared with LMDB alone writing the same keys and values durably, and
 * with trees in plain JavaScript that write nothing; then a restart; then blocks of 20, 20,000 of 40,000 in turn. Prints milliseconds,
 * bytes and ratios.
 */

import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { ALMANAC_STORES } from '../src/app/stores.ts'
import { openDisk } from '../src/node/disk.ts'
import { createTreeHelper } from '../src/node/trees/tree-helper.ts'
import { compare } from '../src/primitives/bytes.ts'
import { sha256 } from '../src/primitives/hash.ts'
import type { Change } from '../src/store/types.ts'
import { openVersionedStore } from '../src/store/versioned.ts'
import { plant, rewrite } from './plain-trees.ts'
import { isBundled, runBundled } from './support/bundled.ts'
import { median } from './support/median.ts'

const KEYS_PER_BLOCK = 20
/** Blocks before the measurement: until then rows accumulate in the journal, and no row moves to its table. */
const BLOCKS_BEFORE = 50
const LARGE_BLOCKS = 80
const LONG_AGO = 10_000n

let state = 7
/** Returns a seeded number below `n`. */
function below(n: number): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * n)
}

const value = () => Uint8Array.from({ length: 60 }, () => below(256))
const makeKeys = (count: number) =>
  Array.from({ length: count }, (_, i) => sha256(new TextEncoder().encode(String(i))).slice(0, 30)).sort(compare)

/** Returns writes of `count` keys out of `keys`, sorted. */
function changesOf(keys: readonly Uint8Array[], count: number): Change[] {
  const chosen = new Set<number>()
  while (chosen.size < count) chosen.add(below(keys.length))
  return [...chosen].sort((a, b) => a - b).map((i) => ({ store: 'bank', key: keys[i]!, value: value() }))
}

/** Returns the processor time so far, which other load on the machine hardly affects. Unit: milliseconds. */
function processorTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

/** Returns the pages of 4 KiB that this process has written, as Linux counts them; 0 on other systems. */
function pagesWritten(): number {
  const counts = '/proc/self/io'
  if (!existsSync(counts)) return 0
  return Number(/wchar: (\d+)/.exec(readFileSync(counts, 'utf8'))?.[1] ?? 0) / 4096
}

const shown = (milliseconds: number) => `${milliseconds.toFixed(2)} ms`

async function inTemporary(run: (path: string) => Promise<void>): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), 'almanac-bench-'))
  try {
    await run(path)
  } finally {
    rmSync(path, { recursive: true, force: true })
  }
}

/** Measures many small blocks: commit time and disk must not grow with the height. */
async function history(blocks: number): Promise<void> {
  await inTemporary(async (path) => {
    const keys = makeKeys(40_000)
    const changing = keys.slice(0, 20_000)
    const still = keys.slice(20_000)
    const store = openVersionedStore(openDisk(path, { noSync: true }), ALMANAC_STORES)
    store.commit({ height: 1n, changes: keys.map((key) => ({ store: 'bank', key, value: value() })) })
    let [sizeBytes, times, from] = [store.sizeBytes(), [] as number[], 1]
    const marks: { height: number; commit: number; bytes: number }[] = []
    const step = Math.ceil(blocks / 10)
    for (let height = 2; height <= blocks; height++) {
      const changes = changesOf(changing, KEYS_PER_BLOCK)
      const start = processorTime()
      store.commit({ height: BigInt(height), changes })
      times.push(processorTime() - start)
      if (height % step === 0) {
        const grown = store.sizeBytes() - sizeBytes
        const mean = times.reduce((a, b) => a + b, 0) / times.length
        marks.push({ height, commit: mean, bytes: grown / ((height - from) * KEYS_PER_BLOCK) })
        sizeBytes += grown
        times = []
        from = height
      }
    }
    for (const { height, commit, bytes } of marks) {
      console.log(
        `height ${height}: commit ${shown(commit)} of processor time, ${bytes.toFixed(0)} bytes of disk a changed key`,
      )
    }
    const [first, last] = [marks[0]!, marks.at(-1)!]
    const grown = (last.commit / first.commit).toFixed(2)
    console.log(
      `commit at height ${last.height} against ${first.height}: ${grown} times; resident ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MiB`,
    )

    const old = store.latestHeight() > LONG_AGO ? store.latestHeight() - LONG_AGO : 1n
    const timed = (height: bigint, of: readonly Uint8Array[]) => {
      const snapshot = store.at(height)
      const start = processorTime()
      for (let i = 0; i < 50_000; i++) snapshot.get('bank', of[(i * 7919) % of.length]!)
      const each = (processorTime() - start) / 50_000
      snapshot.close()
      return each * 1000
    }
    for (const [kind, of] of [
      ['changed since', changing],
      ['not changed since', still],
    ] as const) {
      timed(old, of)
      const ago = median([1, 2, 3].map(() => timed(old, of)))
      const latest = median([1, 2, 3].map(() => timed(store.latestHeight(), of)))
      const ratio = (ago / latest).toFixed(2)
      console.log(
        `key ${kind}: read at height ${old} ${ago.toFixed(2)} µs, latest ${latest.toFixed(2)} µs: ${ratio} times`,
      )
    }
    const opened = performance.now()
    for (let i = 0; i < 10_000; i++) {
      const snapshot = store.at()
      snapshot.get('bank', keys[i]!)
      snapshot.close()
    }
    console.log(`snapshot with one read: ${((performance.now() - opened) / 10).toFixed(2)} µs`)
    await store.close()
  })
}

/** Collects the cost of repeated work: wall-clock time, processor time and pages written. */
function stopwatch() {
  const [elapsed, used, pages]: [number[], number[], number[]] = [[], [], []]
  return {
    time(work: () => void) {
      const written = pagesWritten()
      const [start, cpu] = [performance.now(), processorTime()]
      work()
      elapsed.push(performance.now() - start)
      used.push(processorTime() - cpu)
      pages.push(pagesWritten() - written)
    },
    median: () => median(elapsed),
    report() {
      const mean = elapsed.reduce((a, b) => a + b, 0) / elapsed.length
      const processor = `processor ${shown(median(used))}, least ${shown(Math.min(...used))}`
      const times = `median ${shown(median(elapsed))} (${processor}), mean ${shown(mean)}, greatest ${shown(Math.max(...elapsed))}`
      return `${times}; ${median(pages).toFixed(0)} pages written`
    },
  }
}

/** Measures large durable blocks on a large state, then a restart after a kill. */
async function largeBlocks(): Promise<void> {
  await inTemporary(async (path) => {
    const keys = makeKeys(100_000)
    const store = openVersionedStore(openDisk(join(path, 'store')), { ...ALMANAC_STORES, createTreeHelper })
    const genesis = keys.map((key) => ({ store: 'bank', key, value: value() }))
    store.commit({ height: 1n, changes: genesis })
    const plain = open<Uint8Array, Uint8Array>({
      path: join(path, 'plain'),
      encoding: 'binary',
      keyEncoding: 'binary',
      overlappingSync: false,
      mapSize: 2 ** 30,
    })
    const put = (rows: readonly Change[]) =>
      plain.transactionSync(() => {
        for (const row of rows) plain.putSync(row.key, row.value!)
      })
    put(genesis)
    let tree = plant(genesis, 1)
    let height = 2n
    for (let i = 0; i < BLOCKS_BEFORE; i++) store.commit({ height: height++, changes: changesOf(keys, 1_000) })
    for (const count of [1_000, 2_000]) {
      const [ours, theirs, trees] = [stopwatch(), stopwatch(), stopwatch()]
      for (let i = 0; i < LARGE_BLOCKS; i++) {
        const changes = changesOf(keys, count)
        ours.time(() => store.commit({ height: height++, changes }))
        theirs.time(() => put(changes))
        trees.time(() => {
          tree = rewrite(tree, changes, Number(height))
        })
      }
      console.log(`commit of ${count} of 100000 keys: ${ours.report()}`)
      console.log(`LMDB alone, the same keys and values: ${theirs.report()}`)
      console.log(
        `commit with history, trees and app hash against LMDB alone: ${(ours.median() / theirs.median()).toFixed(2)} times`,
      )
      console.log(`trees alone in plain JavaScript, nothing written: ${trees.report()}`)
      console.log(
        `durable commit against trees alone in plain JavaScript: ${(ours.median() / trees.median()).toFixed(2)} times`,
      )
    }
    // Collects the garbage of the plain JavaScript trees, so that it does not count for the opening.
    ;(globalThis as { gc?: () => void }).gc?.()
    const start = performance.now()
    const again = openVersionedStore(openDisk(join(path, 'store')), { ...ALMANAC_STORES, createTreeHelper })
    console.log(`open without a clean stop: ${shown(performance.now() - start)} at height ${again.latestHeight()}`)
    await plain.close()
    await store.close()
  })
}

if (isBundled) {
  await largeBlocks()
  await history(Math.max(10, Number(process.argv[2] ?? 5_000)))
} else await runBundled(import.meta.filename)
