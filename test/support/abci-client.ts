/** One ABCI connection of an engine, to an address `unix://PATH`. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { createFrameReader, frameOf } from '../../src/consensus/cometbft/frames.ts'
import { RequestSchema, type Response, ResponseSchema } from '../../src/gen/tendermint/abci/types_pb.ts'

type Request = NonNullable<MessageInitShape<typeof RequestSchema>['value']>
type Kind = Exclude<Response['value']['case'] & Request['case'], undefined>
type Answer<K extends Kind> = Extract<Response['value'], { readonly case: K }>['value']
type Question<K extends Kind> = Extract<Request, { readonly case: K }>['value']

export interface AbciClient {
  /** Asks with a flush behind it, as an engine does, and resolves with the answer. Rejects with the text of an exception. */
  ask<K extends Kind>(kind: K, value: Question<K>): Promise<Answer<K>>
  close(): void
}

const frame = (value: Request): Uint8Array => frameOf(toBinary(RequestSchema, create(RequestSchema, { value })))
const FLUSH = frame({ case: 'flush', value: {} })

/** Connects. Rejects if nobody listens. */
export async function openAbci(path: string): Promise<AbciClient> {
  const socket = connect(path)
  await once(socket, 'connect')
  const reader = createFrameReader()
  const waiting: ((response: Response['value']) => void)[] = []
  socket.on('data', (bytes) => {
    for (const answer of reader.push(bytes)) {
      const { value } = fromBinary(ResponseSchema, answer)
      if (value.case !== 'flush') waiting.shift()?.(value)
    }
  })
  return {
    async ask(kind, value) {
      const answer = await new Promise<Response['value']>((resolve) => {
        waiting.push(resolve)
        socket.write(Buffer.concat([frame({ case: kind, value } as Request), FLUSH]))
      })
      if (answer.case === 'exception') throw new Error(answer.value.error)
      return answer.value as never
    },
    close: () => void socket.destroy(),
  }
}
