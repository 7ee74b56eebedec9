/** The ABCI sockets of a node that still opens its chain, learns it from the engine, or restores its state from peers. */
import { create } from '@bufbuild/protobuf'
import type { GenesisDocument } from '../../app/types.ts'
import { ResponseSchema } from '../../gen/tendermint/abci/types_pb.ts'
import type { Application } from './application.ts'
import { genesisOf } from './genesis.ts'
import type { StateReceiver } from './receive-state.ts'
import { type AbciServer, serveAbci } from './server.ts'

/** Name and version of the application, which Info answers. */
interface Software {
  readonly data: string
  readonly version: string
}

export interface EngineSocket {
  readonly address: string
  /** The document of the engine's InitChain. */
  readonly genesis: Promise<GenesisDocument>
  /**
   * Lets the engine offer snapshots. Resolves when one has been restored, or when the engine begins the chain; later requests
   * wait for `attach`.
   */
  receiveState(receiver: StateReceiver, software: Software): Promise<'restored' | 'begins'>
  /** Serves the engine with an application; requests that wait are answered then. */
  attach(application: Application): void
  close(): Promise<void>
}

interface SocketOptions {
  /** `tcp://HOST:PORT` or `unix://PATH`. */
  readonly address: string
  /** Name and version of the application. Present if the chain begins with the engine's document: Info is then answered before. */
  readonly begins?: Software | undefined
  readonly onFailure: (error: unknown) => void
  readonly onBadClient: (error: unknown) => void
}

/** Serves requests with the application that is set. */
function createSwitch(): {
  /** Answers a request; without an application it waits. */
  readonly serve: Application
  /** Answers a request with the next application. */
  readonly later: Application
  set(application: Application | undefined): void
} {
  let current: Application | undefined
  let waiting: (() => void)[] = []
  const later: Application = (request) =>
    new Promise<void>((resolve) => waiting.push(resolve)).then(() => serve(request))
  const serve: Application = (request) => (current ?? later)(request)
  return {
    serve,
    later,
    set(application) {
      current = application
      if (!application) return
      const due = waiting
      waiting = []
      for (const resolve of due) resolve()
    },
  }
}

/** Opens the sockets. Rejects as `serveAbci`. */
export async function openEngineSocket({ begins, ...options }: SocketOptions): Promise<EngineSocket> {
  const { serve, later, set } = createSwitch()
  let isAttached = false
  let learn: (document: GenesisDocument) => void = () => undefined
  const genesis = new Promise<GenesisDocument>((resolve) => {
    learn = resolve
  })
  const infoOf = (value: Software) => create(ResponseSchema, { value: { case: 'info', value } })

  const early: Application = (request) => {
    switch (request.case) {
      case 'echo':
        return create(ResponseSchema, { value: { case: 'echo', value: { message: request.value.message } } })
      case 'flush':
        return create(ResponseSchema, { value: { case: 'flush', value: {} } })
      case 'info':
        if (begins) return infoOf(begins)
        break
      case 'initChain':
        if (begins) learn(genesisOf(request.value))
    }
    return serve(request)
  }

  function receiveState(receiver: StateReceiver, software: Software): Promise<'restored' | 'begins'> {
    return new Promise((resolve) => {
      const end = (reason: 'restored' | 'begins'): void => {
        set(undefined)
        resolve(reason)
      }
      set((request) => {
        switch (request.case) {
          case 'info':
            return infoOf(software)
          case 'listSnapshots':
            return create(ResponseSchema, { value: { case: 'listSnapshots', value: {} } })
          case 'offerSnapshot':
            return receiver.offer(request.value)
          case 'applySnapshotChunk':
            return receiver.apply(request.value).then((answer) => {
              if (receiver.isDone()) end('restored')
              return answer
            })
          case 'initChain':
            end('begins')
            return serve(request)
          default:
            return later(request)
        }
      })
    })
  }

  const server: AbciServer = await serveAbci({
    ...options,
    application: (request) => (isAttached ? serve : early)(request),
  })
  return {
    address: server.address,
    genesis,
    receiveState,
    attach(application) {
      isAttached = true
      set(application)
    },
    close: server.close,
  }
}
