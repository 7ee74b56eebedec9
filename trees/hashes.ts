/** Hashes of the nodes of IAVL trees (state-layout.md §5.5), those of a height together. */
import { copyBytes, putVarint, varintLength } from './bytes'
import { digest } from './host'
import { bytesOf, lengthOf } from './keys'
import { IS_LISTING, LEVELS, LISTED_ROOT, PAGE } from './layout'
import {
  Node,
  HASHED,
  NONE,
  NOTED,
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
import { MOST_BLOCKS, blocksOf, end, enqueue, flush, lane } from './sha256'

/** Blocks of what is hashed for an inner node. */
const INNER_BLOCKS: u32 = 2

/** Trees of 2^32 leaves are lower. */
const MAX_HEIGHT: u32 = 64

@inline function levelAt(height: u32): usize {
  return LEVELS + ((height as usize) << 2)
}

/** Says which tree it is all of whose nodes without a hash are listed; NONE if it has to be seen first which those are. */
@inline function setListedRoot(root: Node): void {
  store<i32>(LISTED_ROOT, root)
}
@inline function setListing(isListing: bool): void {
  store<u32>(IS_LISTING, isListing as u32)
}

/** A list goes on where a node that is not hashed has room: a leaf where others have children, others where the hash will be. */
@inline function nextAt(node: Node, level: u32): usize {
  return level == 0 ? childrenAt(node) : hashAt(node)
}

/** Lists a node that is to be hashed. */
@inline export function note(node: Node): void {
  setListing(true)
  const level = height(node)
  store<i32>(nextAt(node, level), load<i32>(levelAt(level)))
  store<i32>(levelAt(level), node)
  setFlags(node, flags(node) | NOTED)
}

@inline function isNotedOrHashed(node: Node): bool {
  return (flags(node) & (HASHED | NOTED)) != 0
}

/** Lists what has no hash, of a node and below it. */
export function noteBelow(node: Node): void {
  if (isNotedOrHashed(node)) return
  note(node)
  if (height(node) == 0) return
  noteBelow(left(node))
  noteBelow(right(node))
}

/** Says that all nodes of a tree that have no hash are listed, and no others. */
export function noteAll(root: Node): void {
  setListedRoot(root)
}

/** Lists nothing, before nodes that are listed change. */
export function forgetNotes(): void {
  setListedRoot(NONE)
  if (load<u32>(IS_LISTING) == 0) return
  setListing(false)
  for (let level: u32 = 0; level < MAX_HEIGHT; level++) {
    for (let node = load<i32>(levelAt(level)); node != NONE; node = load<i32>(nextAt(node, level))) {
      setFlags(node, flags(node) & ~NOTED)
    }
    store<i32>(levelAt(level), NONE)
  }
}

/** Lists nothing, because there are no nodes any more. */
export function clearNotes(): void {
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

/** What is hashed for a leaf: its version, its key and the hash of its value, which stands where its own will. */
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
  if (blocks > MOST_BLOCKS) {
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
  let behind = putVarint(at, height(node) << 1)
  behind = putVarint(behind, (size(node) as u64) << 1)
  behind = putVarint(behind, (version(node) as u64) << 1)
  behind = putHash(putHash(behind, hashAt(left(node))), hashAt(right(node)))
  end(at, (behind - at) as u32, INNER_BLOCKS)
  enqueue(INNER_BLOCKS, hashAt(node))
}

/** Hashes a node, and below it what has no hash. */
export function ensureHash(root: Node): void {
  if ((flags(root) & HASHED) != 0) return
  if (load<i32>(LISTED_ROOT) != root) {
    forgetNotes()
    noteBelow(root)
  }
  setListedRoot(NONE)
  setListing(false)
  for (let level: u32 = 0; level <= height(root); level++) {
    for (let node = load<i32>(levelAt(level)); node != NONE; ) {
      const after = load<i32>(nextAt(node, level))
      if (level == 0) hashLeaf(node)
      else hashInner(node)
      setFlags(node, (flags(node) & ~NOTED) | HASHED)
      node = after
    }
    store<i32>(levelAt(level), NONE)
    flush()
  }
}
