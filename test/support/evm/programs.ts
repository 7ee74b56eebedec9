/** Seeded random programs: structured enough to run long, with edge cases in which implementations differ. */
import { concat, encodeUint, hex } from '../../../src/primitives/bytes.ts'
import { keccak256 } from '../../../src/primitives/hash.ts'

/** A set of contracts and a call to them. */
export interface Program {
  readonly seed: number
  readonly contracts: readonly { address: Uint8Array; code: Uint8Array; balanceWei: bigint }[]
  /** Undefined for a creation, whose init code is `data`. */
  readonly to: Uint8Array | undefined
  readonly data: Uint8Array
  readonly valueWei: bigint
  readonly gas: bigint
  /** Slot i of each contract contains i beforehand, for i below this number. */
  readonly presetSlots: number
  /** The accounts and slots that are warm from the start. */
  readonly accessList: readonly { readonly address: Uint8Array; readonly slots: readonly bigint[] }[]
}

export const CALLER = hex('c0ffee0000000000000000000000000000000001')
const CONTRACTS = [1, 2, 3, 4].map((i) =>
  hex(`a0000000000000000000000000000000000000${i.toString(16).padStart(2, '0')}`),
)
const STRANGER = hex('b000000000000000000000000000000000000001')
const DELEGATES = [1, 2, 3, 4, 5].map((i) => hex(`d00000000000000000000000000000000000000${i}`))
/** The targets of the delegations of `DELEGATES` (EIP-7702): code, a precompile, another delegation, nothing, themselves. */
const DELEGATED_TO = [CONTRACTS[1]!, encodeUint(4n, 20), DELEGATES[0]!, STRANGER, DELEGATES[4]!]

interface Random {
  /** Returns a number from 0 to n - 1. */
  below(n: number): number
  chance(probability: number): boolean
  pick<T>(items: readonly T[]): T
  bytes(length: number): Uint8Array
}

/** Creates a generator of random numbers (Mulberry32). */
function randomOf(seed: number): Random {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return (t ^ (t >>> 14)) >>> 0
  }
  const below = (n: number): number => next() % n
  return {
    below,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick: (items) => items[below(items.length)]!,
    bytes: (length) => Uint8Array.from({ length }, () => below(256)),
  }
}

const EDGES: readonly bigint[] = [
  0n,
  1n,
  2n,
  3n,
  31n,
  32n,
  33n,
  255n,
  256n,
  257n,
  (1n << 32n) - 1n,
  1n << 32n,
  (1n << 64n) - 1n,
  1n << 64n,
  (1n << 128n) - 1n,
  1n << 128n,
  (1n << 255n) - 1n,
  1n << 255n,
  (1n << 256n) - 1n,
  (1n << 256n) - 2n,
]

const BINARY = [1, 2, 3, 4, 5, 6, 7, 0x0b, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x1a, 0x1b, 0x1c, 0x1d]
const ENVIRONMENT = [
  0x30, 0x32, 0x33, 0x34, 0x36, 0x38, 0x3a, 0x3d, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48, 0x4a, 0x58, 0x59,
  0x5a,
]

/** Code under construction; every statement leaves the stack unchanged. */
class Writer {
  readonly parts: number[] = []
  op(...codes: number[]): this {
    this.parts.push(...codes)
    return this
  }
  push(value: bigint | number): this {
    const digits = BigInt(value).toString(16)
    const bytes = value === 0n || value === 0 ? [] : [...hex(digits.length % 2 ? `0${digits}` : digits)]
    this.parts.push(0x5f + bytes.length, ...bytes)
    return this
  }
}

function writeCode(random: Random, depth: number): Uint8Array {
  const code = new Writer()
  const value = (): bigint => {
    if (random.chance(0.4)) return random.pick(EDGES)
    if (random.chance(0.5)) return BigInt(random.below(1000))
    return BigInt(`0x${Buffer.from(random.bytes(1 + random.below(32))).toString('hex')}`)
  }
  const offset = (): bigint =>
    random.chance(0.97) ? BigInt(random.below(200)) : random.chance(0.7) ? BigInt(random.below(100_000)) : value()
  const length = (): bigint => (random.chance(0.98) ? BigInt(random.below(100)) : offset())
  const slot = (): bigint => (random.chance(0.9) ? BigInt(random.below(6)) : value())
  const keep = (): void => {
    if (random.chance(0.5)) code.push(slot()).op(0x55)
    else code.push(offset()).op(0x52)
  }
  const address = (): Uint8Array => {
    const kind = random.below(12)
    if (kind < 6) return random.pick(CONTRACTS)
    if (kind === 6) return STRANGER
    if (kind === 7) return CALLER
    if (kind === 8) return random.bytes(20)
    if (kind === 9) return encodeUint(BigInt(1 + random.below(6)), 20)
    return random.pick(DELEGATES)
  }
  const operand = (): void => {
    const kind = random.below(10)
    if (kind < 6) code.push(value())
    else if (kind === 6) code.push(slot()).op(0x54)
    else if (kind === 7) code.push(offset()).op(0x51)
    else if (kind === 8) code.push(offset()).op(0x35)
    else code.op(random.pick(ENVIRONMENT))
  }

  const call = (): void => {
    const op = random.pick([0xf1, 0xf1, 0xf2, 0xf4, 0xfa])
    code.push(length()).push(offset()).push(length()).push(offset())
    if (op === 0xf1 || op === 0xf2)
      code.push(random.chance(0.6) ? 0n : random.chance(0.9) ? BigInt(random.below(50)) : value())
    code.op(0x73, ...address())
    if (random.chance(0.5)) code.op(0x5a)
    else code.push(random.chance(0.9) ? BigInt(random.below(60_000)) : value())
    code.op(op)
    keep()
  }

  const create = (): void => {
    const init = depth > 0 ? writeCode(random, depth - 1) : random.bytes(random.below(20))
    const short = init.slice(0, 32 * (1 + random.below(4)))
    for (let i = 0; i < short.length; i += 32) {
      const chunk = new Uint8Array(32)
      chunk.set(short.subarray(i, i + 32))
      code
        .op(0x7f, ...chunk)
        .push(i)
        .op(0x52)
    }
    const two = random.chance(0.5)
    if (two) code.push(random.below(3))
    code
      .push(random.chance(0.95) ? short.length : length())
      .push(0)
      .push(random.chance(0.8) ? 0 : random.below(20))
    code.op(two ? 0xf5 : 0xf0)
    if (random.chance(0.5)) {
      // Call the created contract.
      code.op(0x5f, 0x5f, 0x5f, 0x5f, 0x5f, 0x85, 0x5a, 0xf1, 0x50)
    }
    keep()
  }

  const loop = (body: () => void): void => {
    code.push(1 + random.below(6))
    const start = code.parts.length
    code.op(0x5b)
    body()
    code.push(1).op(0x90, 0x03, 0x80).push(start).op(0x57, 0x50)
  }

  const statement = (): void => {
    const kind = random.below(100)
    if (kind < 22) {
      operand()
      operand()
      code.op(random.pick(BINARY))
      keep()
    } else if (kind < 26) {
      operand()
      operand()
      operand()
      code.op(random.pick([0x08, 0x09]))
      keep()
    } else if (kind < 28) {
      code
        .push(random.chance(0.8) ? BigInt(random.below(300)) : value())
        .push(value())
        .op(0x0a)
      keep()
    } else if (kind < 32) {
      operand()
      code.op(random.pick([0x15, 0x19, 0x1e]))
      keep()
    } else if (kind < 38) {
      operand()
      code.push(slot()).op(0x55)
    } else if (kind < 41) {
      operand()
      code.push(slot()).op(0x5d).push(slot()).op(0x5c)
      keep()
    } else if (kind < 45) {
      code.push(length()).push(offset()).op(0x20)
      keep()
    } else if (kind < 49) {
      code
        .push(length())
        .push(offset())
        .push(offset())
        .op(random.pick([0x37, 0x39, 0x5e]))
    } else if (kind < 51) {
      code.push(random.below(40)).push(random.below(10)).push(offset()).op(0x3e)
    } else if (kind < 54) {
      code.op(0x73, ...address(), random.pick([0x31, 0x3b, 0x3f]))
      keep()
    } else if (kind < 56) {
      code
        .push(length())
        .push(offset())
        .push(offset())
        .op(0x73, ...address(), 0x3c)
    } else if (kind < 59) {
      const topics = random.below(5)
      for (let i = 0; i < topics; i++) operand()
      code
        .push(length())
        .push(offset())
        .op(0xa0 + topics)
    } else if (kind < 72) {
      call()
    } else if (kind < 76) {
      create()
    } else if (kind < 81) {
      loop(statement)
    } else if (kind < 85) {
      // A branch: `if (operand) statement`.
      operand()
      code.op(0x15, 0x61)
      const patch = code.parts.length
      code.op(0, 0, 0x57)
      statement()
      const target = code.parts.length
      code.parts[patch] = target >> 8
      code.parts[patch + 1] = target & 255
      code.op(0x5b)
    } else if (kind < 88) {
      // Shuffle the stack, and restore it.
      const n = 1 + random.below(16)
      for (let i = 0; i <= n; i++) operand()
      code.op(random.chance(0.5) ? 0x8f + n : 0x7f + n)
      keep()
      const left = code.parts.at(-1) === 0x55 || code.parts.at(-1) === 0x52
      if (left) for (let i = 0; i < n; i++) code.op(0x50)
    } else if (kind < 92) {
      code.op(random.pick(ENVIRONMENT))
      keep()
    } else if (kind < 93) {
      code.push(random.chance(0.5) ? BigInt(990 + random.below(20)) : value()).op(0x40)
      keep()
    } else if (kind < 94) {
      code.push(value()).op(0x49)
      keep()
    } else if (kind < 95) {
      code.op(0x73, ...address(), 0xff)
    } else if (kind < 96) {
      code.push(value()).push(offset()).op(0x53)
    } else if (kind < 97) {
      code.op(...random.bytes(1 + random.below(4)))
    } else if (kind < 98) {
      code.push(random.below(600)).op(0x56)
    } else {
      code
        .push(length())
        .push(offset())
        .op(random.pick([0xf3, 0xfd]))
    }
  }

  const statements = 1 + random.below(depth === 0 ? 4 : 14)
  for (let i = 0; i < statements; i++) statement()
  if (random.chance(0.8))
    code
      .push(length())
      .push(offset())
      .op(random.chance(0.8) ? 0xf3 : 0xfd)
  return Uint8Array.from(code.parts)
}

/** Returns the program of a seed. */
export function programOf(seed: number): Program {
  const random = randomOf(seed)
  const noise = random.chance(0.05)
  const account = (address: Uint8Array, code: Uint8Array) => ({
    address,
    code,
    balanceWei: random.chance(0.7) ? BigInt(random.below(1000)) : 0n,
  })
  const creates = random.chance(0.1)
  const calldata = () =>
    random.chance(0.3) ? new Uint8Array(0) : concat(keccak256(random.bytes(4)), random.bytes(random.below(80)))
  return {
    seed,
    contracts: [
      ...CONTRACTS.map((address) => account(address, noise ? random.bytes(random.below(200)) : writeCode(random, 2))),
      ...DELEGATES.map((address, i) => account(address, concat(hex('ef0100'), DELEGATED_TO[i]!))),
    ],
    to: creates ? undefined : random.chance(0.8) ? CONTRACTS[0]! : random.pick(DELEGATES),
    data: creates ? writeCode(random, 2) : calldata(),
    valueWei: random.chance(0.7) ? 0n : BigInt(random.below(100)),
    gas: random.chance(0.8) ? 200_000n + BigInt(random.below(800_000)) : BigInt(random.below(60_000)),
    presetSlots: random.below(5),
    accessList: Array.from({ length: random.chance(0.7) ? 0 : 1 + random.below(3) }, () => ({
      address: random.pick([...CONTRACTS, ...DELEGATES, STRANGER]),
      slots: Array.from({ length: random.below(3) }, () => BigInt(random.below(6))),
    })),
  }
}
