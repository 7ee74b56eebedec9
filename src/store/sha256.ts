/**
 * SHA-256 within a memory of its own, for trees that hash thousands of short messages a block: no object is made for a
 * message or a digest. The WebAssembly program is written out here, round by round, and compiled when first used.
 */

/** A memory whose first `MESSAGE_BYTES` hold the message; digests lie wherever the caller wants them. */
export interface Hasher {
  /** The memory; another object after `grow`. */
  bytes(): Uint8Array
  /** Makes the memory at least so large. */
  grow(sizeBytes: number): void
  /** Hashes the first `length` bytes, at most `MAX_MESSAGE`, and writes 32 bytes at `out`. */
  digest(length: number, out: number): void
  /** Hashes the first `length` bytes (at most 53), then 0x20 and the 32 bytes at `left`, then 0x20 and those at `right`. */
  digestPair(length: number, left: number, right: number, out: number): void
}

/** Room for the message and its padding. */
export const MESSAGE_BYTES = 8192
export const MAX_MESSAGE = MESSAGE_BYTES - 72
const PAGE_BYTES = 65_536

interface Program {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): number }
  readonly digest: (blocks: number, out: number) => void
  readonly pair: (length: number, left: number, right: number, out: number) => void
}

let compiled: WebAssembly.Module | undefined

export function createHasher(): Hasher {
  compiled ??= new WebAssembly.Module(program())
  const { memory, digest, pair } = new WebAssembly.Instance(compiled).exports as unknown as Program
  let bytes = new Uint8Array(memory.buffer)
  return {
    bytes: () => bytes,
    grow(sizeBytes) {
      const missing = Math.ceil((sizeBytes - bytes.length) / PAGE_BYTES)
      if (missing <= 0) return
      memory.grow(missing)
      bytes = new Uint8Array(memory.buffer)
    },
    digest(length, out) {
      const blocks = (length + 72) >>> 6
      const end = blocks * 64
      bytes[length] = 0x80
      bytes.fill(0, length + 1, end - 4)
      const bits = length * 8
      bytes[end - 4] = bits >>> 24
      bytes[end - 3] = bits >>> 16
      bytes[end - 2] = bits >>> 8
      bytes[end - 1] = bits
      digest(blocks, out)
    },
    digestPair: pair,
  }
}

// Instructions of the program.
const [GET, SET, TEE, CONST, CALL, LOOP, BR_IF, END] = [0x20, 0x21, 0x22, 0x41, 0x10, 0x03, 0x0d, 0x0b]
const [LOAD, STORE, STORE8, LOAD64, STORE64] = [0x28, 0x36, 0x3a, 0x29, 0x37]
const [ADD, SUB, AND, OR, XOR, SHL, SHR, ROTL, ROTR] = [0x6a, 0x6b, 0x71, 0x72, 0x73, 0x74, 0x76, 0x77, 0x78]
const [EMPTY_BLOCK, CONST64, I32] = [0x40, 0x42, 0x7f]

/** The first 32 bits of the fractional parts of roots of the first primes: square roots for the state, cubic ones for the rounds. */
function fractions(count: number, root: 2n | 3n): number[] {
  const out: number[] = []
  for (let n = 2n; out.length < count; n++) {
    let isPrime = true
    for (let d = 2n; d * d <= n; d++) if (n % d === 0n) isPrime = false
    if (isPrime) out.push(Number(BigInt.asIntN(32, integerRoot(n << (32n * root), root))))
  }
  return out
}

function integerRoot(value: bigint, root: 2n | 3n): bigint {
  let [low, high] = [0n, 1n << 40n]
  while (high - low > 1n) {
    const middle = (low + high) >> 1n
    if (middle ** root <= value) low = middle
    else high = middle
  }
  return low
}

/** Signed LEB128, as constants are written. */
function signed(value: number): number[] {
  const out: number[] = []
  for (let rest = value; ; ) {
    const byte = rest & 0x7f
    rest >>= 7
    if ((rest === 0 && (byte & 0x40) === 0) || (rest === -1 && (byte & 0x40) !== 0)) return [...out, byte]
    out.push(byte | 0x80)
  }
}

/** Unsigned LEB128, as lengths are written. */
function unsigned(value: number): number[] {
  const out: number[] = []
  let rest = value
  for (; rest >= 0x80; rest >>>= 7) out.push((rest & 0x7f) | 0x80)
  return [...out, rest]
}

const get = (local: number) => [GET, local]
const constant = (value: number) => [CONST, ...signed(value)]
const rotated = (local: number, by: number) => [...get(local), ...constant(by), ROTR]
const shifted = (local: number, by: number) => [...get(local), ...constant(by), SHR]

/** `digest(blocks, out)`: compresses blocks from address 0 on and writes the state. */
function digestBody(): number[] {
  const [BLOCKS, OUT, AT] = [0, 1, 2]
  const state = Array.from({ length: 8 }, (_, i) => 3 + i)
  const work = Array.from({ length: 8 }, (_, i) => 11 + i)
  const words = Array.from({ length: 16 }, (_, i) => 19 + i)
  const [T, LAST] = [35, 35]
  const rounds = fractions(64, 3n)
  const code: number[] = []
  fractions(8, 2n).forEach((value, i) => {
    code.push(...constant(value), SET, state[i]!)
  })
  code.push(LOOP, EMPTY_BLOCK)
  words.forEach((word, i) => {
    // Bytes to big-endian.
    code.push(...get(AT), LOAD, 0, ...unsigned(i * 4), TEE, word, ...constant(8), ROTL, ...constant(0x00ff00ff), AND)
    code.push(...get(word), ...constant(8), ROTR, ...constant(0xff00ff00 | 0), AND, OR, SET, word)
  })
  work.forEach((local, i) => {
    code.push(...get(state[i]!), SET, local)
  })
  for (let i = 0; i < 64; i++) {
    const [a, b, c, d, e, f, g, h] = work.map((_, k) => work[(k - i + 64) % 8]!) as [
      ...[number, number, number, number],
      ...[number, number, number, number],
    ]
    const word = words[i % 16]!
    if (i >= 16) {
      const [w1, w9, w14] = [words[(i + 1) % 16]!, words[(i + 9) % 16]!, words[(i + 14) % 16]!]
      code.push(...get(word), ...rotated(w1, 7), ...rotated(w1, 18), XOR, ...shifted(w1, 3), XOR, ADD)
      code.push(
        ...get(w9),
        ADD,
        ...rotated(w14, 17),
        ...rotated(w14, 19),
        XOR,
        ...shifted(w14, 10),
        XOR,
        ADD,
        SET,
        word,
      )
    }
    code.push(...get(h), ...rotated(e, 6), ...rotated(e, 11), XOR, ...rotated(e, 25), XOR, ADD)
    code.push(...get(f), ...get(g), XOR, ...get(e), AND, ...get(g), XOR, ADD)
    code.push(...constant(rounds[i]!), ADD, ...get(word), ADD, TEE, T)
    code.push(...get(d), ADD, SET, d)
    code.push(...get(T), ...rotated(a, 2), ...rotated(a, 13), XOR, ...rotated(a, 22), XOR, ADD)
    code.push(...get(a), ...get(b), OR, ...get(c), AND, ...get(a), ...get(b), AND, OR, ADD, SET, h)
  }
  work.forEach((local, i) => {
    code.push(...get(state[i]!), ...get(local), ADD, SET, state[i]!)
  })
  code.push(...get(AT), ...constant(64), ADD, SET, AT)
  code.push(...get(BLOCKS), ...constant(1), SUB, TEE, BLOCKS, BR_IF, 0, END)
  state.forEach((local, i) => {
    code.push(...get(OUT), ...get(local), ...constant(8), ROTL, ...constant(0x00ff00ff), AND)
    code.push(...get(local), ...constant(8), ROTR, ...constant(0xff00ff00 | 0), AND, OR, STORE, 0, ...unsigned(i * 4))
  })
  return [...unsigned(1), ...unsigned(LAST - 1), I32, ...code, END]
}

/** `pair(length, left, right, out)`: puts two digests behind the message, pads it to two blocks and hashes it. */
function pairBody(): number[] {
  const [LENGTH, LEFT, RIGHT, OUT] = [0, 1, 2, 3]
  const code: number[] = []
  for (let at = 64; at < 128; at += 8) code.push(...constant(at), CONST64, 0, STORE64, 0, ...unsigned(0))
  const copy = (from: number, offset: number) => {
    code.push(...get(LENGTH), ...constant(0x20), STORE8, 0, ...unsigned(offset))
    for (let k = 0; k < 32; k += 8) {
      code.push(...get(LENGTH), ...get(from), LOAD64, 0, ...unsigned(k), STORE64, 0, ...unsigned(offset + 1 + k))
    }
  }
  copy(LEFT, 0)
  copy(RIGHT, 33)
  code.push(...get(LENGTH), ...constant(0x80), STORE8, 0, ...unsigned(66))
  const bits = [...get(LENGTH), ...constant(66), ADD, ...constant(3), SHL]
  code.push(...constant(126), ...bits, ...constant(8), SHR, STORE8, 0, 0)
  code.push(...constant(127), ...bits, STORE8, 0, 0)
  code.push(...constant(2), ...get(OUT), CALL, 0)
  return [0, ...code, END]
}

/** The module: two functions and a memory of one page. */
function program(): Uint8Array<ArrayBuffer> {
  const section = (id: number, content: number[]) => [id, ...unsigned(content.length), ...content]
  const body = (content: number[]) => [...unsigned(content.length), ...content]
  const name = (text: string) => [text.length, ...Array.from(text, (c) => c.charCodeAt(0))]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [2, 0x60, 2, I32, I32, 0, 0x60, 4, I32, I32, I32, I32, 0]),
    ...section(3, [2, 0, 1]),
    ...section(5, [1, 0, 1]),
    ...section(7, [3, ...name('memory'), 2, 0, ...name('digest'), 0, 0, ...name('pair'), 0, 1]),
    ...section(10, [2, ...body(digestBody()), ...body(pairBody())]),
  ])
}
