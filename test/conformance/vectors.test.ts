import { expect, test } from 'vitest'
import { rulesOf } from '../../src/evm/forks.ts'
import { createEvm } from '../../src/evm/host.ts'
import { standardPrecompiles } from '../../src/evm/precompiles/index.ts'
import { createMapState } from '../../src/evm/statetest/state.ts'
import { concat, encodeUint, formatHex, hex, toKey } from '../../src/primitives/bytes.ts'
import { keccak256 } from '../../src/primitives/hash.ts'
import { isPresent, jsonFiles } from '../support/public-data.ts'

const OPCODES: Readonly<Record<string, number>> = {
  add: 0x01,
  mul: 0x02,
  sub: 0x03,
  lt: 0x10,
  gt: 0x11,
  eq: 0x14,
  and: 0x16,
  or: 0x17,
  xor: 0x18,
  byte: 0x1a,
}

/** Address of each file's precompile, and a fork with the prices of the file. */
const PRECOMPILES = {
  'precompiles/bn256Add.json': [0x06, 'Istanbul'],
  'precompiles/bn256ScalarMul.json': [0x07, 'Istanbul'],
  'precompiles/modexp.json': [0x05, 'Byzantium'],
  'precompiles/blake2F.json': [0x09, 'Istanbul'],
  'precompiles/ecRecover.json': [0x01, 'Istanbul'],
} as const

interface OpcodeVector {
  readonly X: string
  readonly Y: string
  readonly Expected: string
}

interface PrecompileVector {
  readonly Name: string
  readonly Input: string
  readonly Expected: string
  readonly Gas: number
}

const files = isPresent
  ? new Map([...jsonFiles('vectors')].map(({ name, content }) => [name, content] as const))
  : new Map<string, unknown>()

/** Runs a program in a fresh EVM. Returns the first word of memory. */
function run(code: Uint8Array): string {
  const rules = rulesOf('Osaka')
  const state = createMapState()
  const contract = encodeUint(0xc0den, 20)
  state.setCode(keccak256(code), code)
  state.setAccount(contract, { nonce: 1n, balanceWei: 0n, codeHash: keccak256(code) })
  const caller = encodeUint(0xca11n, 20)
  const block = {
    number: 1n,
    timestamp: 1n,
    coinbase: encodeUint(0n, 20),
    gasLimit: 1_000_000n,
    prevRandao: new Uint8Array(32),
    difficulty: 0n,
    baseFee: 0n,
    blobBaseFee: 1n,
    chainId: 1n,
  }
  const tx = { origin: caller, gasPrice: 0n, blobHashes: [] }
  const evm = createEvm({ state, rules, block, tx, precompiles: standardPrecompiles(rules) })
  return formatHex(evm.call({ caller, to: contract, valueWei: 0n, data: new Uint8Array(0), gas: 100_000n }).output)
}

test.runIf(isPresent).each(Object.entries(OPCODES))('every vector of %s', (name, opcode) => {
  const vectors = files.get(`testcases_${name}.json`) as readonly OpcodeVector[]
  const returns = hex('5f5260205ff3')
  const wrong = vectors.filter(({ X, Y, Expected }) => {
    // Y is on top of the stack, so it is pushed last.
    const code = concat(hex('7f'), hex(X), hex('7f'), hex(Y), new Uint8Array([opcode]), returns)
    return run(code) !== Expected
  })
  console.log(`testcases_${name}: ${vectors.length - wrong.length} of ${vectors.length}`)
  expect(wrong.map(({ X, Y }) => `${X} ${Y}`)).toEqual([])
  expect(vectors.length).toBeGreaterThan(0)
})

test.runIf(isPresent).each(Object.entries(PRECOMPILES))('every vector of %s, gas included', (file, [address, fork]) => {
  const vectors = files.get(file) as readonly PrecompileVector[]
  const precompile = standardPrecompiles(rulesOf(fork)).get(toKey(encodeUint(BigInt(address), 20)))
  if (precompile?.kind !== 'pure') throw new Error('no such precompile')
  const wrong = vectors.filter(({ Input, Expected, Gas }) => {
    const output = precompile.run(hex(Input))
    return precompile.gas(hex(Input)) !== BigInt(Gas) || output === undefined || formatHex(output) !== Expected
  })
  console.log(`${file}: ${vectors.length - wrong.length} of ${vectors.length}`)
  expect(wrong.map(({ Name }) => Name)).toEqual([])
  expect(vectors.length).toBeGreaterThan(0)
})

test.runIf(isPresent)('every file of vectors is tested', () => {
  const known = [...Object.keys(OPCODES).map((name) => `testcases_${name}.json`), ...Object.keys(PRECOMPILES)]
  expect([...files.keys()].filter((name) => !known.includes(name))).toEqual([])
})
