/** Follows a recording as a replica follows a node: files of its stream, and its RPC. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assembleNode } from '../src/node/assembly.ts'
import { resolveConfig } from '../src/node/config.ts'
import { startFakeNode } from '../test/support/follow/fake-node.ts'
import { historyOfRecording } from '../test/support/follow/node-history.ts'
import type { LoadedNode } from './load.ts'
import type { Recording } from './recording.ts'

/** Time in which a replica must follow the whole recording. */
const PATIENCE_MS = 300_000

/**
 * Starts a node for the recording and a replica beside it, which begins with the first file or, with `snapshot`, a folder of
 * snapshots. Every block is verified but the last, whose commit would be in the block after it. Rejects if the replica stops
 * before.
 */
export async function followRecording(
  recording: Recording,
  snapshot?: string,
  onVerified: (height: bigint) => void = () => undefined,
): Promise<LoadedNode> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-witness-'))
  const history = await historyOfRecording(recording.folder)
  const node = await startFakeNode(history, join(folder, 'stream'))
  const start = (verify: 'every' | 'off') =>
    assembleNode({
      resolved: resolveConfig({
        flags: {
          ...{ consensus: 'follow', stream: node.stream, rpc: node.url, verify, profile: recording.profile },
          ...(snapshot !== undefined && { snapshot }),
        },
        caller: { api: { workers: 0 }, compute: { workers: 0 }, evm: { timeout: '60s' } },
      }),
      home: join(folder, 'home'),
      freePorts: true,
      openPorts: false,
      log: (level, message, facts) => {
        if (level === 'error') process.stderr.write(`${message} ${JSON.stringify(facts)}\n`)
      },
    })
  const clean = async (): Promise<void> => {
    await node.close()
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    node.advance(history.last)
    const verified = await start('every')
    await reach(verified, BigInt(history.last - 1))
    onVerified(verified.gateway.driver.status().follow!.verifiedHeight!)
    await verified.stop()
    const replica = await start('off')
    await reach(replica, BigInt(history.last))
    const { gateway, nodeInfo, identity } = replica
    return {
      node: gateway,
      nodeInfo,
      identity,
      ...(snapshot !== undefined && { begin: gateway.blocks.earliestHeight() - 1n }),
      async close() {
        await replica.stop()
        await clean()
      },
    }
  } catch (error) {
    await clean()
    throw error
  }
}

/** Resolves once a replica has a height. Rejects with the reason for which it has stopped. */
async function reach({ gateway: { driver } }: Awaited<ReturnType<typeof assembleNode>>, height: bigint): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  for (;;) {
    const { latestHeight, halted } = driver.status()
    if (latestHeight >= height) return
    if (halted) throw new Error(halted.reason)
    if (Date.now() > end) throw new Error(`the replica is at height ${latestHeight}, and must be at ${height}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
