import { expect, test } from 'vitest'
import { hashKey } from './key-hash.ts'

/** Hashes of 0, 1, 2 … bytes 00 01 02 … with the secret 00 … 07. Source: Linux, lib/test_siphash.c, 32 bits. */
const KNOWN = [
  ...[0x5814c896, 0xe7e864ca, 0xbc4b0e30, 0x01539939, 0x7e059ea6, 0x88e3d89b, 0xa0080b65, 0x9d38d9d6, 0x577999b1],
  ...[0xc839caed, 0xe4fa32cf, 0x959246ee, 0x6b28096c, 0x66dd9cd6, 0x16658a7c, 0xd0257b04, 0x8b31d501, 0x2b1cd04b],
]

test('hashes equal those of the Linux kernel, at any offset', () => {
  for (const lead of [0, 3]) {
    const bytes = Uint8Array.from({ length: 40 }, (_, i) => Math.max(0, i - lead))
    const hashes = KNOWN.map((_, length) => hashKey(bytes, lead, length, [0x03020100, 0x07060504]) >>> 0)
    expect(hashes).toEqual(KNOWN)
  }
})
