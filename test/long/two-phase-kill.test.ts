import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDisk } from '../../src/node/disk.ts'
import { openMemory } from '../../src/store/backend/memory.ts'
import { seededRandom } from '../support/random.ts'
import { openStore, prepareBlock } from '../support/two-phase/committing.ts'

const CYCLES = Number(process.env['TEST_KILL_CYCLES'] ?? 200)
/** Blocks for whose time a process lives at most, so that a slow machine kills at the same places as a fast one. */
const BLOCKS = 12

/** Runs the program on a folder until it is killed. `onOpen` is called once its store is open; then it sends a message for each block. */
function run(folder: string, onOpen: (child: ChildProcess) => void): Promise<void> {
  const child = fork(join(import.meta.dirname, '../support/two-phase/committing.ts'), [folder], {
    execArgv: ['--import', 'tsx'],
  })
  return new Promise((resolve, reject) => {
    child.once('message', () => onOpen(child))
    child.once('exit', (code, signal) =>
      signal === 'SIGKILL' ? resolve() : reject(new Error(`ended with ${code ?? signal}`)),
    )
  })
}

/** Returns the time from an open store to the last of the blocks on this machine. Unit: milliseconds. */
async function timeOfBlocks(): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-phases-'))
  let [opened, made] = [0, 0]
  await run(folder, (child) => {
    opened = performance.now()
    let count = 0
    child.on('message', () => {
      if (++count !== BLOCKS) return
      made = performance.now()
      child.kill('SIGKILL')
    })
  })
  rmSync(folder, { recursive: true })
  return made - opened
}

test(`a process killed ${CYCLES} times between and inside the phases opens with a committed app hash`, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-phases-'))
  const random = seededRandom(7)
  const longestMs = await timeOfBlocks()
  const reference = openStore(openMemory())
  const hashes = [reference.appHash()]
  let last = 0
  let moved = 0
  for (let cycle = 0; cycle < CYCLES; cycle++) {
    const afterMs = Math.floor(random() * longestMs)
    await run(folder, (child) => setTimeout(() => child.kill('SIGKILL'), afterMs))
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
  expect(moved).toBeGreaterThan(CYCLES / 4)
  // The trees of the last kill give the hash that the disk has, and the chain goes on.
  const store = openStore(openDisk(folder))
  prepareBlock(store, BigInt(last + 1)).commit()
  prepareBlock(reference, BigInt(last + 1)).commit()
  expect(store.appHash()).toEqual(reference.appHash())
  await store.close()
  rmSync(folder, { recursive: true })
})
