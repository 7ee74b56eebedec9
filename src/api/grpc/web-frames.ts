/** The frames of gRPC-web: a flag, a length and a message or the trailers; as bytes, or as base64 text. */
import { queryError } from '../../primitives/errors.ts'
import type { CallAnswer, CallFailure } from './call.ts'

const HEAD_BYTES = 5
const COMPRESSED = 0x01
const TRAILERS = 0x80
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** Returns the encoding of a request's content type: `binary` or `text`; undefined if it is not gRPC-web with protobuf. */
export function encodingOf(contentType: string | undefined): 'binary' | 'text' | undefined {
  const match = /^application\/grpc-web(-text)?(?:\+proto)?\s*(?:;|$)/i.exec(contentType ?? '')
  if (!match) return undefined
  return match[1] === undefined ? 'binary' : 'text'
}

/** Returns the message of a request, which has one. Throws `invalidArgument`, and `unimplemented` for a compressed message. */
export function readMessage(body: Buffer, isText: boolean): Buffer {
  const bytes = isText ? decodeText(body) : body
  if (bytes.length < HEAD_BYTES) throw queryError('invalidArgument', 'the request has no whole gRPC-web frame')
  if (bytes[0] === COMPRESSED) throw queryError('unimplemented', 'compressed messages are not supported')
  const length = bytes.readUInt32BE(1)
  const rest = bytes.length - HEAD_BYTES
  if (bytes[0] !== 0 || rest !== length) {
    throw queryError('invalidArgument', `expected one frame with a message of ${rest} bytes, got ${frameText(bytes)}`)
  }
  return bytes.subarray(HEAD_BYTES)
}

const frameText = (bytes: Buffer): string => `flag ${bytes[0]} and length ${bytes.readUInt32BE(1)}`

function decodeText(body: Buffer): Buffer {
  const text = body.toString('latin1')
  if (text.length % 4 !== 0 || !BASE64.test(text)) throw queryError('invalidArgument', 'the request is not base64 text')
  return Buffer.from(text, 'base64')
}

/** Returns a message as a frame. */
export function messageFrame(message: Buffer): Buffer {
  return frame(0, message)
}

/** Returns the last frame of an answer: the status, and the details of a failure. */
export function trailersFrame(failure?: CallFailure): Buffer {
  const lines = [`grpc-status:${failure?.code ?? 0}`]
  if (failure) lines.push(`grpc-message:${percentEncode(failure.details)}`)
  if (failure?.status) lines.push(`grpc-status-details-bin:${Buffer.from(failure.status).toString('base64')}`)
  return frame(TRAILERS, Buffer.from(`${lines.join('\r\n')}\r\n`, 'latin1'))
}

/** Returns the frames of the answer to a unary call. */
export function answerFrames(answer: CallAnswer): Buffer {
  if ('failure' in answer) return trailersFrame(answer.failure)
  return Buffer.concat([messageFrame(answer.bytes), trailersFrame()])
}

function frame(flag: number, content: Buffer): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head[0] = flag
  head.writeUInt32BE(content.length, 1)
  return Buffer.concat([head, content])
}

/** Encodes a message as gRPC does: each byte but printable ASCII, and `%`, by its two digits. */
function percentEncode(text: string): string {
  let encoded = ''
  for (const byte of Buffer.from(text, 'utf8')) {
    const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x25
    encoded += isPlain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}
