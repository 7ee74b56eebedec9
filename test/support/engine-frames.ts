/** Frames between an engine and its application, each with its message as hexadecimal digits. */
import { fromBinary, toBinary } from '@bufbuild/protobuf'
import { RequestSchema, ResponseSchema } from '../../src/gen/tendermint/abci/types_pb.ts'
import { formatHex, hex } from '../../src/primitives/bytes.ts'

export interface EngineFrame {
  readonly direction: 'request' | 'response'
  readonly hex: string
}

/** Decodes a frame, and returns the name of its message and its bytes as this node encodes them. */
export function encodedAgain({ direction, hex: text }: EngineFrame): { readonly kind: string; readonly hex: string } {
  if (direction === 'request') {
    const request = fromBinary(RequestSchema, hex(text))
    return { kind: request.value.case ?? 'none', hex: formatHex(toBinary(RequestSchema, request)).toLowerCase() }
  }
  const response = fromBinary(ResponseSchema, hex(text))
  return { kind: response.value.case ?? 'none', hex: formatHex(toBinary(ResponseSchema, response)).toLowerCase() }
}
