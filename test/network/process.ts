/** A process of the application: executor, store and driver over a disk, and the connections of its engine. */
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { createApplication } from '../../src/app/application.ts'
import { ALMANAC_STORES } from '../../src/app/stores.ts'
import type { Application } from '../../src/consensus/cometbft/application.ts'
import { type Comet, startComet } from '../../src/consensus/cometbft/comet.ts'
import type { EngineRpc } from '../../src/consensus/cometbft/engine-rpc.ts'
import { NO_JOURNAL } from '../../src/consensus/cometbft/kept-txs.ts'
import type { Executor } from '../../src/consensus/execution.ts'
import { createExecutor } from '../../src/consensus/executor.ts'
import { RequestSchema, type Response } from '../../src/gen/tendermint/abci/types_pb.ts'
import { almanac } from '../../src/identity/profiles/almanac.ts'
import { openVersionedStore } from '../../src/store/versioned.ts'
import { CHAIN_ID, EVM_CHAIN_ID } from '../simulation/genesis.ts'
import { type Disk, Killed } from './disk.ts'
import { genesis } from './genesis.ts'
import type { RequestInit } from './requests.ts'
import { type Connections, openConnections } from './sockets.ts'

/** An answer by which the application told its engine to stop. */
export class Stopped extends Error {}

/** Blocks of a replay that become durable together. No timer makes them so: timers are no part of the schedule. */
export const MOST_HELD = 4

export interface AppProcess {
  readonly executor: Executor
  readonly comet: Comet
  /** Sends a request. Rejects with `Killed` if the process ends before its answer, and with `Stopped` for an exception. */
  call(request: RequestInit): Promise<Response['value']>
  /** Sends requests of one connection without waiting for answers. */
  callAll(requests: readonly RequestInit[]): Promise<Response['value'][]>
  /** Closes the connections of an engine that has died; the next call opens them again. */
  disconnect(): void
  /** Ends the process at once. Nothing more reaches the disk. */
  kill(): Promise<void>
  /** Ends the process as an operator does. Rejects with `Killed` if it ends in between. */
  stop(): Promise<void>
}

interface Options {
  readonly disk: Disk
  readonly rpc: EngineRpc
  /** Clock of the pool, which decides how much it checks at once. */
  readonly elapsed: () => number
  /** Whether calls go over sockets. */
  readonly sockets: boolean
  /** Receives what must not happen. */
  readonly onBug: (error: unknown) => void
}

/** Starts a process. Throws `Killed` if it ends at a write of its start. */
export async function startProcess({ disk, rpc, elapsed, sockets, onBug }: Options): Promise<AppProcess> {
  const mount = disk.mount()
  const store = openVersionedStore(mount.backend, ALMANAC_STORES)
  const bug = (error: unknown): void => {
    if (!mount.isKilled()) onBug(error)
  }
  const executor = createExecutor({
    app: createApplication({
      identity: almanac,
      chainId: CHAIN_ID,
      evmChainId: EVM_CHAIN_ID,
      settings: { minGasPrices: '' },
      onBug: bug,
    }),
    store,
    elapsed,
    onHalt: () => undefined,
    onListenerFailure: bug,
  })
  let application: Application | undefined
  const comet = startComet({
    executor,
    genesis,
    socket: {
      attach(attached) {
        application = attached
      },
    },
    rpc,
    journal: NO_JOURNAL,
    name: 'almanac',
    version: '1',
    keepHeights: 0,
    hasWholeHeaders: almanac.behaviours.wholeHeadersInStaking,
    limits: { maxTxs: 100, maxBytes: 10_000_000, maxTxBytes: 1_000_000, slotsPerSender: 16 },
    query: async () => ({}),
    onInfo: () => undefined,
    holdLimits: { blocks: MOST_HELD, ms: Number.POSITIVE_INFINITY },
    now: () => 0,
    elapsed,
    onFailure: () => undefined,
  })
  let connections: Connections | undefined

  async function direct(request: RequestInit): Promise<Response['value']> {
    const { value } = fromBinary(RequestSchema, toBinary(RequestSchema, create(RequestSchema, { value: request })))
    const response = await application!(value)
    if (response.value.case === 'exception') throw new Stopped(response.value.value.error)
    return response.value
  }

  async function send(requests: readonly RequestInit[]): Promise<Response['value'][]> {
    if (mount.isKilled()) throw new Killed('the process has ended')
    try {
      if (!sockets) {
        const answers: Response['value'][] = []
        for (const request of requests) answers.push(await direct(request))
        return answers
      }
      connections ??= await openConnections(application!)
      return await connections.send(requests)
    } catch (error) {
      if (mount.isKilled()) throw new Killed('at a write')
      throw error instanceof Stopped ? error : new Stopped(error instanceof Error ? error.message : String(error))
    }
  }

  async function close(): Promise<void> {
    disconnect()
    await comet.stop()
    await store.close()
  }

  function disconnect(): void {
    connections?.close()
    connections = undefined
  }

  return {
    executor,
    comet,
    call: async (request) => (await send([request]))[0]!,
    callAll: send,
    disconnect,
    async kill() {
      mount.kill()
      await close()
    },
    async stop() {
      try {
        await close()
      } catch (error) {
        if (mount.isKilled()) throw new Killed('while it stopped')
        throw error
      }
    },
  }
}
