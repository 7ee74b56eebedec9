/**
 * Changes of the batch, as the host writes them: the hash of the value (32 bytes), the length of the key (u32), the length of
 * the value or one of the marks below (i32), the key and the value. Zeros pad key and value to multiples of 8.
 */
import { copyBytes } from './bytes'
import { Key, beginAt, bytesOf, compare, createKey, lengthOf } from './keys'
import { CHANGES } from './layout'
import { Node, hashAt, keyBegin, keyOf } from './nodes'
import { blocksOf, end, enqueue, flush, lane } from './sha256'

/** A change by its address. */
export type Change = usize

/** The mark of a removal, instead of the value's length. Any other negative number: the host has hashed the value. */
const REMOVED: i32 = -1

@inline export function changeAt(index: u32): Change {
  return load<u32>(CHANGES + ((index as usize) << 2)) as usize
}
@inline export function keyLength(change: Change): u32 {
  return load<u32>(change, 32)
}
@inline export function keyBytes(change: Change): usize {
  return change + 40
}
@inline function valueLength(change: Change): i32 {
  return load<i32>(change, 36)
}
@inline export function isRemoval(change: Change): bool {
  return valueLength(change) == REMOVED
}

/** Compares the key of a change with that of a node, in byte order. */
@inline export function compareTo(change: Change, node: Node): i32 {
  const begin: u32 = keyLength(change) == 0 ? 0 : beginAt(keyBytes(change))
  if (begin != keyBegin(node)) return begin < keyBegin(node) ? -1 : 1
  const key = keyOf(node)
  return compare(keyBytes(change), keyLength(change), bytesOf(key), lengthOf(key))
}

@inline export function keyOfChange(change: Change): Key {
  return createKey(keyBytes(change), keyLength(change))
}

/** Copies the hash of the change's value into a leaf. */
@inline export function putValue(leaf: Node, change: Change): void {
  v128.store(hashAt(leaf), v128.load(change))
  v128.store(hashAt(leaf), v128.load(change, 16), 16)
}

/** Hashes the values of `count` changes from index `first`. */
export function hashValues(first: u32, count: u32): void {
  for (let i = first; i < first + count; i++) {
    const change = changeAt(i)
    const length = valueLength(change)
    if (length < 0) continue
    const blocks = blocksOf(length)
    const at = lane(blocks)
    copyBytes(at, keyBytes(change) + ((keyLength(change) + 7) & ~7), length)
    end(at, length, blocks)
    enqueue(blocks, change)
  }
  flush()
}
