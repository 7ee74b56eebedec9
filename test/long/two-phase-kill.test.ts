import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDisk } from '../../src/node/disk.ts'
import { openMemory } from '../../src/store/backend/memory.ts'
import { seededRandom } from '../support/random.ts'
import { openStore, prepareBlock } from '../support/two-phase/committing.ts'

const CYCLES = Number(process.env['TEST_KILL_CYCLES'] ?? 200)
const LONGEST_MS = 60

/** Runs the program on a folder and kills it some time after it has opened the store. */
function runAndKill(folder: string, afterMs: number): Promise<void> {
  const child = fork(join(import.meta.dirname, '../support/two-phase/committing.ts'), [folder], {
    execArgv: ['--import', 'tsx'],
  })
  return new Promise((resolve, reject) => {
    child.once('message', () => setTimeout(() => child.kill('SIGKILL'), afterMs))
    child.once('exit', (code, signal) =>
      signal === 'SIGKILL' ? resolve() : reject(new Error(`ended with ${code ?? signal}`)),
    )
  })
}

test(`a process killed ${CYCLES} times between and inside the phases opens with a committed app hash`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-phases-'))
  const random = seededRandom(7)
  const reference = openStore(openMemory())
  const hashes = [reference.appHash()]
  let last = 0
  let moved = 0
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    await runAndKill(folder, Math.floor(random() * LONGEST_MS))
    const backend = openDisk(folder, { readOnly: true })
    const store = openStore(backend)
    const height = Number(store.latestHeight())
    expect(height).toBeGreaterThanOrEqual(last)
    while (hashes.length <= height) {
      const prepared = prepareBlock(reference, BigInt(hashes.length))
      prepared.commit()
      hashes.push(reference.appHash())
    }
    expect(store.appHash(), `height ${height} after cycle ${cycle}`).toEqual(hashes[height])
    if (height > last) moved++
    last = height
    await store.close()
  }
  // A busy machine kills most processes before their first block; some must have made one.
  expect(moved).toBeGreaterThan(CYCLES / 20)
  // The trees of the last kill give the hash that the disk has, and the chain goes on.
  const store = openStore(openDisk(folder))
  prepareBlock(store, BigInt(last + 1)).commit()
  prepareBlock(reference, BigInt(last + 1)).commit()
  expect(store.appHash()).toEqual(reference.appHash())
  await store.close()
  rmSync(folder, { recursive: true })
})
