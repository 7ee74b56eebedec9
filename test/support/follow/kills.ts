/** A replica that is killed again and again while it follows. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import type { StoredBlock } from '../../../src/app/records.ts'
import { assembleNode } from '../../../src/node/assembly.ts'
import { resolveConfig } from '../../../src/node/config.ts'
import { FREE_PORTS } from '../process.ts'
import { seededRandom } from '../random.ts'
import { type FakeNode, startFakeNode } from './fake-node.ts'
import { ownChain } from './own-chain.ts'

const program = resolve(import.meta.dirname, '../../../dist/almanac.cjs')
/** Blocks that the node makes for each kill. */
const BLOCKS = 3
/** Longest time from the start of the process to its kill. Unit: milliseconds. */
const LONGEST_MS = 900
/** Delay of an answer of the node, so that a kill finds the replica between two of them. Unit: milliseconds. */
const ANSWER_MS = 4

/**
 * Kills a replica at random points of its start and of its blocks. Then compares every block and app hash with those of a replica
 * that ran without an interruption.
 */
export async function followUnderKills(kills: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-follow-kill-'))
  const history = await ownChain(kills * BLOCKS)
  const node = await startFakeNode(history, join(folder, 'stream'))
  node.answer = async () => {
    await new Promise((done) => setTimeout(done, ANSWER_MS))
    return undefined
  }
  const random = seededRandom(22)
  try {
    for (let kill = 1; kill <= kills; kill++) {
      node.advance(Math.min(kill * BLOCKS, history.last))
      await runAndKill(node, join(folder, 'killed'), random() * LONGEST_MS)
    }
    node.answer = () => undefined
    node.advance(history.last)
    const killed = await blocksOf(node, join(folder, 'killed'), history.last)
    const whole = await blocksOf(node, join(folder, 'whole'), history.last)
    expect(killed).toEqual(whole)
    for (const { header, nextAppHash } of killed) {
      const stated = history.blocks.get(Number(header.height))!.appHashAfter
      expect(Buffer.from(nextAppHash).toString('hex')).toBe(stated)
    }
  } finally {
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function runAndKill({ stream, url }: FakeNode, home: string, afterMs: number): Promise<void> {
  const args = ['follow', '--silent', '--home', home, '--stream', stream, '--rpc', url, ...FREE_PORTS]
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, ALMANAC_API_WORKERS: '0', ALMANAC_COMPUTE_WORKERS: '0' },
  })
  let output = ''
  child.stderr.on('data', (text) => {
    output += text
  })
  return new Promise((done, fail) => {
    setTimeout(() => child.kill('SIGKILL'), afterMs)
    child.once('exit', (code, signal) =>
      signal === 'SIGKILL' ? done() : fail(new Error(`ended with ${code ?? signal}: ${output}`)),
    )
  })
}

/** Follows up to a height, and returns all blocks. */
async function blocksOf({ stream, url }: FakeNode, home: string, last: number): Promise<StoredBlock[]> {
  const replica = await assembleNode({
    resolved: resolveConfig({
      flags: { consensus: 'follow', stream, rpc: url },
      caller: { api: { workers: 0 }, compute: { workers: 0 } },
    }),
    home,
    freePorts: true,
    openPorts: false,
    log: () => undefined,
  })
  try {
    await expect.poll(() => Number(replica.height)).toBe(last)
    // Results and receipts are read on demand, and the store closes.
    return Array.from({ length: last }, (_, i) => ({ ...replica.gateway.blocks.block(BigInt(i + 1))! }))
  } finally {
    await replica.stop()
  }
}
