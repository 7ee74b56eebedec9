/** gRPC methods whose requests and responses stay bytes, so that malformed ones are answered by our own rules. */
import { type DescMessage, type Message, toBinary } from '@bufbuild/protobuf'
import type { MethodDefinition } from '@grpc/grpc-js'

export function bytesMethod(
  path: string,
  streams: { readonly request: boolean; readonly response: boolean },
): MethodDefinition<Buffer, Buffer> {
  const same = (bytes: Buffer) => bytes
  return {
    path,
    requestStream: streams.request,
    responseStream: streams.response,
    requestSerialize: same,
    requestDeserialize: same,
    responseSerialize: same,
    responseDeserialize: same,
  }
}

/** Encoded without a copy. */
export function encodeBuffer(schema: DescMessage, message: Message): Buffer {
  const bytes = toBinary(schema, message)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
