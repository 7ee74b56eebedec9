import { expect, test } from 'vitest'
import { signingHash } from '../../evm/transaction/encode.ts'
import { signTransaction } from '../../evm/transaction/sender.ts'
import type { UnsignedTransaction } from '../../evm/transaction/types.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { formatBase64, formatHex0x, hex, utf8 } from '../../primitives/bytes.ts'
import { packTxData, unpackTxData } from './tx-data.ts'

const A = hex('5aaeb6053f3e94c9b9a09f33669435e7ef1beaed')
const KEY = new Uint8Array(32).fill(7)
const fields = { nonce: 5n, gasLimit: 21_000n, to: A, valueWei: 10n ** 12n, data: hex('c0ffee') }
const accessList = [{ address: A, storageKeys: [new Uint8Array(32).fill(9)] }]
const dynamic = { chainId: 6930n, maxPriorityFeePerGasWei: 1n, maxFeePerGasWei: 2n, accessList }
const authorization = { chainId: 0n, address: A, nonce: 3n, yParity: 1, r: 4n, s: 5n }

const all: readonly UnsignedTransaction[] = [
  { ...fields, type: 0, chainId: undefined, gasPriceWei: 0n },
  { ...fields, type: 0, chainId: 6930n, gasPriceWei: 1n },
  { ...fields, type: 0, chainId: 6930n, gasPriceWei: 1n, to: undefined },
  { ...fields, type: 1, chainId: 6930n, gasPriceWei: 1n, accessList },
  { ...fields, ...dynamic, type: 2 },
  { ...fields, ...dynamic, type: 4, authorizations: [authorization] },
]

test('every kind of transaction is unchanged after conversion to a message and back', () => {
  for (const unsigned of all) {
    const tx = signTransaction(unsigned, KEY)
    expect(unpackTxData(almanac, packTxData(almanac, tx))).toEqual(tx)
  }
})

test('a legacy transaction encodes to the recorded bytes', () => {
  const unsigned = { type: 0, chainId: undefined, nonce: 0n, gasPriceWei: 0n, gasLimit: 21_000n } as const
  const call = { ...unsigned, to: A, valueWei: 10n ** 12n, data: new Uint8Array(0) }
  const signed = { ...call, signature: { r: 0n, s: 0n, yParity: 0 } } as const
  const { typeUrl, value } = packTxData(almanac, signed)
  expect(typeUrl).toBe('/chain.evm.v1.LegacyTx')
  // The recorded bytes have the same fields; these also have v = 27, three bytes at the end.
  const expected = 'EgEwGIikASIqMHg1YUFlYjYwNTNGM0U5NEM5YjlBMDlmMzM2Njk0MzVFN0VmMUJlQWVkKg0xMDAwMDAwMDAwMDAw'
  expect(formatBase64(value.slice(0, -3))).toBe(expected)
  expect(formatHex0x(signingHash(call))).not.toBe(formatHex0x(signingHash({ ...call, chainId: 6930n })))
})

test('invalid fields of a transaction are refused by name', () => {
  const legacy = (bytes: Uint8Array) => () => unpackTxData(almanac, { typeUrl: '/chain.evm.v1.LegacyTx', value: bytes })
  expect(legacy(hex('1888a401'))).toThrow('gas price cannot be nil')
  expect(legacy(Uint8Array.from([0x12, 2, ...utf8('-1')]))).toThrow('gas price is not an unsigned integer')
  expect(legacy(hex('ff'))).toThrow('failed unpacking protobuf message from Any')
  expect(() => unpackTxData(almanac, { typeUrl: '/chain.evm.v1.Params', value: hex('') })).toThrow('transaction data')
})
