/**
 * Keys of nodes: a reference count (u32), the length (u32), and the bytes, padded with zeros to a multiple of 8. Nodes share
 * keys. The memory of an unreferenced key is reused for the next key of the same size.
 */
import { copyBytes } from './bytes'
import { FREE_KEYS, KEY_SLAB, KEY_SLAB_END } from './layout'
import { allocateBytes } from './heap'

/** A key by its address. */
export type Key = usize

/** The longest key. The host refuses longer ones. */
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

/** Returns the first four bytes, big-endian, of zero-padded bytes. */
@inline export function beginAt(bytes: usize): u32 {
  return bswap(load<u32>(bytes))
}
/** Returns the first four bytes of a key, big-endian. */
@inline export function beginOf(key: Key): u32 {
  return lengthOf(key) == 0 ? 0 : beginAt(bytesOf(key))
}

/** Creates a key with one reference from the bytes at an address. */
export function createKey(from: usize, length: u32): Key {
  const size = sizeOf(length)
  const at = freeAt(size)
  let key = load<u32>(at) as usize
  if (key != 0) store<u32>(at, load<u32>(key))
  else {
    key = load<u32>(KEY_SLAB) as usize
    if (key + size > (load<u32>(KEY_SLAB_END) as usize)) {
      key = allocateBytes(SLAB_BYTES)
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

/** Adds a reference to a key. */
@inline export function shareKey(key: Key): Key {
  store<u32>(key, load<u32>(key) + 1)
  return key
}

/** Removes a reference from a key, and frees the key with the last one. */
export function dropKey(key: Key): void {
  const references = load<u32>(key) - 1
  store<u32>(key, references)
  if (references != 0) return
  const at = freeAt(sizeOf(lengthOf(key)))
  store<u32>(key, load<u32>(at))
  store<u32>(at, key as u32)
}

/** Compares two byte strings in byte order: negative, zero or positive. Zeros must pad both to a multiple of 8. */
export function compare(a: usize, lengthA: u32, b: usize, lengthB: u32): i32 {
  const shorter = min(lengthA, lengthB)
  for (let i: u32 = 0; i < shorter; i += 8) {
    const x = load<u64>(a + i)
    const y = load<u64>(b + i)
    if (x != y) return bswap(x) < bswap(y) ? -1 : 1
  }
  return (lengthA as i32) - (lengthB as i32)
}

/** Drops all keys. */
export function clearKeys(): void {
  store<u32>(KEY_SLAB, 0)
  store<u32>(KEY_SLAB_END, 0)
  memory.fill(FREE_KEYS, 0, freeAt(sizeOf(MAX_KEY)) + 4 - FREE_KEYS)
}
