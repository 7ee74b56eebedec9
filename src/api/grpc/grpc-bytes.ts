/** gRPC methods whose messages stay bytes, so that this node, not the library, answers malformed ones. */
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

/** Encodes a message into a buffer, without a copy. */
export function encodeBuffer(schema: DescMessage, message: Message): Buffer {
  const bytes = toBinary(schema, message)
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
