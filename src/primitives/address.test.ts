import { bech32 } from '@scure/base'
import { expect, test } from 'vitest'
import * as address from './address.ts'
import { formatHex, hex, utf8 } from './bytes.ts'
import { readEvm } from './evm-address.ts'

test('module accounts have the addresses of the chain', () => {
  expect(formatHex(address.ofModule('fee_collector'))).toBe('f1829676db577682e944fc3493d451b67ff3e29f')
  expect(address.formatBech32('chain', address.ofModule('gov'))).toBe('chain10d07y265gmmuvt4z0w9aw880jnsr700j0q8wax')
  expect(address.formatEip55(address.ofModule('evm'))).toBe('0x603871c2ddd41c26Ee77495E2E31e6De7f9957e0')
})

test('a key has the Cosmos and the Ethereum address that wallets show', () => {
  const key = hex('028768753c35e03391bd60988496c8239e533acb21f60046036d098fa21bf30eb3')
  expect(address.formatBech32('chain', address.ofSecp256k1(key))).toBe('chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57')
})

test('a consensus address is the first 20 bytes of the hash of its key', () => {
  const key = hex('6ec2a51822fba17c23db4abc276ac2fe0a4621323b49d0d82dfbc65b579e2dea')
  expect(address.formatBech32('chainvalcons', address.ofEd25519(key))).toBe(
    'chainvalcons1zgvk8lrmchu572tc76m6pqk3yclw0a0yg922j7',
  )
})

test('an EVM address in a message is 20 bytes, or the text of an address, or ends in one', () => {
  const evm = '5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
  const read = (bytes: Uint8Array) => formatHex(readEvm(bytes))
  for (const given of [hex(evm), utf8(evm), utf8(`0x${evm}`), utf8(` 0X${evm.toUpperCase()}\n`)]) {
    expect(read(given)).toBe(evm)
  }
  expect(read(hex(`00${evm}`))).toBe(evm)
  expect(read(hex(`ff${evm}`))).toBe(evm)
  expect(read(hex('0102'))).toBe(`${'00'.repeat(18)}0102`)
  expect(read(new Uint8Array(0))).toBe('00'.repeat(20))
  // Not the text of an address: its last 20 characters are the address.
  expect(read(utf8(`0x${evm}0`))).toBe(formatHex(utf8(`0x${evm}0`).slice(-20)))
  expect(read(utf8('twenty characters ok'))).toBe(formatHex(utf8('twenty characters ok')))
})

test('Bech32 text decodes to prefix and bytes, or to a reason', () => {
  expect(address.decodeBech32('chain1t2htvpfl862vnwdqnuekd9p4ulh3h6hdz42v2g')).toEqual({
    prefix: 'chain',
    bytes: hex('5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'),
  })
  expect(address.decodeBech32('chain1t2htvpfl862vnwdqnuekd9p4ulh3h6hdz42v2h')).toHaveProperty('reason')
  expect(address.decodeBech32('nothing')).toHaveProperty('reason')
})

// Texts from transaction results of the reference chain.
test('the reason why Bech32 is invalid is in the words of the chain', () => {
  const reason = (text: string) => (address.decodeBech32(text) as { readonly reason: string }).reason
  expect(reason('nonsense')).toBe('invalid separator index -1')
  expect(reason('abcd')).toBe('invalid bech32 string length 4')
  expect(reason('nibi1erx')).toBe('invalid separator index 4')
  expect(reason('nibi17w0adeg64ky0daxwd2ugyuneellmjgnx5cltzq')).toBe('invalid checksum (expected 5cltzn got 5cltzq)')
  expect(reason('Nibi17w0adeg64ky0daxwd2ugyuneellmjgnx5cltzn')).toBe('string not all lowercase or all uppercase')
  expect(reason('nibi17w0adeg64ky0daxwd2ugyuneellmjgnx5cltzb')).toBe('invalid character not part of charset: 98')
})

test('EVM addresses parse in any case, with or without 0x, and only with 20 bytes', () => {
  expect(address.parseEvm('5AAEB6053F3E94C9B9A09F33669435E7EF1BEAED')).toHaveLength(20)
  expect(address.parseEvm('0x5aAeb6')).toBeUndefined()
})

test('Bech32 text equals that of the library for every prefix and length', () => {
  for (let length = 1; length <= 255; length += 7) {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 37 + length) & 0xff)
    for (const prefix of ['chain', 'chainvaloper', 'other', 'a']) {
      const text = address.formatBech32(prefix, bytes)
      expect(text).toBe(bech32.encode(prefix, bech32.toWords(bytes), 1023))
      for (let again = 0; again < 2; again++) expect(address.decodeBech32(text)).toEqual({ prefix, bytes })
      expect(address.formatBech32(prefix, bytes)).toBe(text)
    }
  }
})

test('each call returns its own copy of the address bytes', () => {
  const text = 'chain1t2htvpfl862vnwdqnuekd9p4ulh3h6hdz42v2g'
  const first = address.decodeBech32(text) as address.Bech32Parts
  first.bytes.fill(0)
  expect(address.decodeBech32(text)).toHaveProperty('bytes', hex('5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'))
})
