/** State sync over the ABCI socket, with an engine that this test plays. */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { parseConsensusParams } from '../../src/app/genesis-params.ts'
import { messageOf } from '../../src/consensus/cometbft/snapshot-record.ts'
import {
  ResponseApplySnapshotChunk_Result as Apply,
  ResponseOfferSnapshot_Result as Offer,
} from '../../src/gen/tendermint/abci/types_pb.ts'
import { testNode } from '../../src/index.ts'
import { openSnapshotFolder } from '../../src/node/snapshots/folder.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import { type AbciClient, openAbci } from '../support/abci-client.ts'
import { FREE_PORTS } from '../support/process.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-sync-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
const origin = join(scratch, 'origin')
const HEIGHT = 10n

/** Repeats a check until it passes. Throws its error after a minute. */
async function until(check: () => void): Promise<void> {
  for (let i = 0; ; i++) {
    try {
      return check()
    } catch (error) {
      if (i === 1200) throw error
      await setTimeout(50)
    }
  }
}

let appHash = new Uint8Array(0)
/** The snapshot in four chunks: their length is the maker's choice. */
let chunks: Uint8Array[] = []

beforeAll(async () => {
  const node = await testNode({ home: origin, snapshots: { interval: 5, keepRecent: 2 } })
  const folder = openSnapshotFolder(join(origin, 'snapshots'))
  const heights = () => folder.list().map(({ height }) => Number(height))
  for (const expected of [[5], [10, 5], [15, 10]]) {
    do await node.nextBlock()
    while (node.height % 5n !== 0n)
    await until(() => expect(heights()).toEqual(expected))
    // The node learns that the process has ended a moment later.
    await setTimeout(200)
  }
  const { block } = (await node.query(`/sdk/base/tendermint/v1beta1/blocks/${HEIGHT + 1n}`)) as {
    block: { header: { app_hash: string } }
  }
  appHash = new Uint8Array(Buffer.from(block.header.app_hash, 'base64'))
  await node.stop()
  const bytes = readFileSync(join(origin, `snapshots/${HEIGHT}/3/0`))
  const size = Math.ceil(bytes.length / 4)
  chunks = [0, 1, 2, 3].map((index) => new Uint8Array(bytes.subarray(index * size, (index + 1) * size)))
})

/** Starts a node that waits for its engine. Returns a connection to it. */
async function start(
  name: string,
): Promise<{ client: AbciClient; child: ChildProcess; home: string; log: () => string }> {
  const home = join(scratch, name)
  const path = join(scratch, `${name}.sock`)
  const args = ['start', '--silent', '--home', home, '--genesis', join(origin, 'genesis.json'), ...FREE_PORTS]
  const child = spawn(
    process.execPath,
    ['dist/almanac.cjs', ...args, '--consensus', 'cometbft', '--engine', 'none', '--abci', `unix://${path}`],
    { stdio: ['ignore', 'pipe', 'pipe'] },
  )
  running.push(child)
  let log = ''
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text) => (log += text))
  for (let i = 0; ; i++) {
    try {
      return { client: await openAbci(path), child, home, log: () => log }
    } catch (error) {
      if (i === 600 || child.exitCode !== null) throw new Error(`${error}\n${log}`)
      await setTimeout(50)
    }
  }
}

const running: ChildProcess[] = []

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

afterEach(async () => {
  for (const child of running.splice(0)) await kill(child)
})

const offerOf = (change = {}) => ({
  snapshot: {
    ...messageOf({
      height: HEIGHT,
      format: 3,
      hash: sha256(Buffer.concat(chunks)),
      chunkHashes: chunks.map((chunk) => sha256(chunk)),
    }),
    ...change,
  },
  appHash,
})

const chunkOf = (index: number, chunk = chunks[index]!, sender = 'peer') => ({ index, chunk, sender })

test('an engine without blocks restores a snapshot of its peers, and the chain goes on', async () => {
  const { client, home } = await start('new')
  expect(await client.ask('info', {})).toMatchObject({ lastBlockHeight: 0n })
  expect((await client.ask('listSnapshots', {})).snapshots).toEqual([])
  expect((await client.ask('offerSnapshot', offerOf({ format: 9 }))).result).toBe(Offer.REJECT_FORMAT)
  expect((await client.ask('offerSnapshot', offerOf())).result).toBe(Offer.ACCEPT)
  const first = await client.ask('applySnapshotChunk', chunkOf(0, new Uint8Array(9), 'liar'))
  expect(first).toMatchObject({ result: Apply.RETRY, refetchChunks: [0], rejectSenders: ['liar'] })
  for (const index of [0, 1, 1, 2, 3]) {
    expect((await client.ask('applySnapshotChunk', chunkOf(index))).result).toBe(Apply.ACCEPT)
  }
  const { lastBlockHeight, lastBlockAppHash } = await client.ask('info', {})
  expect([lastBlockHeight, Buffer.from(lastBlockAppHash)]).toEqual([HEIGHT, Buffer.from(appHash)])
  expect(readdirSync(home)).not.toContain('data-restore')
  expect((await client.ask('offerSnapshot', offerOf())).result).toBe(Offer.ABORT)
  expect((await client.ask('applySnapshotChunk', chunkOf(3))).result).toBe(Apply.ABORT)

  const time = { seconds: BigInt(Math.floor(Date.now() / 1000)) + 1000n, nanos: 0 }
  const block = { height: HEIGHT + 1n, hash: new Uint8Array(32).fill(1), txs: [], time } as never
  const finalized = await client.ask('finalizeBlock', block)
  await client.ask('commit', {})
  const after = await client.ask('info', {})
  expect([after.lastBlockHeight, Buffer.from(after.lastBlockAppHash)]).toEqual([
    HEIGHT + 1n,
    Buffer.from(finalized.appHash),
  ])
  client.close()
})

test('a lie about the whole snapshot is refused with its senders, and the next snapshot restores', async () => {
  const { client } = await start('lied')
  expect((await client.ask('offerSnapshot', { ...offerOf(), appHash: new Uint8Array(32) })).result).toBe(Offer.ACCEPT)
  for (const index of [0, 1, 2])
    await client.ask('applySnapshotChunk', chunkOf(index, chunks[index], `peer ${index % 2}`))
  const last = await client.ask('applySnapshotChunk', chunkOf(3))
  expect(last).toMatchObject({ result: Apply.REJECT_SNAPSHOT, rejectSenders: ['peer 0', 'peer 1', 'peer'] })

  const noise = [sha256(chunks[0]!), sha256(chunks[1]!)]
  const snapshot = messageOf({
    height: 9n,
    format: 3,
    hash: sha256(Buffer.concat(noise)),
    chunkHashes: noise.map(sha256),
  })
  expect((await client.ask('offerSnapshot', { snapshot, appHash })).result).toBe(Offer.ACCEPT)
  const refused = await client.ask('applySnapshotChunk', chunkOf(0, noise[0]))
  expect(refused).toMatchObject({ result: Apply.REJECT_SNAPSHOT, rejectSenders: ['peer'] })

  expect((await client.ask('offerSnapshot', offerOf())).result).toBe(Offer.ACCEPT)
  for (const index of [0, 1, 2, 3]) await client.ask('applySnapshotChunk', chunkOf(index))
  expect((await client.ask('info', {})).lastBlockHeight).toBe(HEIGHT)
  client.close()
})

test('a node that is killed while it restores has no blocks, and begins the restore again', async () => {
  const before = await start('killed')
  await before.client.ask('offerSnapshot', offerOf())
  await before.client.ask('applySnapshotChunk', chunkOf(0))
  expect(existsSync(join(before.home, 'data-restore'))).toBe(true)
  await kill(before.child)
  expect(existsSync(join(before.home, 'data/data.mdb'))).toBe(false)

  const { client, home } = await start('killed')
  expect((await client.ask('info', {})).lastBlockHeight).toBe(0n)
  expect(existsSync(join(home, 'data-restore'))).toBe(false)
  await client.ask('offerSnapshot', offerOf())
  for (const index of [0, 1, 2, 3]) await client.ask('applySnapshotChunk', chunkOf(index))
  expect((await client.ask('info', {})).lastBlockHeight).toBe(HEIGHT)
  client.close()
})

test('an engine that begins the chain instead gets its first block', async () => {
  const { client } = await start('begun')
  const genesis = JSON.parse(readFileSync(join(origin, 'genesis.json'), 'utf8'))
  const time = { seconds: BigInt(Math.floor(Date.parse(genesis.genesis_time) / 1000)), nanos: 0 }
  const appStateBytes = Buffer.from(JSON.stringify(genesis.app_state))
  const consensusParams = parseConsensusParams(genesis.consensus_params)
  const begun = { chainId: genesis.chain_id, time, initialHeight: 1n, appStateBytes, consensusParams } as never
  expect((await client.ask('initChain', begun)).validators).toHaveLength(1)
  await client.ask('finalizeBlock', { height: 1n, hash: new Uint8Array(32).fill(1), time } as never)
  await client.ask('commit', {})
  expect((await client.ask('info', {})).lastBlockHeight).toBe(1n)
  client.close()
})
