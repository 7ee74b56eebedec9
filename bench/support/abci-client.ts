/** A client of ABCI in place of the engine: it asks, and measures nothing. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { createFrameReader, frameOf } from '../../src/consensus/cometbft/frames.ts'
import { RequestSchema, type Response, ResponseSchema } from '../../src/gen/tendermint/abci/types_pb.ts'

type Ask = NonNullable<MessageInitShape<typeof RequestSchema>['value']>
type Kind = Exclude<Response['value']['case'], undefined>
type Answer<K extends Kind> = Extract<Response['value'], { case: K }>['value']

export interface AbciClient {
  /** Sends a request with a flush behind it, as the engine does. Rejects with the application's exception. */
  ask<K extends Kind>(request: Ask & { readonly case: K }): Promise<Answer<K>>
  close(): void
}

async function open(path: string) {
  for (;;) {
    try {
      const socket = connect(path)
      await once(socket, 'connect')
      return socket
    } catch {
      await wait(20)
    }
  }
}

/** Connects to the socket of an application once it listens. */
export async function connectAbci(path: string): Promise<AbciClient> {
  const socket = await open(path)
  const reader = createFrameReader()
  const waiting: { resolve(value: unknown): void; reject(error: Error): void }[] = []
  socket.on('data', (chunk) => {
    for (const bytes of reader.push(chunk)) {
      const { value: answer } = fromBinary(ResponseSchema, bytes)
      if (answer.case === 'flush') continue
      const asked = waiting.shift()!
      if (answer.case === 'exception') asked.reject(new Error(answer.value.error))
      else asked.resolve(answer.value)
    }
  })
  const frame = (value: Ask): Uint8Array => frameOf(toBinary(RequestSchema, create(RequestSchema, { value })))
  const flush = frame({ case: 'flush', value: {} })
  return {
    ask: (request) =>
      new Promise((resolve, reject) => {
        waiting.push({ resolve: resolve as (value: unknown) => void, reject })
        socket.write(Buffer.concat([frame(request), flush]))
      }),
    close: () => void socket.destroy(),
  }
}
