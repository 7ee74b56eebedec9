/** Hashes of the nodes of IAVL trees (docs/state-layout.md#trees). Nodes of the same height are hashed together. */
import { copyBytes, putVarint, varintLength } from './bytes'
import { digest } from './host'
import { bytesOf, lengthOf } from './keys'
import { IS_LISTING, LEVELS, LISTED_ROOT, PAGE } from './layout'
import {
  Node,
  HASHED,
  NONE,
  LISTED,
  childrenAt,
  flags,
  hashAt,
  height,
  keyOf,
  left,
  right,
  setFlags,
  size,
  version,
} from './nodes'
import { MAX_BLOCKS, blocksOf, end, enqueue, flush, lane } from './sha256'

/** SHA-256 blocks of the message of an inner node. */
const INNER_BLOCKS: u32 = 2

/** The upper bound of tree heights: a tree of 2^32 leaves is lower. */
const MAX_HEIGHT: u32 = 64

@inline function levelAt(height: u32): usize {
  return LEVELS + ((height as usize) << 2)
}

/** Sets the tree whose unhashed nodes are exactly those in the lists. NONE: the lists must be rebuilt from the root. */
@inline function setListedRoot(root: Node): void {
  store<i32>(LISTED_ROOT, root)
}
@inline function setListing(isListing: bool): void {
  store<u32>(IS_LISTING, isListing as u32)
}

/**
 * Returns where a listed node stores the next one of its list. An unhashed node has room there: a leaf in the cells of its
 * children, an inner node in the cells of its hash.
 */
@inline function nextAt(node: Node, level: u32): usize {
  return level == 0 ? childrenAt(node) : hashAt(node)
}

/** Adds a node to the list of unhashed nodes of its height. */
@inline export function listUnhashed(node: Node): void {
  setListing(true)
  const level = height(node)
  store<i32>(nextAt(node, level), load<i32>(levelAt(level)))
  store<i32>(levelAt(level), node)
  setFlags(node, flags(node) | LISTED)
}

@inline function isListedOrHashed(node: Node): bool {
  return (flags(node) & (HASHED | LISTED)) != 0
}

/** Lists all unhashed nodes of a subtree. */
export function listUnhashedBelow(node: Node): void {
  if (isListedOrHashed(node)) return
  listUnhashed(node)
  if (height(node) == 0) return
  listUnhashedBelow(left(node))
  listUnhashedBelow(right(node))
}

/** Declares that the lists contain all unhashed nodes of a tree and no others. */
export function completeLists(root: Node): void {
  setListedRoot(root)
}

/** Empties the lists. Must be called before a listed node changes. */
export function emptyLists(): void {
  setListedRoot(NONE)
  if (load<u32>(IS_LISTING) == 0) return
  setListing(false)
  for (let level: u32 = 0; level < MAX_HEIGHT; level++) {
    for (let node = load<i32>(levelAt(level)); node != NONE; node = load<i32>(nextAt(node, level))) {
      setFlags(node, flags(node) & ~LISTED)
    }
    store<i32>(levelAt(level), NONE)
  }
}

/** Resets the lists when all nodes are gone. */
export function resetLists(): void {
  setListedRoot(NONE)
  setListing(false)
  for (let level: u32 = 0; level < MAX_HEIGHT; level++) store<i32>(levelAt(level), NONE)
}

@inline function putHash(at: usize, hash: usize): usize {
  store<u8>(at, 32)
  v128.store(at, v128.load(hash), 1)
  v128.store(at, v128.load(hash, 16), 17)
  return at + 33
}

/** Writes the message of a leaf: its version, its key and the hash of its value, which occupies the place of its own hash. */
function putLeaf(leaf: Node, at: usize): void {
  const key = keyOf(leaf)
  const length = lengthOf(key)
  store<u8>(at, 0)
  store<u8>(at, 2, 1)
  const begin = putVarint(putVarint(at + 2, (version(leaf) as u64) << 1), length)
  copyBytes(begin, bytesOf(key), length)
  putHash(begin + length, hashAt(leaf))
}

function hashLeaf(leaf: Node): void {
  const keyLength = lengthOf(keyOf(leaf))
  const length = 35 + varintLength((version(leaf) as u64) << 1) + varintLength(keyLength) + keyLength
  const blocks = blocksOf(length)
  if (blocks > MAX_BLOCKS) {
    putLeaf(leaf, PAGE)
    digest(PAGE, length, hashAt(leaf))
    return
  }
  const at = lane(blocks)
  putLeaf(leaf, at)
  end(at, length, blocks)
  enqueue(blocks, hashAt(leaf))
}

function hashInner(node: Node): void {
  const at = lane(INNER_BLOCKS)
  let to = putVarint(at, height(node) << 1)
  to = putVarint(to, (size(node) as u64) << 1)
  to = putVarint(to, (version(node) as u64) << 1)
  to = putHash(putHash(to, hashAt(left(node))), hashAt(right(node)))
  end(at, (to - at) as u32, INNER_BLOCKS)
  enqueue(INNER_BLOCKS, hashAt(node))
}

/** Hashes a node and all unhashed nodes below it. */
export function ensureHash(root: Node): void {
  if ((flags(root) & HASHED) != 0) return
  if (load<i32>(LISTED_ROOT) != root) {
    emptyLists()
    listUnhashedBelow(root)
  }
  setListedRoot(NONE)
  setListing(false)
  for (let level: u32 = 0; level <= height(root); level++) {
    for (let node = load<i32>(levelAt(level)); node != NONE; ) {
      const after = load<i32>(nextAt(node, level))
      if (level == 0) hashLeaf(node)
      else hashInner(node)
      setFlags(node, (flags(node) & ~LISTED) | HASHED)
      node = after
    }
    store<i32>(levelAt(level), NONE)
    flush()
  }
}
