import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { CALLER, GAS, machine, OTHER, push, top } from '../../test/support/evm/machine.ts'
import { decodeUint, encodeUint, formatHex, hex } from '../primitives/bytes.ts'
import { keccak256 } from '../primitives/hash.ts'
import { instantiate } from './interpreter.ts'

const WORD = 1n << 256n
const MAX = WORD - 1n
const MIN_SIGNED = 1n << 255n

/** Words at the borders of limbs and signs. */
const EDGES = [
  0n,
  1n,
  2n,
  10n ** 18n,
  (1n << 32n) - 1n,
  1n << 32n,
  (1n << 64n) - 1n,
  1n << 64n,
  (1n << 64n) + 1n,
  (1n << 96n) - 5n,
  (1n << 128n) - 1n,
  1n << 128n,
  0xfedcba9876543210fedcba9876543210fedcba98n,
  (1n << 192n) - 1n,
  1n << 192n,
  MIN_SIGNED - 1n,
  MIN_SIGNED,
  MIN_SIGNED + 1n,
  MAX - 1n,
  MAX,
]

const signed = (word: bigint): bigint => BigInt.asIntN(256, word)
const unsigned = (value: bigint): bigint => BigInt.asUintN(256, value)
const bit = (condition: boolean): bigint => (condition ? 1n : 0n)

/** Every binary opcode in arithmetic of unbounded integers: first operand is the top of the stack. */
const BINARY: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  '01': (a, b) => a + b,
  '02': (a, b) => a * b,
  '03': (a, b) => a - b,
  '04': (a, b) => (b === 0n ? 0n : a / b),
  '05': (a, b) => (b === 0n ? 0n : signed(a) / signed(b)),
  '06': (a, b) => (b === 0n ? 0n : a % b),
  '07': (a, b) => (b === 0n ? 0n : signed(a) % signed(b)),
  '0b': (a, b) => (a > 30n ? b : BigInt.asIntN(8 * (Number(a) + 1), b)),
  '10': (a, b) => bit(a < b),
  '11': (a, b) => bit(a > b),
  '12': (a, b) => bit(signed(a) < signed(b)),
  '13': (a, b) => bit(signed(a) > signed(b)),
  '14': (a, b) => bit(a === b),
  '16': (a, b) => a & b,
  '17': (a, b) => a | b,
  '18': (a, b) => a ^ b,
  '1a': (a, b) => (a > 31n ? 0n : (b >> (8n * (31n - a))) & 255n),
  '1b': (a, b) => (a > 255n ? 0n : b << a),
  '1c': (a, b) => (a > 255n ? 0n : b >> a),
  '1d': (a, b) => signed(b) >> (a > 255n ? 255n : a),
}

/** Runs many programs in one: each leaves a word in memory. */
function words(programs: readonly string[]): bigint[] {
  const results: bigint[] = []
  for (let from = 0; from < programs.length; from += 100) {
    const part = programs.slice(from, from + 100)
    const code = part.map((program, i) => `${program}61${(32 * i).toString(16).padStart(4, '0')}52`).join('')
    const { output, error } = machine({
      code: `${code}61${(32 * part.length).toString(16).padStart(4, '0')}5ff3`,
    }).call()
    expect(error).toBeUndefined()
    for (let i = 0; i < part.length; i++) results.push(decodeUint(output.subarray(32 * i, 32 * i + 32)))
  }
  return results
}

test('binary opcodes agree with unbounded integers at every pair of edges', () => {
  for (const [opcode, expected] of Object.entries(BINARY)) {
    const small = opcode === '0b' || opcode === '1a' || opcode >= '1b'
    const firsts = small ? [...EDGES, 7n, 8n, 15n, 30n, 31n, 32n, 63n, 65n, 127n, 129n, 191n, 193n, 255n, 256n] : EDGES
    const pairs = firsts.flatMap((a) => EDGES.map((b): [bigint, bigint] => [a, b]))
    const results = words(pairs.map(([a, b]) => push(b, a) + opcode))
    pairs.forEach(([a, b], i) => {
      expect([opcode, a, b, results[i]]).toEqual([opcode, a, b, unsigned(expected(a, b))])
    })
  }
})

test('ADDMOD and MULMOD work on sums and products beyond 256 bits', () => {
  const triples = EDGES.flatMap((a) =>
    EDGES.slice(9).flatMap((b) => EDGES.map((m): [bigint, bigint, bigint] => [a, b, m])),
  )
  for (const [opcode, expected] of [
    ['08', (a: bigint, b: bigint) => a + b],
    ['09', (a: bigint, b: bigint) => a * b],
  ] as const) {
    const results = words(triples.map(([a, b, m]) => push(m, b, a) + opcode))
    triples.forEach(([a, b, m], i) => {
      expect([opcode, a, b, m, results[i]]).toEqual([opcode, a, b, m, m === 0n ? 0n : expected(a, b) % m])
    })
  }
})

test('division is exact for random words of every length', () => {
  let seed = 1n
  const random = (): bigint => {
    seed = (seed * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n)
    return seed >> 32n
  }
  const word = (): bigint => {
    let value = 0n
    for (let i = 0; i < 8; i++)
      value = (value << 32n) | (random() % 5n === 0n ? 0xffffffffn : random() % 7n === 0n ? 0n : random())
    return value >> (random() % 256n)
  }
  const pairs = Array.from({ length: 3000 }, (): [bigint, bigint] => [word(), word()])
  const quotients = words(pairs.map(([a, b]) => `${push(b, a)}04`))
  const remainders = words(pairs.map(([a, b]) => `${push(b, a)}06`))
  pairs.forEach(([a, b], i) => {
    expect([a, b, quotients[i], remainders[i]]).toEqual([a, b, b === 0n ? 0n : a / b, b === 0n ? 0n : a % b])
  })
})

test('EXP is modular and pays for the bytes of its exponent', () => {
  const power = (base: bigint, exponent: bigint): bigint => {
    let result = 1n
    for (let i = 0n; i < exponent; i++) result = (result * base) % WORD
    return result
  }
  expect(top(`${push(5n, 3n)}0a`)).toBe(243n)
  expect(top(`${push(255n, 2n)}0a`)).toBe(1n << 255n)
  expect(top(`${push(256n, 2n)}0a`)).toBe(0n)
  expect(top(`${push(0n, 0n)}0a`)).toBe(1n)
  expect(top(`${push(300n, 10n ** 18n + 9n)}0a`)).toBe(power(10n ** 18n + 9n, 300n))
  const cost = (exponent: bigint) => {
    const { gasLeft } = machine({ code: `${push(exponent, 3n)}0a` }).call()
    return GAS - gasLeft - 6n
  }
  expect(cost(0n)).toBe(10n)
  expect(cost(255n)).toBe(60n)
  expect(cost(256n)).toBe(110n)
  expect(cost(MAX)).toBe(1610n)
})

test('KECCAK256 agrees with known vectors, and with another implementation at every length around its block size', () => {
  expect(top('5f5f20')).toBe(0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470n)
  expect(top('626162635f526003601d20')).toBe(0x4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45n)
  const data = Uint8Array.from({ length: 300 }, (_, i) => (i * 7 + 1) & 255)
  for (const length of [1, 7, 8, 31, 32, 33, 127, 128, 135, 136, 137, 143, 144, 271, 272, 273, 300]) {
    const size = length.toString(16).padStart(4, '0')
    // Copies calldata to an odd offset and hashes it there.
    const { output } = machine({ code: `61${size}5f600337 61${size}6003205f5260205ff3`.replace(' ', '') }).call({
      data,
    })
    expect([length, formatHex(output)]).toEqual([length, formatHex(keccak256(data.subarray(0, length)))])
  }
})

test('CLZ counts leading zeros', () => {
  expect(words([0n, 1n, MAX, 1n << 64n, (1n << 128n) - 1n].map((word) => `${push(word)}1e`))).toEqual([
    256n,
    255n,
    0n,
    191n,
    128n,
  ])
})

test('environment opcodes return the values of block and transaction', () => {
  const read = (opcode: string) => top(opcode)
  expect(formatHex(encodeUint(read('30'), 20))).toBe('c0de000000000000000000000000000000000001')
  expect(formatHex(encodeUint(read('33'), 20))).toBe('ca11e70000000000000000000000000000000001')
  expect([read('42'), read('43'), read('45'), read('46'), read('48'), read('4a'), read('3a')]).toEqual([
    1_700_000_000n,
    1000n,
    60_000_000n,
    6930n,
    7n,
    3n,
    10n,
  ])
  expect(read('44')).toBe(0xaaaan)
  expect(top('44', { fork: 'London' })).toBe(0xddddn)
  expect(top('5f49')).toBe(0xb10bn)
  expect(top('600149')).toBe(0n)
  expect(read('47')).toBe(1000n)
})

test('transactions of one block read their own origin and price on a shared interpreter', () => {
  const { options } = machine().evm
  const { block } = options
  const tx = (origin: Uint8Array, gasPrice: bigint) => ({ block, tx: { origin, gasPrice, blobHashes: [] } })
  const [first, second] = [tx(CALLER, 1n << 200n), tx(OTHER, 0n)]
  for (let i = 0; i < 2; i++) {
    expect([top('32', first), top('3a', first)]).toEqual([decodeUint(CALLER), 1n << 200n])
    expect([top('32', second), top('3a', second)]).toEqual([decodeUint(OTHER), 0n])
    expect(top('43', { ...first, block: { ...block, number: 1001n } })).toBe(1001n)
    expect(top('43', second)).toBe(1000n)
  }
})

test('memory is priced by its highest word, and too much of it is out of gas at once', () => {
  const used = (code: string) => GAS - machine({ code }).call().gasLeft
  expect(used('5f5f52')).toBe(2n + 2n + 3n + 3n)
  expect(used('5f6203ffe052')).toBe(2n + 3n + 3n + 3n * 8192n + (8192n * 8192n) / 512n)
  // Geth counts memory in 64 bits, and prices no more than 0x1fffffffe0 bytes of it.
  const failures = [
    [`5f${push(MAX)}52`, 'gas uint64 overflow'],
    [`${push(MAX, MAX)}20`, 'gas uint64 overflow'],
    [`${push((1n << 64n) - 63n)}51`, 'gas uint64 overflow'],
    [`${push((1n << 64n) - 64n)}51`, 'out of gas: gas uint64 overflow'],
    [`${push(0x1fffffffe1n)}51`, 'out of gas: gas uint64 overflow'],
    [`${push(0x1fffffffc0n)}51`, 'out of gas'],
    [`5f${push(1n << 36n)}53`, 'out of gas'],
  ] as const
  for (const [code, error] of failures) {
    expect(machine({ code }).call()).toMatchObject({ success: false, error, gasLeft: 0n })
  }
})

test('failures have the texts of geth', () => {
  const error = (code: string, gas = GAS) => machine({ code }).call({ gas }).error
  expect(error('01')).toBe('stack underflow (0 <=> 2)')
  expect(error('600101')).toBe('stack underflow (1 <=> 2)')
  expect(error('5b5f600056')).toBe('stack limit reached 1024 (1023)')
  expect(error('600556')).toBe('invalid jump destination')
  expect(error('6004565b00')).toBe('invalid jump destination')
  expect(error('fe')).toBe('invalid opcode: INVALID')
  expect(error('0c')).toBe('invalid opcode: opcode 0xc not defined')
  expect(error('5b600056')).toBe('out of gas')
  expect(error('60016001fd')).toBe('execution reverted')
  expect(error('60015f5f3e')).toBe('return data out of bounds')
  expect(error('600161c001600055', 5000n)).toBe('out of gas')
})

test('a jump into the data of a PUSH is invalid, and one to a real JUMPDEST is valid', () => {
  expect(machine({ code: '6003565b00' }).call().success).toBe(true)
  expect(machine({ code: '600456615b5b00' }).call().error).toBe('invalid jump destination')
  expect(machine({ code: `${push((1n << 64n) + 3n)}56` }).call().error).toBe('invalid jump destination')
})

test('a block fails at the opcode that fails, after executing the opcodes before it', () => {
  // MSTORE, then POP of an empty stack: the error names the POP although gas and stack are checked per block.
  expect(machine({ code: '60015f5250' }).call().error).toBe('stack underflow (0 <=> 1)')
  // Enough gas for the first opcodes only.
  expect(machine({ code: '6001600101' }).call({ gas: 6n }).error).toBe('out of gas')
  expect(machine({ code: '6001600101' }).call({ gas: 9n })).toMatchObject({ success: true, gasLeft: 0n })
})

test('GAS returns the gas left after itself', () => {
  expect(top('5a')).toBe(GAS - 2n)
  expect(top('600160015a')).toBe(GAS - 8n)
})

test('a truncated PUSH reads zeros after the code', () => {
  expect(machine({ code: '7fff' }).call().success).toBe(true)
  expect(machine({ code: '5f5b' }).call().gasLeft).toBe(GAS - 3n)
})

test('opcodes are not defined before their fork', () => {
  const since: readonly [string, string, 'Frontier' | 'Byzantium' | 'Shanghai' | 'London' | 'Cancun' | 'Prague'][] = [
    ['600060006000600060006000f4', 'DELEGATECALL', 'Frontier'],
    ['600060001b', 'SHL', 'Byzantium'],
    ['46', 'CHAINID', 'Byzantium'],
    ['5f', 'PUSH0', 'London'],
    ['60005c', 'TLOAD', 'Shanghai'],
    ['6000600060005e', 'MCOPY', 'Shanghai'],
    ['60001e', 'CLZ', 'Prague'],
  ]
  for (const [code, name, before] of since) {
    expect(machine({ code, fork: before }).call().error).toBe(`invalid opcode: ${name}`)
    expect(machine({ code }).call().error).toBeUndefined()
  }
})

test('extra EIPs activate opcodes', () => {
  expect(machine({ code: '5f', fork: 'London', extraEips: [3855] }).call().success).toBe(true)
  expect(machine({ code: '60005c', fork: 'Shanghai', extraEips: [1153] }).call().success).toBe(true)
})

test('calldata is padded with zeros when loaded and when copied', () => {
  const data = hex('0102030405')
  const read = (code: string) => formatHex(machine({ code }).call({ data }).output)
  expect(read('600135 5f5260205ff3'.replace(' ', ''))).toBe('02030405'.padEnd(64, '0'))
  expect(read('600535 5f5260205ff3'.replace(' ', ''))).toBe('0'.repeat(64))
  expect(read(`${push(MAX)}35 5f5260205ff3`.replace(' ', ''))).toBe('0'.repeat(64))
  // Memory is all ones before ten bytes from offset 3 are copied to offset 2.
  expect(read(`${push(MAX)}5f52 600a60036002 37 60205ff3`.replaceAll(' ', ''))).toBe(
    `ffff${'0405'.padEnd(20, '0')}${'f'.repeat(40)}`,
  )
})

/** Instantiates the plain build with a memory that cannot grow. */
function confined(): WebAssembly.Module {
  const bytes = readFileSync(createRequire(import.meta.url).resolve('#evm/plain.wasm'))
  for (let at = 8; at < bytes.length; ) {
    // All sections before the memory section are shorter than 2^14 bytes.
    const long = bytes[at + 1]! >= 0x80
    const size = long ? (bytes[at + 1]! & 0x7f) | (bytes[at + 2]! << 7) : bytes[at + 1]!
    const from = at + (long ? 3 : 2)
    if (bytes[at] === 5) {
      // One memory without a maximum: its minimum becomes its maximum.
      const least = bytes.subarray(from + 2, from + size)
      const section = [Buffer.from([5, 2 + 2 * least.length, 1, 1]), least, least]
      return new WebAssembly.Module(Buffer.concat([bytes.subarray(0, at), ...section, bytes.subarray(from + size)]))
    }
    at = from + size
  }
  throw new Error('no memory section')
}

test('memory that the machine cannot allocate is not a failure of the code', () => {
  const exports = instantiate(confined(), () => {
    throw new Error('not asked')
  })
  const size = BigInt(exports.memory.buffer.byteLength)
  expect(exports.reach(size)).toBeTruthy()
  expect(() => exports.reach(size + 1n)).toThrow(RangeError)
  expect(() => exports.reach(size + 1n)).toThrow('could not allocate memory')
  // Memory beyond MEMORY_END is too expensive for any code.
  expect(exports.reach((1n << 30n) + 1n)).toBeFalsy()
})
