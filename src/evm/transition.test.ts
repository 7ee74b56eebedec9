import { expect, test } from 'vitest'
import { concat, EMPTY, encodeUint, equal, formatHex, hex } from '../primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../primitives/hash.ts'
import { type ForkName, rulesOf } from './forks.ts'
import { createEvm } from './host.ts'
import { standardPrecompiles } from './precompiles/index.ts'
import { createMapState, type MapState } from './statetest/state.ts'
import { authorizationHash } from './transaction/encode.ts'
import { secp256k1 } from './transaction/secp256k1.ts'
import { addressOfPrivateKey } from './transaction/sender.ts'
import type { Authorization, UnsignedTransaction } from './transaction/types.ts'
import { executeMessage, executeTransaction, type TransactionContext } from './transition.ts'

const ETHER = 10n ** 18n
const key = hex('46'.repeat(32))
const sender = addressOfPrivateKey(key)
const coinbase = encodeUint(0xc01bn, 20)
const contract = encodeUint(0xc0den, 20)
const empty = encodeUint(0xe0an, 20)

function context(fork: ForkName = 'Osaka'): TransactionContext {
  const rules = rulesOf(fork)
  return {
    rules,
    precompiles: standardPrecompiles(rules),
    block: {
      number: 10n,
      timestamp: 100n,
      coinbase,
      gasLimit: 30_000_000n,
      prevRandao: new Uint8Array(32),
      difficulty: 0n,
      baseFee: 10n,
      blobBaseFee: 3n,
      chainId: 1n,
    },
  }
}

function stateWith(code: Uint8Array = EMPTY): MapState {
  const state = createMapState()
  state.setAccount(sender, { nonce: 5n, balanceWei: ETHER, codeHash: EMPTY_CODE_HASH })
  if (code.length > 0) {
    state.setCode(keccak256(code), code)
    state.setAccount(contract, { nonce: 1n, balanceWei: 0n, codeHash: keccak256(code) })
  }
  return state
}

const fields = { nonce: 5n, gasLimit: 100_000n, to: empty, valueWei: 0n, data: EMPTY }
const legacy: UnsignedTransaction = { ...fields, type: 0, chainId: 1n, gasPriceWei: 12n }
const fees = { chainId: 1n, maxFeePerGasWei: 20n, maxPriorityFeePerGasWei: 2n, accessList: [] }
const balance = (state: MapState, address: Uint8Array) => state.account(address)?.balanceWei ?? 0n

test('a transfer moves value, pays the miner the tip, and burns the base fee', () => {
  const state = stateWith()
  const result = executeTransaction(state, { ...legacy, valueWei: 7n }, sender, context())
  expect(result).toMatchObject({ success: true, gasUsed: 21_000n, gasUsedBeforeRefund: 21_000n })
  expect(state.account(sender)).toMatchObject({ nonce: 6n, balanceWei: ETHER - 7n - 21_000n * 12n })
  expect(balance(state, empty)).toBe(7n)
  expect(balance(state, coinbase)).toBe(21_000n * 2n)
})

test('before London the miner is paid the whole price', () => {
  const state = stateWith()
  executeTransaction(state, legacy, sender, context('Berlin'))
  expect(balance(state, coinbase)).toBe(21_000n * 12n)
})

const who = 'address 0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F'
test.each<[string, UnsignedTransaction, string]>([
  ['an old nonce', { ...legacy, nonce: 4n }, `nonce too low: ${who}, tx: 4 state: 5`],
  ['a future nonce', { ...legacy, nonce: 6n }, `nonce too high: ${who}, tx: 6 state: 5`],
  [
    'more gas than a block',
    { ...legacy, gasLimit: 30_000_001n },
    'transaction gas limit too high (cap: 16777216, tx: 30000001)',
  ],
  [
    'a price below the base fee',
    { ...legacy, gasPriceWei: 9n },
    `max fee per gas less than block base fee: ${who}, maxFeePerGas: 9, baseFee: 10`,
  ],
  [
    'too little money',
    { ...legacy, valueWei: ETHER },
    `insufficient funds for gas * price + value: ${who} have ${ETHER} want ${ETHER + 1_200_000n}`,
  ],
  [
    'a blob price below the block',
    { ...fields, ...fees, type: 3, maxFeePerBlobGasWei: 2n, blobHashes: [new Uint8Array(32).fill(1)] },
    `max fee per blob gas less than block blob gas fee: ${who} blobGasFeeCap: 2, blobBaseFee: 3`,
  ],
])('%s is refused, and nothing is written', (_, transaction, text) => {
  const state = stateWith()
  const before = state.root()
  expect(() => executeTransaction(state, transaction, sender, context())).toThrow(text)
  expect(state.root()).toEqual(before)
})

test('before Osaka a transaction is refused only above the gas of the block', () => {
  expect(() =>
    executeTransaction(stateWith(), { ...legacy, gasLimit: 30_000_001n }, sender, context('Prague')),
  ).toThrow('gas limit reached')
  expect(executeTransaction(stateWith(), { ...legacy, gasLimit: 30_000_000n }, sender, context('Prague')).success).toBe(
    true,
  )
})

test('a sender with code is refused, one with a delegation is not', () => {
  const code = hex('00')
  const delegation = concat(hex('ef0100'), contract)
  for (const [bytes, accepted] of [
    [code, false],
    [delegation, true],
  ] as const) {
    const state = stateWith()
    state.setCode(keccak256(bytes), bytes)
    state.setAccount(sender, { nonce: 5n, balanceWei: ETHER, codeHash: keccak256(bytes) })
    const run = () => executeTransaction(state, legacy, sender, context())
    if (accepted) expect(run().success).toBe(true)
    else expect(run).toThrow(`sender not an eoa: ${who}, len(code): 1`)
  }
})

test('blobs are paid at the price of the block and their hashes can be read', () => {
  // Stores BLOBHASH(1) in slot 0.
  const state = stateWith(hex('6001495f5500'))
  const blobHashes = [1, 2].map((byte) => concat(hex('01'), new Uint8Array(31).fill(byte)))
  const transaction: UnsignedTransaction = {
    ...fields,
    ...fees,
    to: contract,
    type: 3,
    maxFeePerBlobGasWei: 9n,
    blobHashes,
  }
  const { gasUsed } = executeTransaction(state, transaction, sender, context())
  expect(balance(state, sender)).toBe(ETHER - gasUsed * 12n - 2n * 131_072n * 3n)
  expect(state.storage(contract, new Uint8Array(32))).toEqual(blobHashes[1])
})

test('refunds for clearing a slot are at most a fifth of the gas, before London half', () => {
  const clear = hex('5f5f5500')
  const run = (fork: ForkName) => {
    const state = stateWith(fork === 'Berlin' ? hex('6000600055') : clear)
    state.setStorage(contract, new Uint8Array(32), encodeUint(1n, 32))
    return executeTransaction(state, { ...legacy, to: contract }, sender, context(fork))
  }
  // 21000 + 4 (two PUSH0) + 5000 (cold slot, reset); 4800 refunded.
  expect(run('Shanghai')).toMatchObject({ gasUsedBeforeRefund: 26_004n, gasUsed: 21_204n })
  // 21000 + 6 (two PUSH1) + 5000; 15000 to refund, limited to half of the gas used.
  expect(run('Berlin')).toMatchObject({ gasUsedBeforeRefund: 26_006n, gasUsed: 13_003n })
})

test('transactions with much data pay the floor from Prague on', () => {
  const data = new Uint8Array(1000).fill(1)
  const used = (fork: ForkName) => executeTransaction(stateWith(), { ...legacy, data }, sender, context(fork)).gasUsed
  expect(used('Cancun')).toBe(21_000n + 16_000n)
  expect(used('Prague')).toBe(21_000n + 40_000n)
})

test('a failing call keeps only the nonce and the fee', () => {
  // Writes a slot, then reverts with one byte of memory.
  const state = stateWith(hex('60015f5560015ffd'))
  const result = executeTransaction(state, { ...legacy, to: contract, valueWei: 3n }, sender, context())
  expect(result).toMatchObject({ success: false, error: 'execution reverted', output: new Uint8Array(1) })
  expect(state.account(sender)!.nonce).toBe(6n)
  expect(balance(state, sender)).toBe(ETHER - result.gasUsed * 12n)
  expect(state.storage(contract, new Uint8Array(32))).toEqual(new Uint8Array(32))
  expect(balance(state, contract)).toBe(0n)
})

test('a creation is at the address of sender and nonce, and a warm coinbase is cheap from Shanghai on', () => {
  const state = stateWith()
  // Returns COINBASE BALANCE's cost as one byte of code: GAS, balance, GAS, subtract.
  const initCode = hex('5a4131505a90035f5360015ff3')
  const result = executeTransaction(state, { ...legacy, to: undefined, data: initCode }, sender, context('Shanghai'))
  expect(result.success).toBe(true)
  // keccak256(rlp([sender, 5])), last 20 bytes.
  const expected = keccak256(concat(hex('d694'), sender, hex('05'))).slice(12)
  expect(result.contractAddress).toEqual(expected)
  expect(state.account(expected)!.nonce).toBe(1n)
  // COINBASE 2, BALANCE 100, POP 2, GAS 2.
  expect(result.output).toEqual(new Uint8Array([106]))
})

function authorize(secret: Uint8Array, fieldsOf: Partial<Authorization> = {}): Authorization {
  const base = { chainId: 1n, address: contract, nonce: 0n, yParity: 0, r: 0n, s: 0n, ...fieldsOf }
  const { bytes, yParity } = secp256k1.sign(authorizationHash(base), secret)
  const half = (at: number) => BigInt(`0x${formatHex(bytes.subarray(at, at + 32))}`)
  return { ...base, yParity, r: half(0), s: half(32) }
}

const otherKey = hex('77'.repeat(32))
const other = addressOfPrivateKey(otherKey)
const designator = concat(hex('ef0100'), contract)
const setCode = (authorizations: readonly Authorization[], to = other): UnsignedTransaction => ({
  ...fields,
  ...fees,
  to,
  type: 4,
  authorizations,
})
const codeOf = (state: MapState, address: Uint8Array) => state.code(state.account(address)?.codeHash ?? EMPTY_CODE_HASH)

test('an authorization sets a delegation, effective at once, for 25,000 gas less the refund of an existing account', () => {
  // Stores 1 in slot 0 of the account that runs it.
  const run = (exists: boolean) => {
    const state = stateWith(hex('60015f5500'))
    if (exists) state.setAccount(other, { nonce: 0n, balanceWei: 1n, codeHash: EMPTY_CODE_HASH })
    const result = executeTransaction(state, setCode([authorize(otherKey)]), sender, context())
    expect(result.success).toBe(true)
    expect(codeOf(state, other)).toEqual(designator)
    expect(state.account(other)!.nonce).toBe(1n)
    expect(state.storage(other, new Uint8Array(32))).toEqual(encodeUint(1n, 32))
    return result
  }
  // 21000 + 25000 + PUSH1 3 + PUSH0 2 + cold slot set 22100.
  expect(run(false)).toMatchObject({ gasUsedBeforeRefund: 68_105n, gasUsed: 68_105n })
  expect(run(true)).toMatchObject({ gasUsedBeforeRefund: 68_105n, gasUsed: 68_105n - 12_500n })
})

test('authorizations for zero clear, chain id zero is valid, and the sender can delegate itself with its next nonce', () => {
  const state = stateWith(hex('00'))
  const first = [authorize(otherKey, { chainId: 0n }), authorize(key, { nonce: 6n })]
  executeTransaction(state, setCode(first), sender, context())
  expect(codeOf(state, other)).toEqual(designator)
  expect(codeOf(state, sender)).toEqual(designator)
  expect(state.account(sender)!.nonce).toBe(7n)
  const clears = authorize(otherKey, { nonce: 1n, address: new Uint8Array(20) })
  executeTransaction(state, { ...setCode([clears]), nonce: 7n }, sender, context())
  expect(equal(state.account(other)!.codeHash, EMPTY_CODE_HASH)).toBe(true)
  expect(state.account(other)!.nonce).toBe(2n)
})

test.each<[string, Partial<Authorization>]>([
  ['another chain', { chainId: 2n }],
  ['another nonce', { nonce: 1n }],
  ['the last nonce', { nonce: (1n << 64n) - 1n }],
])('an authorization for %s is skipped, and its gas is paid', (_, part) => {
  const state = stateWith(hex('00'))
  const result = executeTransaction(state, setCode([authorize(otherKey, part)]), sender, context())
  expect(result).toMatchObject({ success: true, gasUsed: 46_000n })
  expect(state.account(other)).toBeUndefined()
})

test('an authorization of an account with code is skipped', () => {
  const state = stateWith(hex('00'))
  state.setAccount(other, { nonce: 0n, balanceWei: 0n, codeHash: keccak256(hex('00')) })
  executeTransaction(state, setCode([authorize(otherKey)]), sender, context())
  expect(codeOf(state, other)).toEqual(hex('00'))
})

test('a touched empty account is deleted from Spurious Dragon on, and stays before', () => {
  const run = (fork: ForkName) => {
    const state = stateWith()
    executeTransaction(state, { ...legacy, chainId: undefined }, sender, context(fork))
    return state.account(empty)
  }
  expect(run('SpuriousDragon')).toBeUndefined()
  expect(run('TangerineWhistle')).toMatchObject({ nonce: 0n, balanceWei: 0n })
})

test("a call with the highest nonce wraps the sender's nonce to 64 bits", () => {
  const options = { ...context(), state: stateWith(), tx: { origin: sender, gasPrice: 0n, blobHashes: [] } }
  const evm = createEvm(options)
  const message = { ...fields, from: sender, nonce: (1n << 64n) - 1n }
  expect(executeMessage(evm, message).success).toBe(true)
  expect(evm.journal.nonce(sender)).toBe(0n)
})

test('an authorization of an account that no code can be stored for is skipped, and its code does not run', () => {
  const state = stateWith(hex('60015f5500'))
  const plain = { nonce: 0n, balanceWei: 1n, codeHash: EMPTY_CODE_HASH }
  state.setAccount(other, { ...plain, refusesCode: true })
  executeTransaction(state, setCode([authorize(otherKey)]), sender, context())
  expect([codeOf(state, other), state.account(other)?.nonce]).toEqual([EMPTY, 0n])
  expect(state.hasStorage(other)).toBe(false)
})
