import { expect, test } from 'vitest'
import { concat, encodeUint, formatHex, hex } from '../../../primitives/bytes.ts'
import { earlyP256Precompile } from './early-p256.ts'

/** FIPS 186 sample of RFC 6979 A.2.5: key of P-256, SHA-256 of "sample". */
const QUESTION = concat(
  hex('af2bdbe1aa9b6ec1e2ade1d694f41fc71a831d0268e9891562113d8a62add1bf'),
  hex('efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716'),
  hex('f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8'),
  hex('60fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6'),
  hex('7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299'),
)

test('verification returns true or false in 32 bytes, and input of another length fails', () => {
  const answer = (input: Uint8Array) => {
    const output = earlyP256Precompile.run(input)
    return output && formatHex(output)
  }
  expect(answer(QUESTION)).toBe(formatHex(encodeUint(1n, 32)))
  expect(answer(concat(hex('00'.repeat(32)), QUESTION.subarray(32)))).toBe('00'.repeat(32))
  expect([answer(QUESTION.subarray(1)), answer(new Uint8Array(0))]).toEqual([undefined, undefined])
  expect(earlyP256Precompile.gas(QUESTION)).toBe(3400n)
})
