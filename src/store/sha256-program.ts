/** SHA-256 as a WebAssembly program, written out round by round. The build runs this once; see `scripts/prebuilt.mjs`. */

/** Room for the message of a lane and its padding. */
export const LANE_BYTES = 256
export const LANES = 4

// Instructions of the program.
const [GET, SET, TEE, CONST, LOOP, BR_IF, END] = [0x20, 0x21, 0x22, 0x41, 0x03, 0x0d, 0x0b]
const [LOAD, STORE, STORE8, LOAD64, STORE64] = [0x28, 0x36, 0x3a, 0x29, 0x37]
const [ADD, SUB, AND, OR, XOR, SHL, SHR, ROTL, ROTR] = [0x6a, 0x6b, 0x71, 0x72, 0x73, 0x74, 0x76, 0x77, 0x78]
const [EMPTY_BLOCK, CONST64, I32, V128] = [0x40, 0x42, 0x7f, 0x7b]
/** Instructions on four 32-bit lanes. */
const four = (...code: number[]) => [0xfd, ...code]
const [VECTOR, SHUFFLE, SPLAT, LANE] = [four(0x0c), four(0x0d), four(0x11), four(0x1b)]
const [LOAD_LANE, XOR4, SELECT] = [four(0x56), four(0x51), four(0x52)]
const [SHL4, SHR4, ADD4, OR4] = [four(0xab, 1), four(0xad, 1), four(0xae, 1), four(0x50)]

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

/** Instructions of the compression on 32-bit words: those of one message, or of one in each lane. */
interface Words {
  readonly add: readonly number[]
  readonly xor: readonly number[]
  constant(value: number): number[]
  turnedRight(local: number, by: number): number[]
  movedRight(local: number, by: number): number[]
  /** Each bit from the second where the first has one, else from the third. */
  choice(first: number, second: number, third: number): number[]
  /** The bit that at least two have. */
  majority(first: number, second: number, third: number): number[]
}

const ONE: Words = {
  add: [ADD],
  xor: [XOR],
  constant,
  turnedRight: (local, by) => [...get(local), ...constant(by), ROTR],
  movedRight: (local, by) => [...get(local), ...constant(by), SHR],
  choice: (a, b, c) => [...get(b), ...get(c), XOR, ...get(a), AND, ...get(c), XOR],
  majority: (a, b, c) => [...get(a), ...get(b), OR, ...get(c), AND, ...get(a), ...get(b), AND, OR],
}

const FOUR: Words = {
  add: ADD4,
  xor: XOR4,
  constant: (value) => [...constant(value), ...SPLAT],
  turnedRight: (local, by) => [
    ...[...get(local), ...constant(by), ...SHR4],
    ...[...get(local), ...constant(32 - by), ...SHL4, ...OR4],
  ],
  movedRight: (local, by) => [...get(local), ...constant(by), ...SHR4],
  choice: (a, b, c) => [...get(b), ...get(c), ...get(a), ...SELECT],
  // The third where the first two differ, else either.
  majority: (a, b, c) => [...get(c), ...get(a), ...get(a), ...get(b), ...XOR4, ...SELECT],
}

/** Locals of a function that hashes, from the given one on. */
function localsFrom(first: number) {
  const many = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + i)
  return { state: many(first, 8), work: many(first + 8, 8), words: many(first + 16, 16), sum: first + 32 }
}
type Locals = ReturnType<typeof localsFrom>
const HASH_LOCALS = 33

/** Rounds over all blocks, from the first state on; `load` gives the words of the block that a local points at. */
function hashing(of: Words, { state, work, words, sum }: Locals, blocks: number, at: number, load: number[]): number[] {
  const { add, xor } = of
  const rounds = fractions(64, 3n)
  const turnedThrice = (local: number, a: number, b: number, c: number) => [
    ...[...of.turnedRight(local, a), ...of.turnedRight(local, b), ...xor, ...of.turnedRight(local, c), ...xor],
  ]
  const mixed = (local: number, a: number, b: number, by: number) => [
    ...[...of.turnedRight(local, a), ...of.turnedRight(local, b), ...xor, ...of.movedRight(local, by), ...xor],
  ]
  const code: number[] = []
  fractions(8, 2n).forEach((value, i) => {
    code.push(...of.constant(value), SET, state[i]!)
  })
  code.push(LOOP, EMPTY_BLOCK, ...load)
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
      code.push(...get(word), ...mixed(w1, 7, 18, 3), ...add, ...get(w9), ...add, ...mixed(w14, 17, 19, 10), ...add)
      code.push(SET, word)
    }
    code.push(...get(h), ...turnedThrice(e, 6, 11, 25), ...add, ...of.choice(e, f, g), ...add)
    code.push(...of.constant(rounds[i]!), ...add, ...get(word), ...add, TEE, sum, ...get(d), ...add, SET, d)
    code.push(...get(sum), ...turnedThrice(a, 2, 13, 22), ...add, ...of.majority(a, b, c), ...add, SET, h)
  }
  work.forEach((local, i) => {
    code.push(...get(state[i]!), ...get(local), ...add, SET, state[i]!)
  })
  code.push(...get(at), ...constant(64), ADD, SET, at)
  return [...code, ...get(blocks), ...constant(1), SUB, TEE, blocks, BR_IF, 0, END]
}

/** A word of the other order of bytes, once from the code that leaves it and then from its local. */
function swapped(first: number[], local: number): number[] {
  return [
    ...[...first, ...constant(8), ROTL, ...constant(0x00ff00ff), AND],
    ...[...get(local), ...constant(8), ROTR, ...constant(0xff00ff00 | 0), AND, OR],
  ]
}

/** `digest(blocks, out)`: compresses blocks from address 0 on and writes the state. */
function digestBody(): number[] {
  const [BLOCKS, OUT, AT] = [0, 1, 2]
  const locals = localsFrom(3)
  const load = locals.words.flatMap((word, i) => [
    ...[...swapped([...get(AT), LOAD, 0, ...unsigned(i * 4), TEE, word], word), SET, word],
  ])
  const code = hashing(ONE, locals, BLOCKS, AT, load)
  locals.state.forEach((local, i) => {
    code.push(...get(OUT), ...swapped(get(local), local), STORE, 0, ...unsigned(i * 4))
  })
  return [...unsigned(1), ...unsigned(1 + HASH_LOCALS), I32, ...code, END]
}

/** `lanes(blocks, out0, out1, out2, out3)`: `digest` for four messages of as many blocks, `LANE_BYTES` apart, side by side. */
function lanesBody(): number[] {
  const [BLOCKS, FIRST_OUT, AT] = [0, 1, 5]
  const locals = localsFrom(6)
  const turned = [...SHUFFLE, ...[3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]]
  const load = locals.words.flatMap((word, i) => {
    const code = [...VECTOR, ...new Array<number>(16).fill(0), SET, word]
    for (let lane = 0; lane < LANES; lane++) {
      code.push(...get(AT), ...get(word), ...LOAD_LANE, 0, ...unsigned(lane * LANE_BYTES + i * 4), lane, SET, word)
    }
    return [...code, ...get(word), ...get(word), ...turned, SET, word]
  })
  const code = hashing(FOUR, locals, BLOCKS, AT, load)
  locals.state.forEach((local, i) => {
    code.push(...get(local), ...get(local), ...turned, SET, local)
    for (let lane = 0; lane < LANES; lane++) {
      code.push(...get(FIRST_OUT + lane), ...get(local), ...LANE, lane, STORE, 0, ...unsigned(i * 4))
    }
  })
  return [...unsigned(2), ...unsigned(1), I32, ...unsigned(HASH_LOCALS), V128, ...code, END]
}

/** `put(at, length, left, right)`: puts two digests behind the message at an address and pads it to two blocks. */
function putBody(): number[] {
  const [AT, LENGTH, LEFT, RIGHT, BEHIND] = [0, 1, 2, 3, 4]
  const code: number[] = [...get(AT), ...get(LENGTH), ADD, SET, BEHIND]
  for (let at = 64; at < 128; at += 8) code.push(...get(AT), CONST64, 0, STORE64, 0, ...unsigned(at))
  const copy = (from: number, offset: number) => {
    code.push(...get(BEHIND), ...constant(0x20), STORE8, 0, ...unsigned(offset))
    for (let k = 0; k < 32; k += 8) {
      code.push(...get(BEHIND), ...get(from), LOAD64, 0, ...unsigned(k), STORE64, 0, ...unsigned(offset + 1 + k))
    }
  }
  copy(LEFT, 0)
  copy(RIGHT, 33)
  code.push(...get(BEHIND), ...constant(0x80), STORE8, 0, ...unsigned(66))
  const bits = [...get(LENGTH), ...constant(66), ADD, ...constant(3), SHL]
  code.push(...get(AT), ...bits, ...constant(8), SHR, STORE8, 0, ...unsigned(126))
  code.push(...get(AT), ...bits, STORE8, 0, ...unsigned(127))
  return [...unsigned(1), ...unsigned(1), I32, ...code, END]
}

/** The module: three functions and a memory of one page. */
export function program(): Uint8Array<ArrayBuffer> {
  const section = (id: number, content: number[]) => [id, ...unsigned(content.length), ...content]
  const body = (content: number[]) => [...unsigned(content.length), ...content]
  const name = (text: string) => [text.length, ...Array.from(text, (c) => c.charCodeAt(0))]
  const exported = (text: string, index: number) => [...name(text), 0, index]
  const takes = (count: number) => [0x60, count, ...new Array<number>(count).fill(I32), 0]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [3, ...takes(2), ...takes(4), ...takes(5)]),
    ...section(3, [3, 0, 1, 2]),
    ...section(5, [1, 0, 1]),
    ...section(7, [
      4,
      ...name('memory'),
      2,
      0,
      ...exported('digest', 0),
      ...exported('put', 1),
      ...exported('lanes', 2),
    ]),
    ...section(10, [3, ...[digestBody(), putBody(), lanesBody()].flatMap(body)]),
  ])
}
