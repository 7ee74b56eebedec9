import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { formatHex, utf8 } from '../primitives/bytes.ts'
import { blocksOf, createHasher, LANE_BYTES, MAX_LANE_MESSAGE, MAX_MESSAGE, MESSAGE_BYTES } from './sha256.ts'

const OUT = MESSAGE_BYTES

test('the digest of "abc" is that of FIPS 180-4', () => {
  const hasher = createHasher()
  hasher.bytes().set(utf8('abc'))
  hasher.digest(3, OUT)
  expect(formatHex(hasher.bytes().slice(OUT, OUT + 32))).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  )
})

test('digests of every length up to several blocks, and of the longest, are those of another implementation', () => {
  const hasher = createHasher()
  const message = Uint8Array.from({ length: MAX_MESSAGE }, (_, i) => (i * 31 + 7) & 0xff)
  for (const length of [...Array(300).keys(), MAX_MESSAGE]) {
    hasher.bytes().set(message.subarray(0, length))
    hasher.digest(length, OUT)
    const expected = createHash('sha256').update(message.subarray(0, length)).digest('hex')
    expect(formatHex(hasher.bytes().slice(OUT, OUT + 32))).toBe(expected)
  }
})

test('four lanes at once give the digests that each gives alone, after the memory has grown too', () => {
  const hasher = createHasher()
  hasher.grow(200_000)
  expect(hasher.bytes().length).toBeGreaterThanOrEqual(200_000)
  const outs = [199_000, OUT + 96, OUT + 32, OUT + 64] as const
  const byte = (i: number) => (i * 131 + 17) & 0xff
  const digests = () => outs.map((out) => formatHex(hasher.bytes().slice(out, out + 32)))
  for (let length = 0; length <= MAX_LANE_MESSAGE; length++) {
    const messages = outs.map((_out, lane) => Uint8Array.from({ length }, (_, i) => byte(i + lane)))
    for (const [lane, message] of messages.entries()) {
      hasher.bytes().set(message, lane * LANE_BYTES)
      hasher.endLane(lane, length)
    }
    hasher.digestLanes(blocksOf(length), ...outs)
    expect(digests()).toEqual(messages.map((message) => createHash('sha256').update(message).digest('hex')))
  }
  const pairs = Uint8Array.from({ length: 256 }, (_, i) => byte(i))
  hasher.bytes().set(pairs, 12_000)
  for (let length = 3; length <= 21; length++) {
    const expected = outs.map((_out, lane) => {
      const head = Uint8Array.from({ length: length - (lane % 2) }, (_, i) => byte(i + lane))
      const [left, right] = [12_000 + lane * 32, 12_128 + lane * 32]
      hasher.bytes().set(head, lane * LANE_BYTES)
      hasher.endLaneWithPair(lane, head.length, left, right)
      const digest = (at: number) => pairs.slice(at - 12_000, at - 12_000 + 32)
      const hash = createHash('sha256').update(head)
      return hash.update(' ').update(digest(left)).update(' ').update(digest(right)).digest('hex')
    })
    hasher.digestLanes(2, ...outs)
    expect(digests()).toEqual(expected)
  }
})
