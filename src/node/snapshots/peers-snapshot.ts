/**
 * Fetches a snapshot that the peers of a chain offer. They offer it to engines alone: the state sync of one hands the chunks to this
 * program, which keeps them and ends the engine (docs/follow.md#what-it-begins-with).
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, type MessageInitShape } from '@bufbuild/protobuf'
import type { GenesisDocument } from '../../app/types.ts'
import type { Application } from '../../consensus/cometbft/application.ts'
import { createStateReceiver, type RestoreRun } from '../../consensus/cometbft/receive-state.ts'
import { serveAbci } from '../../consensus/cometbft/server.ts'
import type { SnapshotRecord } from '../../consensus/cometbft/snapshot-record.ts'
import { ResponseSchema } from '../../gen/tendermint/abci/types_pb.ts'
import { queryError } from '../../primitives/errors.ts'
import { prepareEngineHome } from '../engine/engine-home.ts'
import { findEngine, startEngineProcess } from '../engine/engine-process.ts'
import { requireSafeVersion, versionOf } from '../engine/engine-version.ts'
import { diskFiles } from '../files.ts'
import type { Log } from '../log.ts'
import type { Config } from '../settings.ts'
import { openBoundedSnapshot } from './bounded-snapshot.ts'
import { CHUNKS_PERCENT, roomOn } from './room.ts'

export interface PeersSnapshotOptions {
  /** Path of the engine's program; empty for `cometbft` on PATH. */
  readonly program: string
  readonly genesis: GenesisDocument
  /** `ID@HOST:PORT` each, at least one. */
  readonly peers: readonly string[]
  /** The block from which the engine verifies the header of the snapshot. */
  readonly trust: Pick<Config['statesync'], 'rpcServers' | 'trustHeight' | 'trustHash' | 'trustPeriod'>
  /** Folder of snapshots that the new one joins. */
  readonly folder: string
  readonly log: Log
  /** Time after which it is given up. Unit: milliseconds. */
  readonly timeoutMs: number
}

/**
 * Fetches the newest snapshot of the peers that a header of the chain vouches for. Resolves with its height. Rejects with
 * `failedPrecondition` without an engine, `unavailable` if the engine ends or finds none in time.
 */
export async function fetchFromPeers(options: PeersSnapshotOptions): Promise<bigint> {
  const { folder, timeoutMs } = options
  let isDone = false
  /** The engine complains of its end, which is wanted. */
  const log: Log = (level, message, facts) => {
    if (!isDone) options.log(level, message, facts)
  }
  const path = findEngine(options.program)
  requireSafeVersion(versionOf(path))
  const scratch = mkdtempSync(join(tmpdir(), 'almanac-fetch-'))
  const undo: (() => unknown)[] = [() => rmSync(scratch, { recursive: true, force: true })]
  try {
    return await new Promise<bigint>((resolve, reject) => {
      const late = `no snapshot came in ${timeoutMs / 1000} s: do the peers keep snapshots, and do they answer?`
      const timer = setTimeout(() => reject(queryError('unavailable', late)), timeoutMs)
      undo.push(() => clearTimeout(timer))
      const receiver = createStateReceiver({
        start(record) {
          const run = keepIn(folder, record, () => resolve(record.height))
          log('info', 'fetches a snapshot', { height: record.height, chunks: record.chunkHashes.length })
          return run
        },
        log: (level, message, facts) => {
          if (level !== 'info') log(level, message, facts)
        },
      })
      undo.push(receiver.stop)
      run({ ...options, log }, path, scratch, applicationOf(receiver), reject, undo).catch(reject)
    })
  } finally {
    isDone = true
    for (const step of undo.reverse()) await step()
  }
}

/** Keeps the chunks instead of restoring them. The app hash is compared when the snapshot is restored. */
function keepIn(folder: string, record: SnapshotRecord, onDone: () => void): RestoreRun {
  const made = openBoundedSnapshot(folder, record, roomOn(folder, CHUNKS_PERCENT))
  return {
    async write(chunk) {
      made.add(chunk)
    },
    async finish() {
      made.finish()
      onDone()
    },
    async abandon() {
      made.abandon()
    },
  }
}

/** The application of an engine that only fetches: it has no block. */
function applicationOf(receiver: ReturnType<typeof createStateReceiver>): Application {
  const answer = (value: NonNullable<MessageInitShape<typeof ResponseSchema>['value']>) =>
    create(ResponseSchema, { value })
  return (request) => {
    switch (request.case) {
      case 'echo':
        return answer({ case: 'echo', value: { message: request.value.message } })
      case 'flush':
        return answer({ case: 'flush', value: {} })
      case 'info':
        return answer({ case: 'info', value: { data: 'almanac' } })
      case 'query':
        return answer({ case: 'query', value: {} })
      case 'listSnapshots':
        return answer({ case: 'listSnapshots', value: {} })
      case 'offerSnapshot':
        return receiver.offer(request.value)
      case 'applySnapshotChunk':
        return receiver.apply(request.value)
      default:
        throw new Error(`the engine asks for ${request.case}, and this program only fetches a snapshot`)
    }
  }
}

async function run(
  { genesis, peers, trust, log }: PeersSnapshotOptions,
  path: string,
  scratch: string,
  application: Application,
  fail: (error: unknown) => void,
  undo: (() => unknown)[],
): Promise<void> {
  const home = join(scratch, 'engine')
  prepareEngineHome(path, home, genesis, undefined, diskFiles)
  const socket = await serveAbci({
    address: `unix://${join(scratch, 'abci.sock')}`,
    application,
    onFailure: fail,
    onBadClient: fail,
  })
  undo.push(socket.close)
  const engine = startEngineProcess({
    path,
    home,
    abci: socket.address,
    rpc: `unix://${join(scratch, 'rpc.sock')}`,
    unsafeRpc: false,
    moniker: 'almanac-fetch',
    p2p: `tcp://127.0.0.1:${await freePort()}`,
    peers: peers.join(','),
    intervalMs: undefined,
    stateSync: trust,
    files: diskFiles,
    log,
    logsDebug: false,
    onExit: (reason) => fail(queryError('unavailable', `the engine does not fetch a snapshot: ${reason}`)),
  })
  undo.push(engine.stop)
}

/** Resolves with a free port. The engine needs one, and no peer learns of it. */
function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
