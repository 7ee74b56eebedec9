/** Formats recorded steps as JSON entries of a struct log, in the memory that holds the records, so that nothing is copied twice. */
import { FORMAT_COUNT, FORMAT_END, FORMAT_LAST, FORMAT_NEXT, FORMAT_OPEN, NAMES, TEXT, TEXT_END } from './layout'

const STEP: usize = 56
/** The maximum length of an entry, without the 70 bytes for each word of its stack. */
const ENTRY: usize = 256
const WORD: usize = 70

/** Flags: write stacks; leave entries of storage steps open; leave every entry open. The host completes open entries. */
const WITH_STACK: u32 = 1
const OPEN_STORAGE: u32 = 2
const OPEN_ALL: u32 = 4

/** Returns the eight hexadecimal digits of 32 bits, the first one in the lowest byte. */
@inline function digits(value: u64): u64 {
  let x = value
  x = (x << 16 | x) & 0x0000ffff0000ffff
  x = (x << 8 | x) & 0x00ff00ff00ff00ff
  x = (x << 4 | x) & 0x0f0f0f0f0f0f0f0f
  const letters = ((x + 0x0606060606060606) >> 4) & 0x0101010101010101
  return bswap<u64>(x + 0x3030303030303030 + letters * 39)
}

/** Writes 16 digits. */
@inline function limb(at: usize, value: u64): void {
  store<u64>(at, digits(value >> 32))
  store<u64>(at, digits(value & 0xffffffff), 8)
}

/** Writes a nonzero limb without leading zeros. Returns the end of the digits; up to 8 bytes after it are overwritten too. */
@inline function leading(at: usize, value: u64): usize {
  const count = 16 - (clz<u64>(value) >> 2)
  const low = digits(value & 0xffffffff)
  if (count <= 8) {
    store<u64>(at, low >> ((8 - count) << 3))
    return at + <usize>count
  }
  store<u64>(at, digits(value >> 32) >> ((16 - count) << 3))
  store<u64>(at + <usize>(count - 8), low)
  return at + <usize>count
}

/** Writes a word of the stack as a quoted quantity. Returns the end. */
function word(start: usize, p: usize): usize {
  let at = start
  store<u32>(at, 0x783022) // "0x
  at += 3
  const a = load<u64>(p), b = load<u64>(p, 8), c = load<u64>(p, 16), d = load<u64>(p, 24)
  if (d != 0) {
    at = leading(at, d)
    limb(at, c)
    limb(at + 16, b)
    limb(at + 32, a)
    at += 48
  } else if (c != 0) {
    at = leading(at, c)
    limb(at, b)
    limb(at + 16, a)
    at += 32
  } else if (b != 0) {
    at = leading(at, b)
    limb(at, a)
    at += 16
  } else if (a != 0) {
    at = leading(at, a)
  } else {
    store<u8>(at++, 0x30)
  }
  store<u8>(at, 0x22)
  return at + 1
}

function decimal(start: usize, value: u64): usize {
  let length: usize = 1
  for (let rest = value; rest >= 10; rest /= 10) length++
  let rest = value
  for (let i = length; i > 0; i--) {
    const next = rest / 10
    store<u8>(start + i - 1, <u8>(0x30 + (rest - next * 10)))
    rest = next
  }
  return start + length
}

/** Writes a text of up to eight bytes. Returns `at + length`, the end of the text. */
@inline function put(at: usize, text: u64, length: usize): usize {
  store<u64>(at, text)
  return at + length
}

/**
 * Writes entries from the record at `from` on, each with a leading comma. Ends at the end of the records, after `most` steps, when
 * the text region is full, or after a step that is left open.
 */
export function format(from: usize, end: usize, flags: u32, most: u32): void {
  let at: usize = TEXT
  let record = from
  let count: u32 = 0
  store<u32>(FORMAT_OPEN, 0)
  while (record < end && count < most) {
    const size = <usize>load<u32>(record)
    if (load<u32>(record, 4) != 0) {
      record += size
      continue
    }
    const height = <usize>load<u32>(record, 48)
    if (at + ENTRY + height * WORD > TEXT_END) break
    const op = load<u32>(record, 12)
    at = put(at, 0x3a226370227b2c, 7) // ,{"pc":
    at = decimal(at, load<u32>(record, 8))
    at = put(at, 0x223a22706f222c, 7) // ,"op":"
    const name = NAMES + (<usize>op << 5)
    const length = <usize>load<u8>(name)
    memory.copy(at, name + 1, 24)
    at += length
    at = put(at, 0x3a22736167222c22, 8) // ","gas":
    at = decimal(at, load<u64>(record, 24))
    at = put(at, 0x736f43736167222c, 8) // ,"gasCos
    at = put(at, 0x3a2274, 3) // t":
    at = decimal(at, load<u64>(record, 32))
    at = put(at, 0x226874706564222c, 8) // ,"depth"
    store<u8>(at++, 0x3a)
    at = decimal(at, load<u32>(record, 16))
    if ((flags & WITH_STACK) != 0) {
      at = put(at, 0x226b63617473222c, 8) // ,"stack"
      at = put(at, 0x5b3a, 2) // :[
      let p = record + STEP
      for (let i: usize = 0; i < height; i++) {
        if (i != 0) store<u8>(at++, 0x2c)
        at = word(at, p)
        p += 32
      }
      store<u8>(at++, 0x5d)
    }
    const refund = load<i64>(record, 40)
    if (refund != 0) {
      at = put(at, 0x646e75666572222c, 8) // ,"refund
      at = put(at, 0x3a22, 2) // ":
      at = decimal(at, <u64>refund)
    }
    count++
    record += size
    const touchesStorage = op == 0x54 || op == 0x55
    const isOpen = (flags & OPEN_ALL) != 0 || load<u32>(record - size, 52) == 1 || ((flags & OPEN_STORAGE) != 0 && touchesStorage)
    if (isOpen) {
      store<u32>(FORMAT_OPEN, 1)
      store<u32>(FORMAT_LAST, <u32>(record - size))
      break
    }
    store<u8>(at++, 0x7d)
  }
  store<u32>(FORMAT_NEXT, <u32>record)
  store<u32>(FORMAT_END, <u32>at)
  store<u32>(FORMAT_COUNT, count)
}
