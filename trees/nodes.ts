/**
 * Nodes of trees. A node has 64 bytes, one line of the processor's cache, and is identified by its address divided by 64.
 */
import { Key, beginOf, dropKey, shareKey } from './keys'
import { FREED, FREE_NODES, FRESH_NODES, FRESH_NODES_END, LISTED_NODES, NODE_COUNT } from './layout'
import { allocateBytes } from './heap'

export type Node = i32
/** The empty tree. */
export const NONE: Node = 0

/** Flag of a node that is in memory. Without it, only the page, height, size and hash are valid. */
export const LOADED: u32 = 1
/** Flag of a node with a valid hash. */
export const HASHED: u32 = 2
/** Flag of a node that was read from disk. It is never changed in place. */
export const STORED: u32 = 4
/** Flag of a node in a list of unhashed nodes. */
export const LISTED: u32 = 8

// The first 32 bytes are the hash. An unhashed leaf stores the hash of its value there.
const HEIGHT: usize = 32
/** Whether the node counts as a reference to its key. */
const HOLDS: usize = 33
const FLAGS: usize = 34
/** The first four bytes of the key, big-endian. They decide most comparisons without a read of the key's cache line. */
const BEGIN: usize = 36
const SIZE: usize = 40
const VERSION: usize = 44
/** The children of an inner node. */
const LEFT: usize = 48
const RIGHT: usize = 52
/** Number of the page that starts at the node, or 0. */
const PAGE: usize = 56
const KEY: usize = 60
const NODE_BYTES: usize = 64
const SLAB_BYTES: usize = 0x10000

/**
 * Returns the free node that lists other free nodes: it contains the next such node and up to MAX_LISTED numbers. So only one
 * free node in sixteen is read before its reuse. Most were last used long ago and are no longer in the processor's cache.
 */
@inline function free(): Node {
  return load<i32>(FREE_NODES)
}
/** Returns how many free nodes it lists. */
@inline function listed(): i32 {
  return load<i32>(LISTED_NODES)
}
const MAX_LISTED: i32 = 15

@inline export function addressOf(node: Node): usize {
  return (node as usize) << 6
}
@inline export function hashAt(node: Node): usize {
  return addressOf(node)
}
@inline export function height(node: Node): u32 {
  return load<u8>(addressOf(node), HEIGHT)
}
@inline export function setHeight(node: Node, height: u32): void {
  store<u8>(addressOf(node), height as u8, HEIGHT)
}
@inline export function flags(node: Node): u32 {
  return load<u16>(addressOf(node), FLAGS)
}
@inline export function setFlags(node: Node, flags: u32): void {
  store<u16>(addressOf(node), flags as u16, FLAGS)
}
/** Returns the number of leaves below a node. */
@inline export function size(node: Node): u32 {
  return load<u32>(addressOf(node), SIZE)
}
@inline export function setSize(node: Node, size: u32): void {
  store<u32>(addressOf(node), size, SIZE)
}
@inline export function version(node: Node): u32 {
  return load<u32>(addressOf(node), VERSION)
}
@inline export function setVersion(node: Node, version: u32): void {
  store<u32>(addressOf(node), version, VERSION)
}
@inline export function childrenAt(node: Node): usize {
  return addressOf(node) + LEFT
}
@inline export function left(node: Node): Node {
  return load<i32>(addressOf(node), LEFT)
}
@inline export function setLeft(node: Node, left: Node): void {
  store<i32>(addressOf(node), left, LEFT)
}
@inline export function right(node: Node): Node {
  return load<i32>(addressOf(node), RIGHT)
}
@inline export function setRight(node: Node, right: Node): void {
  store<i32>(addressOf(node), right, RIGHT)
}
@inline export function page(node: Node): u32 {
  return load<u32>(addressOf(node), PAGE)
}
@inline export function setPage(node: Node, page: u32): void {
  store<u32>(addressOf(node), page, PAGE)
}
@inline export function keyOf(node: Node): Key {
  return load<u32>(addressOf(node), KEY) as usize
}
@inline export function keyBegin(node: Node): u32 {
  return load<u32>(addressOf(node), BEGIN)
}
@inline export function holdsKey(node: Node): bool {
  return load<u8>(addressOf(node), HOLDS) != 0
}
/** Sets the key of a node without a key. The caller's reference becomes the node's. */
@inline export function setKey(node: Node, key: Key): void {
  borrowKey(node, key)
  store<u8>(addressOf(node), 1, HOLDS)
}
/**
 * Sets the key of a keyless node to that of the smallest leaf of its right subtree, without a reference. Every tree with
 * the node also has a leaf with this key, and leaves reference theirs, so copying a path changes no reference count.
 */
@inline export function borrowKey(node: Node, key: Key): void {
  store<u32>(addressOf(node), beginOf(key), BEGIN)
  store<u32>(addressOf(node), key as u32, KEY)
}
/** Removes the key of a node. */
@inline export function releaseKey(node: Node): void {
  if (holdsKey(node)) dropKey(keyOf(node))
  store<u8>(addressOf(node), 0, HOLDS)
}

@inline function listedAt(index: i32): usize {
  return addressOf(free()) + 4 + ((index as usize) << 2)
}

/** Allocates a node without a page or a key. Its other fields are undefined. */
export function allocate(): Node {
  store<i32>(NODE_COUNT, nodeCount() + 1)
  let node = free()
  if (node == NONE) {
    let fresh = load<u32>(FRESH_NODES) as usize
    if (fresh == (load<u32>(FRESH_NODES_END) as usize)) {
      fresh = allocateBytes(SLAB_BYTES)
      store<u32>(FRESH_NODES_END, (fresh + SLAB_BYTES) as u32)
    }
    node = (fresh >>> 6) as i32
    store<u32>(FRESH_NODES, (fresh + NODE_BYTES) as u32)
  } else if (listed() > 0) {
    store<i32>(LISTED_NODES, listed() - 1)
    node = load<i32>(listedAt(listed()))
  } else {
    store<i32>(FREE_NODES, load<i32>(addressOf(node)))
    store<i32>(LISTED_NODES, free() == NONE ? 0 : MAX_LISTED)
  }
  setPage(node, 0)
  store<u8>(addressOf(node), 0, HOLDS)
  return node
}

/** Returns a loaded copy of a node, of version `at`: same height, size, children and key. */
export function copyOf(node: Node, at: u32): Node {
  const copied = allocate()
  setHeight(copied, height(node))
  setSize(copied, size(node))
  setLeft(copied, left(node))
  setRight(copied, right(node))
  setFlags(copied, LOADED)
  setVersion(copied, at)
  store<u32>(addressOf(copied), keyBegin(node), BEGIN)
  store<u32>(addressOf(copied), keyOf(node) as u32, KEY)
  if (holdsKey(node)) {
    shareKey(keyOf(node))
    store<u8>(addressOf(copied), 1, HOLDS)
  }
  return copied
}

export function freeNode(node: Node): void {
  store<i32>(NODE_COUNT, nodeCount() - 1)
  releaseKey(node)
  if (free() != NONE && listed() < MAX_LISTED) {
    store<i32>(listedAt(listed()), node)
    store<i32>(LISTED_NODES, listed() + 1)
    return
  }
  store<i32>(addressOf(node), free())
  store<i32>(FREE_NODES, node)
  store<i32>(LISTED_NODES, 0)
}

/** Frees the first `count` nodes in FREED. */
export function freeNodes(count: u32): void {
  for (let i: u32 = 0; i < count; i++) freeNode(load<i32>(FREED + ((i as usize) << 2)))
}

/** Computes height and size of an inner node from its children. */
export function measure(node: Node): void {
  const a = left(node)
  const b = right(node)
  setHeight(node, max(height(a), height(b)) + 1)
  setSize(node, size(a) + size(b))
}

/** Drops all nodes. */
export function clearNodes(): void {
  store<i32>(FREE_NODES, NONE)
  store<i32>(LISTED_NODES, 0)
  store<u32>(FRESH_NODES, 0)
  store<u32>(FRESH_NODES_END, 0)
  store<i32>(NODE_COUNT, 0)
}

export function nodeCount(): i32 {
  return load<i32>(NODE_COUNT)
}
