/**
 * The trees of the app hash in plain JavaScript, for comparison: one object per node, SHA-256 by `@noble/hashes`. Each changed node
 * is created and hashed once per block.
 */

import { sha256 } from '@noble/hashes/sha2.js'
import { writeVarint } from '../src/primitives/varint.ts'
import type { Change } from '../src/store/types.ts'

interface PlainNode {
  readonly key: Uint8Array
  readonly version: number
  readonly height: number
  readonly size: number
  readonly hash: Uint8Array
  readonly left?: PlainNode
  readonly right?: PlainNode
}

const message = new Uint8Array(512)

function leaf(key: Uint8Array, value: Uint8Array, version: number): PlainNode {
  message.set([0, 2])
  let at = writeVarint(message, 2, version * 2)
  at = writeVarint(message, at, key.length)
  message.set(key, at)
  at += key.length
  message[at++] = 32
  message.set(sha256(value), at)
  return { key, version, height: 0, size: 1, hash: sha256(message.subarray(0, at + 32)) }
}

function inner(key: Uint8Array, left: PlainNode, right: PlainNode, version: number): PlainNode {
  const height = Math.max(left.height, right.height) + 1
  const size = left.size + right.size
  let at = writeVarint(message, 0, height * 2)
  at = writeVarint(message, at, size * 2)
  at = writeVarint(message, at, version * 2)
  for (const { hash } of [left, right]) {
    message[at] = 32
    message.set(hash, at + 1)
    at += 33
  }
  return { key, version, height, size, left, right, hash: sha256(message.subarray(0, at)) }
}

const less = (a: Uint8Array, b: Uint8Array) => Buffer.compare(a, b) < 0

/** Builds a balanced tree from sorted, distinct keys. */
export function plant(entries: readonly Change[], version: number): PlainNode {
  const [first] = entries
  if (entries.length === 1) return leaf(first!.key, first!.value!, version)
  const middle = entries.length >>> 1
  const [left, right] = [plant(entries.slice(0, middle), version), plant(entries.slice(middle), version)]
  return inner(entries[middle]!.key, left, right, version)
}

/** Sets new values of existing keys, sorted and distinct, from index `from` to before `to`. Returns the new tree. */
export function rewrite(
  tree: PlainNode,
  changes: readonly Change[],
  version: number,
  from = 0,
  to = changes.length,
): PlainNode {
  if (from === to) return tree
  const { key, left, right } = tree
  if (!left || !right) return leaf(key, changes[from]!.value!, version)
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (less(changes[middle]!.key, key)) low = middle + 1
    else high = middle
  }
  return inner(key, rewrite(left, changes, version, from, low), rewrite(right, changes, version, low, to), version)
}
