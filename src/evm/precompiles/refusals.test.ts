import { expect, test } from 'vitest'
import { EVALUATION } from '../../../test/support/evm/hostile-precompiles.ts'
import { CONTRACT, machine } from '../../../test/support/evm/machine.ts'
import { encodeUint } from '../../primitives/bytes.ts'
import { rulesOf } from '../forks.ts'
import { standardPrecompiles } from './index.ts'

const precompiles = standardPrecompiles(rulesOf('Osaka'))

/** Returns the error of a call of a precompile. */
function refusal(address: number, input: Uint8Array): string | undefined {
  const { evm } = machine({ precompiles })
  const to = encodeUint(BigInt(address), 20)
  return evm.call({ caller: CONTRACT, to, valueWei: 0n, data: input, gas: 10_000_000n }).error
}

const bytes = (length: number, at?: number, value = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => (i === at ? value : 0))

test('a precompile that refuses its input has the error of geth', () => {
  const long = new Uint8Array(96)
  long.set(encodeUint(1025n, 32), 0)
  expect(refusal(0x05, long)).toBe('one or more of base/exponent/modulus length exceeded 1024 bytes')
  expect(refusal(0x06, bytes(128, 31))).toBe('bn256: malformed point')
  expect(refusal(0x06, bytes(128, 64, 0xff))).toBe('bn256: coordinate exceeds modulus')
  expect(refusal(0x07, bytes(96, 31))).toBe('bn256: malformed point')
  expect(refusal(0x08, bytes(191))).toBe('bad elliptic curve pairing size')
  expect(refusal(0x08, bytes(192, 31))).toBe('bn256: malformed point')
  expect(refusal(0x09, bytes(212))).toBe('invalid input length')
  expect(refusal(0x09, bytes(213, 212, 2))).toBe('invalid final flag')
  expect(refusal(0x0a, bytes(191))).toBe('invalid input length')
  expect(refusal(0x0a, bytes(192))).toBe('mismatched versioned hash')
  // The evaluation differs from the proven one.
  const wrong = EVALUATION.slice()
  wrong[95]! ^= 1
  expect(refusal(0x0a, wrong)).toBe('error verifying kzg proof')
  for (const address of [0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11])
    expect(refusal(address, bytes(31))).toBe('invalid input length')
  expect(refusal(0x0b, bytes(256, 64))).toBe('invalid field element top bytes')
  // The scalar can have any value.
  expect(refusal(0x0c, bytes(160, 128, 0xff))).toBeUndefined()
  expect(refusal(0x0b, bytes(256, 63))).toBe('precompile failed')
})

test('accepted input has no error, and too little gas is out of gas', () => {
  expect(refusal(0x06, bytes(0))).toBeUndefined()
  const { evm } = machine({ precompiles })
  const to = encodeUint(6n, 20)
  const { error } = evm.call({ caller: CONTRACT, to, valueWei: 0n, data: bytes(128, 31), gas: 149n })
  expect(error).toBe('out of gas')
})
