import { expect, test } from 'vitest'
import { createFrameReader, frameOf } from './frames.ts'

const messages = [0, 1, 127, 128, 300, 70_000].map((length) => new Uint8Array(length).fill(length & 0xff))

test('a frame begins with its length as an unsigned varint', () => {
  expect(frameOf(new Uint8Array(1))).toEqual(Uint8Array.of(1, 0))
  expect(frameOf(new Uint8Array(300)).subarray(0, 3)).toEqual(Uint8Array.of(0xac, 0x02, 0))
})

test.each([1, 2, 3, 7, 1000, 65_536, 1 << 20])('messages arrive whole and in order in chunks of %d bytes', (size) => {
  const bytes = Buffer.concat(messages.map(frameOf))
  const reader = createFrameReader()
  const received: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) {
    for (const message of reader.push(bytes.subarray(at, at + size))) received.push(Uint8Array.from(message))
  }
  expect(received.map((one) => Buffer.from(one).equals(messages[received.indexOf(one)]!))).toEqual(
    messages.map(() => true),
  )
})

test('a frame that is not complete gives nothing, and the next ones are not lost', () => {
  const reader = createFrameReader()
  const bytes = Buffer.concat([frameOf(Uint8Array.of(1, 2, 3)), frameOf(Uint8Array.of(4))])
  expect(reader.push(bytes.subarray(0, 3))).toEqual([])
  expect(reader.push(new Uint8Array(0))).toEqual([])
  expect(reader.push(bytes.subarray(3)).map((one) => [...one])).toEqual([[1, 2, 3], [4]])
  expect(reader.push(bytes.subarray(0, 1))).toEqual([])
})

test('the longest length is awaited, and holds only what has arrived', () => {
  const reader = createFrameReader()
  expect(reader.push(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x07))).toEqual([])
  expect(reader.push(new Uint8Array(100))).toEqual([])
})

test('a negative length is no message', () => {
  const minusOne = new Uint8Array(10).fill(0xff).with(9, 0x01)
  expect(() => createFrameReader().push(minusOne)).toThrow('not a varint')
})

test('a message of 22 MiB in chunks of 64 KiB is assembled once', () => {
  const size = 22 * 1024 * 1024
  const bytes = frameOf(new Uint8Array(size).fill(7))
  const reader = createFrameReader()
  const before = process.cpuUsage()
  let received: Uint8Array | undefined
  for (let at = 0; at < bytes.length; at += 65_536)
    received = reader.push(bytes.subarray(at, at + 65_536))[0] ?? received
  expect(received?.length).toBe(size)
  // Joining the chunks again with each one copies 4 GB, which takes seconds of processor time.
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1e6).toBeLessThan(2)
})

test('a length of 2^31 or more, and one that never ends, are no messages', () => {
  expect(() => createFrameReader().push(Uint8Array.of(0x80, 0x80, 0x80, 0x80, 0x08))).toThrow('not a varint')
  expect(() => createFrameReader().push(new Uint8Array(6).fill(0xff))).toThrow('not a varint')
})
