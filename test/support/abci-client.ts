/** One ABCI connection of an engine, to an address `unix://PATH`. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { createFrameReader, frameOf } from '../../src/consensus/cometbft/frames.ts'
import { type Request, RequestSchema, type Response, ResponseSchema } from '../../src/gen/tendermint/abci/types_pb.ts'

type Kind = NonNullable<Request['value']['case']>
type Answer<K extends Kind> = Extract<Response['value'], { readonly case: K }>['value']
type Question<K extends Kind> = Extract<Request['value'], { readonly case: K }>['value']

export interface AbciClient {
  /** Asks, and resolves with the answer. Rejects with the text of an exception. */
  ask<K extends Kind>(kind: K, value: Partial<Omit<Question<K>, '$typeName' | '$unknown'>>): Promise<Answer<K>>
  close(): void
}

/** Connects. Rejects if nobody listens. */
export async function openAbci(path: string): Promise<AbciClient> {
  const socket = connect(path)
  await once(socket, 'connect')
  const reader = createFrameReader()
  const waiting: ((response: Response) => void)[] = []
  socket.on('data', (bytes) => {
    for (const frame of reader.push(bytes)) waiting.shift()?.(fromBinary(ResponseSchema, frame))
  })
  return {
    async ask(kind, value) {
      const request = create(RequestSchema, { value: { case: kind, value } as never })
      const { value: answer } = await new Promise<Response>((resolve) => {
        waiting.push(resolve)
        socket.write(frameOf(toBinary(RequestSchema, request)))
      })
      if (answer.case === 'exception') throw new Error(answer.value.error)
      return answer.value as never
    },
    close: () => void socket.destroy(),
  }
}
