/**
 * Keys of nodes: u32 holders, u32 length, then the bytes, filled up with zeros to a multiple of 8. Nodes share them; the
 * room of one that nobody holds goes to the next of its size.
 */
import { copyBytes } from './bytes'
import { FREE_KEYS, KEY_SLAB, KEY_SLAB_END } from './layout'
import { takeRoom } from './room'

/** A key by its address. */
export type Key = usize

/** Longer ones the host does not let in. */
export const MAX_KEY: u32 = 4096
const SLAB_BYTES: usize = 0x10000

@inline function freeAt(bytes: usize): usize {
  return FREE_KEYS + (bytes >>> 1)
}

@inline function sizeOf(length: u32): usize {
  return 8 + (((length as usize) + 7) & ~7)
}

@inline export function lengthOf(key: Key): u32 {
  return load<u32>(key, 4)
}

@inline export function bytesOf(key: Key): usize {
  return key + 8
}

/** The first four bytes, big-endian, of a key or of what is filled up in the same way. */
@inline export function beginAt(bytes: usize): u32 {
  return bswap(load<u32>(bytes))
}
/** Those of a key. */
@inline export function beginOf(key: Key): u32 {
  return lengthOf(key) == 0 ? 0 : beginAt(bytesOf(key))
}

/** A key of one holder with the bytes at an address. */
export function createKey(from: usize, length: u32): Key {
  const size = sizeOf(length)
  const at = freeAt(size)
  let key = load<u32>(at) as usize
  if (key != 0) store<u32>(at, load<u32>(key))
  else {
    key = load<u32>(KEY_SLAB) as usize
    if (key + size > (load<u32>(KEY_SLAB_END) as usize)) {
      key = takeRoom(SLAB_BYTES)
      store<u32>(KEY_SLAB_END, (key + SLAB_BYTES) as u32)
    }
    store<u32>(KEY_SLAB, (key + size) as u32)
  }
  store<u32>(key, 1)
  store<u32>(key, length, 4)
  copyBytes(key + 8, from, length)
  const odd = length & 7
  if (odd != 0) store<u64>(key + size - 8, load<u64>(key + size - 8) & (((1 as u64) << (odd << 3)) - 1))
  return key
}

/** The key for one more holder. */
@inline export function shareKey(key: Key): Key {
  store<u32>(key, load<u32>(key) + 1)
  return key
}

/** One holder less. */
export function dropKey(key: Key): void {
  const holders = load<u32>(key) - 1
  store<u32>(key, holders)
  if (holders != 0) return
  const at = freeAt(sizeOf(lengthOf(key)))
  store<u32>(key, load<u32>(at))
  store<u32>(at, key as u32)
}

/** Negative, zero or positive, by byte order. Both are filled up with zeros to a multiple of 8. */
export function compare(a: usize, lengthA: u32, b: usize, lengthB: u32): i32 {
  const shorter = min(lengthA, lengthB)
  for (let i: u32 = 0; i < shorter; i += 8) {
    const x = load<u64>(a + i)
    const y = load<u64>(b + i)
    if (x != y) return bswap(x) < bswap(y) ? -1 : 1
  }
  return (lengthA as i32) - (lengthB as i32)
}

/** Forgets all keys. */
export function clearKeys(): void {
  store<u32>(KEY_SLAB, 0)
  store<u32>(KEY_SLAB_END, 0)
  memory.fill(FREE_KEYS, 0, freeAt(sizeOf(MAX_KEY)) + 4 - FREE_KEYS)
}
