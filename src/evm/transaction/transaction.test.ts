import { expect, test } from 'vitest'
import { concat, decodeUint, EMPTY, encodeUint, formatHex, formatHex0x, hex } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { rulesOf } from '../forks.ts'
import { decodeTransaction } from './decode.ts'
import { authorizationHash, encodeTransaction, signatureV, signingHash, transactionHash } from './encode.ts'
import { refusalName } from './errors.ts'
import { effectiveGasPrice, floorGas, intrinsicGas } from './gas.ts'
import { nativeSecp256k1, pureSecp256k1, SECP256K1_ORDER } from './secp256k1.ts'
import { addressOfPrivateKey, recoverAuthority, recoverSender, signTransaction } from './sender.ts'
import type { Transaction, UnsignedTransaction } from './types.ts'
import { validateTransaction } from './validate.ts'

const osaka = rulesOf('Osaka')
const key = hex('46'.repeat(32))
const owner = hex('9d8a62f656a8d1615c1294fd71e9cfb3e4855a4f')
const to = hex('35'.repeat(20))

/** The example of EIP-155. */
const eip155 =
  'f86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'

const common = { nonce: 7n, gasLimit: 100_000n, to, valueWei: 5n, data: hex('00ff') }
const accessList = [{ address: to, storageKeys: [new Uint8Array(32), new Uint8Array(32).fill(1)] }]
const fees = { chainId: 6930n, maxPriorityFeePerGasWei: 2n, maxFeePerGasWei: 30n, accessList }
const authorization = { chainId: 1n, address: to, nonce: 3n, yParity: 1, r: 5n, s: 6n }
const unsigned: readonly UnsignedTransaction[] = [
  { ...common, type: 0, chainId: undefined, gasPriceWei: 9n },
  { ...common, type: 0, chainId: 6930n, gasPriceWei: 9n },
  { ...common, type: 0, chainId: 6930n, gasPriceWei: 9n, to: undefined },
  { ...common, type: 1, chainId: 6930n, gasPriceWei: 9n, accessList },
  { ...common, ...fees, type: 2 },
  { ...common, ...fees, type: 2, accessList: [], data: EMPTY },
  { ...common, ...fees, type: 3, maxFeePerBlobGasWei: 8n, blobHashes: [new Uint8Array(32).fill(1)] },
  { ...common, ...fees, type: 4, authorizations: [authorization] },
]

test('the example of EIP-155 decodes, recovers its sender and encodes to the same bytes', () => {
  const transaction = decodeTransaction(hex(eip155))
  expect(transaction).toMatchObject({
    type: 0,
    chainId: 1n,
    nonce: 9n,
    gasPriceWei: 20_000_000_000n,
    gasLimit: 21_000n,
  })
  expect(formatHex(signingHash(transaction))).toBe('daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53')
  expect(recoverSender(transaction, { chainId: 1n })).toEqual(owner)
  expect(signTransaction(transaction, key)).toEqual(transaction)
  expect(formatHex(encodeTransaction(transaction))).toBe(eip155)
  expect(transactionHash(transaction)).toEqual(keccak256(hex(eip155)))
  expect(addressOfPrivateKey(key)).toEqual(owner)
})

test.each(unsigned)('type $type survives signing, encoding, decoding and recovery', (transaction) => {
  const signed = signTransaction(transaction, key)
  const decoded = decodeTransaction(encodeTransaction(signed))
  expect(decoded).toEqual(signed)
  expect(recoverSender(decoded)).toEqual(owner)
})

test('v of a protected legacy signature contains the chain id', () => {
  for (const [chainId, even] of [
    [6900n, 13835n],
    [7210n, 14455n],
    [6911n, 13857n],
    [6930n, 13895n],
  ] as const) {
    const signature = { r: 1n, s: 1n, yParity: 0 } as const
    expect(signatureV({ ...common, type: 0, gasPriceWei: 1n, chainId, signature })).toBe(even)
    expect(signatureV({ ...common, type: 0, gasPriceWei: 1n, chainId, signature: { ...signature, yParity: 1 } })).toBe(
      even + 1n,
    )
  }
})

test('a transaction for another chain is refused with the text of geth', () => {
  expect(() => recoverSender(decodeTransaction(hex(eip155)), { chainId: 6930n })).toThrow(
    'invalid chain id for signer: have 1 want 6930',
  )
})

test('a signature with a high s recovers only under the rules of Frontier', () => {
  const signed = signTransaction(unsigned[0]!, key)
  const { r, s, yParity } = signed.signature
  const twin = { ...signed, signature: { r, s: SECP256K1_ORDER - s, yParity: yParity === 0 ? 1 : 0 } } as Transaction
  expect(() => recoverSender(twin)).toThrow('invalid transaction v, r, s values')
  expect(recoverSender(twin, { allowHighS: true })).toEqual(owner)
})

test.each([0n, SECP256K1_ORDER])('r or s of %i is refused', (value) => {
  const signed = signTransaction(unsigned[4]!, key)
  for (const part of ['r', 's']) {
    const wrong = { ...signed, signature: { ...signed.signature, [part]: value } } as Transaction
    expect(() => recoverSender(wrong)).toThrow('invalid transaction v, r, s values')
  }
})

test('libsecp256k1 and the pure fallback have the same signatures, keys and refusals', () => {
  expect(nativeSecp256k1).toBeDefined()
  for (let i = 1; i <= 12; i++) {
    const hash = keccak256(new Uint8Array([i]))
    const secret = keccak256(hash)
    const signature = nativeSecp256k1!.sign(hash, secret)
    expect(pureSecp256k1.sign(hash, secret)).toEqual(signature)
    expect(pureSecp256k1.publicKey(secret)).toEqual(nativeSecp256k1!.publicKey(secret))
    const compressed = nativeSecp256k1!.compressedKey(secret)
    expect(pureSecp256k1.compressedKey(secret)).toEqual(compressed)
    const highS = concat(
      signature.bytes.subarray(0, 32),
      encodeUint(SECP256K1_ORDER - decodeUint(signature.bytes.subarray(32)), 32),
    )
    for (const library of [nativeSecp256k1!, pureSecp256k1]) {
      expect(library.uncompress(compressed)).toEqual(library.publicKey(secret))
      expect(library.uncompress(new Uint8Array(33).fill(2).fill(0xff, 1))).toBeUndefined()
      expect(library.verify(hash, signature.bytes, compressed)).toBe(true)
      expect(library.verify(secret, signature.bytes, compressed)).toBe(false)
      expect(library.verify(hash, highS, compressed)).toBe(false)
      expect(library.verify(hash, new Uint8Array(64), compressed)).toBe(false)
      expect(library.verify(hash, signature.bytes, new Uint8Array(33))).toBe(false)
    }
    for (const yParity of [0, 1]) {
      const found = nativeSecp256k1!.recover(hash, signature.bytes, yParity)
      expect(pureSecp256k1.recover(hash, signature.bytes, yParity)).toEqual(found)
      if (yParity === signature.yParity) expect(found).toEqual(nativeSecp256k1!.publicKey(secret))
    }
    const noPoint = new Uint8Array(64).fill(i)
    expect(pureSecp256k1.recover(hash, noPoint, 0)).toEqual(nativeSecp256k1!.recover(hash, noPoint, 0))
    const high = new Uint8Array(64).fill(0xff)
    expect(pureSecp256k1.recover(hash, high, 0)).toBeUndefined()
    expect(nativeSecp256k1!.recover(hash, high, 0)).toBeUndefined()
  }
})

test('an authorization recovers its authority, and nothing if it is malformed', () => {
  const { signature } = signTransaction(unsigned[0]!, key)
  expect(recoverAuthority({ ...authorization, ...signature, yParity: 2 })).toBeUndefined()
  expect(recoverAuthority({ ...authorization, ...signature, s: SECP256K1_ORDER - signature.s })).toBeUndefined()
  const hash = authorizationHash(authorization)
  const { bytes, yParity } = nativeSecp256k1!.sign(hash, key)
  const r = BigInt(formatHex0x(bytes.subarray(0, 32)))
  const s = BigInt(formatHex0x(bytes.subarray(32)))
  expect(recoverAuthority({ ...authorization, r, s, yParity })).toEqual(owner)
})

test.each([
  ['', 'malformed'],
  ['c0', 'malformed'],
  ['80', 'malformed'],
  ['02', 'malformed'],
  ['00c0', 'typeNotSupported'],
  ['05c0', 'typeNotSupported'],
  ['7fc0', 'typeNotSupported'],
  ['02c0', 'malformed'],
  [`${eip155}00`, 'malformed'],
  [eip155.replace('8025a0', '801da0'), 'invalidSignature'],
  [eip155.replace('f86c09', 'f86c00'), 'malformed'],
])('%s is refused as %s', (text, name) => {
  let refusal: unknown
  try {
    decodeTransaction(hex(text))
  } catch (error) {
    refusal = refusalName(error)
  }
  expect(refusal).toBe(name)
})

test('the price of data depends on the fork', () => {
  const call = { to, data: hex('0001') }
  expect(intrinsicGas(call, osaka)).toBe(21_020n)
  expect(intrinsicGas(call, rulesOf('Frontier'))).toBe(21_072n)
  expect(intrinsicGas({ ...call, to: undefined }, rulesOf('Frontier'))).toBe(21_072n)
  expect(intrinsicGas({ ...call, to: undefined }, rulesOf('London'))).toBe(53_020n)
  expect(intrinsicGas({ ...call, to: undefined }, osaka)).toBe(53_022n)
  expect(intrinsicGas({ ...call, accessList, authorizations: [authorization] }, osaka)).toBe(
    21_020n + 2_400n + 3_800n + 25_000n,
  )
  expect(floorGas(call, osaka)).toBe(21_050n)
  expect(floorGas(call, rulesOf('Cancun'))).toBe(0n)
})

test('the effective price is the tip above the base fee, up to the cap', () => {
  expect(effectiveGasPrice(unsigned[4]!, 10n)).toBe(12n)
  expect(effectiveGasPrice(unsigned[4]!, 29n)).toBe(30n)
  expect(effectiveGasPrice(unsigned[3]!, 29n)).toBe(9n)
})

test.each<[string, UnsignedTransaction, Parameters<typeof rulesOf>[0], string]>([
  ['type 1 before Berlin', unsigned[3]!, 'Istanbul', 'transaction type not supported'],
  ['type 2 before London', unsigned[4]!, 'Berlin', 'transaction type not supported'],
  ['type 3 before Cancun', unsigned[6]!, 'Shanghai', 'transaction type not supported'],
  ['type 4 before Prague', unsigned[7]!, 'Cancun', 'transaction type not supported'],
  ['protection before EIP-155', unsigned[1]!, 'Homestead', 'invalid transaction v, r, s values'],
  ['the last nonce', { ...unsigned[1]!, nonce: (1n << 64n) - 1n }, 'Osaka', 'nonce has max value'],
  ['fees beyond 256 bits', { ...common, type: 0, chainId: 1n, gasPriceWei: 1n << 250n }, 'Osaka', 'overflows 256 bits'],
  [
    'a tip above the cap',
    { ...common, ...fees, type: 2, maxPriorityFeePerGasWei: 31n },
    'Osaka',
    'max priority fee per gas higher than max fee per gas: maxPriorityFeePerGas: 31, maxFeePerGas: 30',
  ],
  [
    'the gas cap',
    { ...unsigned[1]!, gasLimit: (1n << 24n) + 1n },
    'Osaka',
    'transaction gas limit too high (cap: 16777216, tx: 16777217)',
  ],
  [
    'too much init code',
    { ...unsigned[2]!, data: new Uint8Array(49_153) },
    'Shanghai',
    'max initcode size exceeded: code size 49153 limit 49152',
  ],
  [
    'no blobs',
    { ...common, ...fees, type: 3, maxFeePerBlobGasWei: 1n, blobHashes: [] },
    'Osaka',
    'missing blob hashes',
  ],
  [
    'seven blobs',
    { ...common, ...fees, type: 3, maxFeePerBlobGasWei: 1n, blobHashes: Array(7).fill(new Uint8Array(32).fill(1)) },
    'Osaka',
    'too many blobs',
  ],
  [
    'a blob version',
    { ...common, ...fees, type: 3, maxFeePerBlobGasWei: 1n, blobHashes: [new Uint8Array(32)] },
    'Osaka',
    'invalid hash version',
  ],
  [
    'no authorizations',
    { ...common, ...fees, type: 4, authorizations: [] },
    'Osaka',
    'EIP-7702 transaction with empty auth list',
  ],
  ['too little gas', { ...unsigned[1]!, gasLimit: 21_019n }, 'Osaka', 'intrinsic gas too low: have 21019, want 21020'],
  [
    'gas below the floor',
    { ...unsigned[1]!, gasLimit: 21_020n },
    'Prague',
    'insufficient gas for floor data gas cost: have 21020, want 21050',
  ],
])('%s is refused', (_, transaction, fork, text) => {
  expect(() => validateTransaction(transaction, rulesOf(fork))).toThrow(text)
})

test('every sample is valid in Osaka, at its intrinsic gas', () => {
  for (const transaction of unsigned)
    expect(validateTransaction(transaction, osaka)).toBe(intrinsicGas(transaction, osaka))
})
