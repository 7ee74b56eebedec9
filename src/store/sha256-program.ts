/** SHA-256 as a WebAssembly program, written out round by round. The build runs this once; see `scripts/prebuilt.mjs`. */

/** Room for the message of a lane and its padding. */
export const LANE_BYTES = 128
export const LANES = 4

// Instructions of the program.
const [GET, SET, TEE, CONST, CALL, LOOP, BR_IF, END] = [0x20, 0x21, 0x22, 0x41, 0x10, 0x03, 0x0d, 0x0b]
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

/** `lanes(out0, out1, out2, out3)`: `digest` of two blocks for four messages, `LANE_BYTES` apart, side by side. */
function lanesBody(): number[] {
  const state = Array.from({ length: 8 }, (_, i) => 4 + i)
  const work = Array.from({ length: 8 }, (_, i) => 12 + i)
  const words = Array.from({ length: 16 }, (_, i) => 20 + i)
  const [T, LAST] = [36, 36]
  const rounds = fractions(64, 3n)
  const turned = (local: number, by: number) => [
    ...[...get(local), ...constant(by), ...SHR4],
    ...[...get(local), ...constant(32 - by), ...SHL4, ...OR4],
  ]
  const moved = (local: number, by: number) => [...get(local), ...constant(by), ...SHR4]
  const swapped = [...SHUFFLE, ...[3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12]]
  const splat = (value: number) => [...constant(value), ...SPLAT]
  const code: number[] = []
  fractions(8, 2n).forEach((value, i) => {
    code.push(...splat(value), SET, state[i]!)
  })
  for (let block = 0; block < 2; block++) {
    words.forEach((word, i) => {
      code.push(...VECTOR, ...new Array<number>(16).fill(0), SET, word)
      for (let lane = 0; lane < LANES; lane++) {
        const at = lane * LANE_BYTES + block * 64 + i * 4
        code.push(...constant(at), ...get(word), ...LOAD_LANE, 0, 0, lane, SET, word)
      }
      code.push(...get(word), ...get(word), ...swapped, SET, word)
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
        code.push(...get(word), ...turned(w1, 7), ...turned(w1, 18), ...XOR4, ...moved(w1, 3), ...XOR4, ...ADD4)
        code.push(...get(w9), ...ADD4, ...turned(w14, 17), ...turned(w14, 19), ...XOR4)
        code.push(...moved(w14, 10), ...XOR4, ...ADD4, SET, word)
      }
      code.push(...get(h), ...turned(e, 6), ...turned(e, 11), ...XOR4, ...turned(e, 25), ...XOR4, ...ADD4)
      code.push(...get(f), ...get(g), ...get(e), ...SELECT, ...ADD4)
      code.push(...splat(rounds[i]!), ...ADD4, ...get(word), ...ADD4, TEE, T)
      code.push(...get(d), ...ADD4, SET, d)
      code.push(...get(T), ...turned(a, 2), ...turned(a, 13), ...XOR4, ...turned(a, 22), ...XOR4, ...ADD4)
      // The majority: the third where the first two differ, else either.
      code.push(...get(c), ...get(a), ...get(a), ...get(b), ...XOR4, ...SELECT, ...ADD4, SET, h)
    }
    work.forEach((local, i) => {
      code.push(...get(state[i]!), ...get(local), ...ADD4, SET, state[i]!)
    })
  }
  state.forEach((local, i) => {
    code.push(...get(local), ...get(local), ...swapped, SET, local)
    for (let lane = 0; lane < LANES; lane++) {
      code.push(...get(lane), ...get(local), ...LANE, lane, STORE, 0, ...unsigned(i * 4))
    }
  })
  return [...unsigned(1), ...unsigned(LAST - 3), V128, ...code, END]
}

const DIGEST = 0

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

const PUT = 2

/** `pair(length, left, right, out)`: `put` at the beginning, then `digest`. */
function pairBody(): number[] {
  const [LENGTH, LEFT, RIGHT, OUT] = [0, 1, 2, 3]
  const filled = [...constant(0), ...get(LENGTH), ...get(LEFT), ...get(RIGHT), CALL, PUT]
  return [0, ...filled, ...constant(2), ...get(OUT), CALL, DIGEST, END]
}

/** The module: four functions and a memory of one page. */
export function program(): Uint8Array<ArrayBuffer> {
  const section = (id: number, content: number[]) => [id, ...unsigned(content.length), ...content]
  const body = (content: number[]) => [...unsigned(content.length), ...content]
  const name = (text: string) => [text.length, ...Array.from(text, (c) => c.charCodeAt(0))]
  const exported = (text: string, index: number) => [...name(text), 0, index]
  return Uint8Array.from([
    ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, [2, 0x60, 2, I32, I32, 0, 0x60, 4, I32, I32, I32, I32, 0]),
    ...section(3, [4, 0, 1, 1, 1]),
    ...section(5, [1, 0, 1]),
    ...section(7, [
      ...[5, ...name('memory'), 2, 0],
      ...[...exported('digest', DIGEST), ...exported('pair', 1), ...exported('put', PUT), ...exported('lanes', 3)],
    ]),
    ...section(10, [4, ...[digestBody(), pairBody(), putBody(), lanesBody()].flatMap(body)]),
  ])
}
