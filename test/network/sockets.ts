/** The four connections of an engine to an application, over a real socket. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import type { Application } from '../../src/consensus/cometbft/application.ts'
import { createFrameReader, frameOf } from '../../src/consensus/cometbft/frames.ts'
import { serveAbci } from '../../src/consensus/cometbft/server.ts'
import { RequestSchema, type Response, ResponseSchema } from '../../src/gen/tendermint/abci/types_pb.ts'
import type { RequestInit } from './requests.ts'

export interface Connections {
  /** Sends requests of one connection at once, with a flush at their end. Rejects if the application answers an exception. */
  send(requests: readonly RequestInit[]): Promise<Response['value'][]>
  close(): void
}

/** Length of a part of a frame that is sent by itself: frames arrive in any number of parts. */
const PART_BYTES = 700

interface Connection {
  readonly socket: Socket
  send(request: RequestInit): Promise<Response['value']>
}

async function open(path: string): Promise<Connection> {
  const socket = connect(path)
  await once(socket, 'connect')
  socket.setNoDelay(true)
  const reader = createFrameReader()
  const waiting: { readonly resolve: (value: Response['value']) => void; readonly reject: (error: Error) => void }[] =
    []
  socket.on('data', (chunk: Buffer) => {
    for (const bytes of reader.push(chunk)) {
      const { value } = fromBinary(ResponseSchema, bytes)
      const { resolve, reject } = waiting.shift()!
      if (value.case === 'exception') reject(new Error(value.value.error))
      else resolve(value)
    }
  })
  const fail = (): void => {
    for (const { reject } of waiting.splice(0)) reject(new Error('the application closed the connection'))
  }
  socket.on('close', fail)
  socket.on('error', fail)
  return {
    socket,
    send(request) {
      const bytes = frameOf(toBinary(RequestSchema, create(RequestSchema, { value: request })))
      for (let at = 0; at < bytes.length; at += PART_BYTES) socket.write(bytes.subarray(at, at + PART_BYTES))
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    },
  }
}

const NAMES = ['query', 'snapshot', 'mempool', 'consensus'] as const

function nameOf({ case: one }: RequestInit): (typeof NAMES)[number] {
  if (one === 'info' || one === 'query') return 'query'
  return one === 'checkTx' ? 'mempool' : 'consensus'
}

/** Serves an application on a socket, and connects to it as an engine does. */
export async function openConnections(application: Application): Promise<Connections> {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-network-'))
  const path = join(folder, 'abci.sock')
  const ignore = (): undefined => undefined
  const server = await serveAbci({ address: `unix://${path}`, application, onFailure: ignore, onBadClient: ignore })
  const opened = new Map<string, Connection>()
  for (const name of NAMES) opened.set(name, await open(path))
  return {
    async send(requests) {
      if (requests.length === 0) return []
      const connection = opened.get(nameOf(requests[0]!))!
      const answers = [...requests, { case: 'flush', value: {} } satisfies RequestInit].map(connection.send)
      const found = await Promise.all(answers)
      for (const [i, { case: one }] of found.entries()) {
        const asked = requests[i]?.case ?? 'flush'
        if (one !== asked) throw new Error(`the answer to ${asked} is ${one}`)
      }
      return found.slice(0, -1)
    },
    close() {
      for (const { socket } of opened.values()) socket.destroy()
      void server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
