import { expect, test } from 'vitest'
import { describeTransaction } from './tx-decode.ts'

/** The example of EIP-155. */
const sample =
  '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'

test('shows the sender, hash and intrinsic gas of a transaction', () => {
  expect(describeTransaction(sample, 'Osaka')).toEqual({
    sender: '0x9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f',
    hash: '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788',
    intrinsicGas: '0x5208',
  })
})

test.each([
  ['invalid hexadecimal', 'zz', 'not hexadecimal'],
  ['an empty transaction', '0x', 'malformed transaction: no bytes'],
  ['an unknown type', '0x0f00', 'transaction type not supported'],
])('%s is reported as an error and does not exit', (_, text, error) => {
  expect(describeTransaction(text, 'Osaka')).toEqual({ error })
})

test('validates by the rules of the fork, and by the chain id if one is set', () => {
  expect(describeTransaction(sample, 'Homestead')).toHaveProperty('error')
  expect(describeTransaction(sample, 'Osaka', 6930n)).toEqual({
    error: 'invalid chain id for signer: have 1 want 6930',
  })
})
