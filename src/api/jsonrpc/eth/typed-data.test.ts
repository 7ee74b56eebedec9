import { expect, test } from 'vitest'
import { formatHex0x, utf8 } from '../../../primitives/bytes.ts'
import { messageHash, typedDataHash, typedDataHashV1, typedDataHashV3 } from './typed-data.ts'

const mail = {
  types: {
    EIP712Domain: [
      { name: 'name', type: 'string' },
      { name: 'version', type: 'string' },
      { name: 'chainId', type: 'uint256' },
      { name: 'verifyingContract', type: 'address' },
    ],
    Person: [
      { name: 'name', type: 'string' },
      { name: 'wallet', type: 'address' },
    ],
    Mail: [
      { name: 'from', type: 'Person' },
      { name: 'to', type: 'Person' },
      { name: 'contents', type: 'string' },
    ],
  },
  primaryType: 'Mail',
  domain: {
    name: 'Ether Mail',
    version: '1',
    chainId: 1,
    verifyingContract: '0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC',
  },
  message: {
    from: { name: 'Cow', wallet: '0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826' },
    to: { name: 'Bob', wallet: '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB' },
    contents: 'Hello, Bob!',
  },
}

test('the example of EIP-712 has the hash of EIP-712, as an object and as text', () => {
  const expected = '0xbe609aee343fb3c4b28e1df9e632fca64fcfaede20f02e86244efddf30957bd2'
  expect(formatHex0x(typedDataHash(mail))).toBe(expected)
  expect(formatHex0x(typedDataHash(JSON.stringify(mail)))).toBe(expected)
})

test('a personal message is hashed with its prefix', () => {
  // ethers' hashMessage('hello world')
  expect(formatHex0x(messageHash(utf8('hello world')))).toBe(
    '0xd9eba16ed0ecae432b71fe008c98cc872bb4cc214d3220a36f365326cf807d68',
  )
})

test('typed data that does not fit its types is refused', () => {
  const message = { ...mail.message, from: { name: 'Cow', wallet: '0x12' } }
  expect(() => typedDataHash({ ...mail, message })).toThrow("invalid value for 'address'")
  expect(() => typedDataHash({ ...mail, message: {} })).toThrow("no value for 'Mail.from'")
  expect(() => typedDataHash({ ...mail, primaryType: 'Nothing' })).toThrow("type 'Nothing' is not defined")
  expect(() => typedDataHash('{')).toThrow('typed data is not JSON')
  const ring = { ...mail, types: { ...mail.types, Mail: [{ name: 'from', type: 'Mail' }] } }
  let nested: unknown = {}
  for (let i = 0; i < 100; i++) nested = { from: nested }
  expect(() => typedDataHash({ ...ring, message: nested })).toThrow('typed data is nested too deeply')
})

test('v3 has the hash of v4 for data without arrays, and refuses arrays by the name of their field', () => {
  expect(typedDataHashV3(mail)).toEqual(typedDataHash(mail))
  const types = { ...mail.types, Mail: [{ name: 'to', type: 'Person[]' }] }
  const message = { to: [mail.message.to] }
  expect(typedDataHash({ ...mail, types, message })).toHaveLength(32)
  expect(() => typedDataHashV3({ ...mail, types, message })).toThrow("'Mail.to' is an array, which v3 does not encode")
})

test('typed data without a version is that of EIP-712; the list of the first wallets is refused with the reason', () => {
  expect(typedDataHashV1(JSON.stringify(mail))).toEqual(typedDataHash(mail))
  expect(() => typedDataHashV1([{ type: 'string', name: 'message', value: 'Hi' }])).toThrow(
    'a list of values has no domain',
  )
})
