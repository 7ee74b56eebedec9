/**
 * Trees on disk: pages of a few levels each, written at checkpoints and read when a path enters them. A page never changes:
 * a later checkpoint writes changed nodes to new pages, so each checkpoint stays complete.
 */
import { copyBytes, putVarint } from './bytes'
import { emptyLists } from './hashes'
import { nextPage, readPage } from './host'
import { Key, MAX_KEY, bytesOf, createKey, lengthOf } from './keys'
import { PAGE } from './layout'
import { noteDropped, notePage, pageRoom } from './lists'
import {
  Node,
  HASHED,
  LOADED,
  NONE,
  STORED,
  allocate,
  borrowKey,
  flags,
  freeNode,
  hashAt,
  height,
  keyOf,
  left,
  measure,
  page,
  releaseKey,
  right,
  setFlags,
  setHeight,
  setKey,
  setLeft,
  setPage,
  setRight,
  setSize,
  setVersion,
  size,
  version,
} from './nodes'

/** Levels of a page. With fewer, a changed leaf rewrites less; with more, fewer pages are read and written. */
const LEVELS: u32 = 3

const LEAF: u32 = 0
const INNER: u32 = 1
const REFERENCE: u32 = 2
/** An inner node that stores its key: the smallest leaf of its right subtree is not in the page. */
const KEYED_INNER: u32 = 3

/**
 * Returns whether nodes of a height start a page. The root of a tree starts one at any height. The lowest pages, which are the
 * most, have the leaves as a fourth level. Pages of earlier builds, which started at other heights, are readable too.
 */
@inline function beginsPage(height: u32): bool {
  return height != 0 && height % LEVELS == 0
}

/** Reports the page that starts at a node, if any, as no longer needed by the latest trees. */
@inline export function drop(node: Node): void {
  if (page(node) != 0) noteDropped(page(node))
}

/** Loads a node if it is not in memory. Its children are then loaded, or known by reference. */
@inline export function ensureLoaded(node: Node): void {
  if ((flags(node) & LOADED) == 0) readPage(node)
}

// The page being parsed.
let at: usize = 0
let end: usize = 0
let isCut = false

function takeByte(): u32 {
  if (at >= end) {
    isCut = true
    return 0
  }
  return load<u8>(at++)
}

function takeVarint(): u32 {
  let value: u64 = 0
  for (let shift: u64 = 0; shift < 64; shift += 7) {
    const byte = takeByte()
    value |= ((byte & 0x7f) as u64) << shift
    if (byte < 0x80) break
  }
  return value as u32
}

function takeHash(node: Node): void {
  v128.store(hashAt(node), v128.load(at))
  v128.store(hashAt(node), v128.load(at, 16), 16)
  at += 32
  if (at > end) isCut = true
}

function takeKey(): Key {
  const length = takeVarint()
  if (length > MAX_KEY || at + length > end) {
    isCut = true
    return createKey(at, 0)
  }
  at += length
  return createKey(at - length, length)
}

/**
 * Parses a node and its descendants in the page. Returns the smallest key, or 0 if the page does not contain it. A page has no
 * hashes of inner nodes: the hash of the first node is known from its reference, the others are computed from their children.
 */
function takeNode(node: Node, hashed: u32): Key {
  const kind = takeVarint()
  if (kind == REFERENCE) {
    setPage(node, takeVarint())
    setHeight(node, takeVarint())
    setSize(node, takeVarint())
    takeHash(node)
    setFlags(node, HASHED | STORED)
    return 0
  }
  setVersion(node, takeVarint())
  if (kind == LEAF) {
    takeHash(node)
    setFlags(node, LOADED | HASHED | STORED)
    setHeight(node, 0)
    setSize(node, 1)
    setKey(node, takeKey())
    return keyOf(node)
  }
  if (kind == KEYED_INNER) setKey(node, takeKey())
  const smaller = allocate()
  const larger = allocate()
  setLeft(node, smaller)
  setRight(node, larger)
  if (isCut) return 0
  const smallest = takeNode(smaller, 0)
  const smallestRight: Key = isCut ? 0 : takeNode(larger, 0)
  if (isCut) return 0
  if (kind != KEYED_INNER) {
    if (smallestRight == 0) {
      isCut = true
      return 0
    }
    borrowKey(node, smallestRight)
  }
  measure(node)
  setFlags(node, LOADED | STORED | hashed)
  return smallest
}

/** Parses the page in PAGE, which starts at the node. Returns false if the page is truncated. */
export function parsePage(node: Node, length: u32): bool {
  at = PAGE
  end = PAGE + length
  isCut = false
  takeNode(node, HASHED)
  return !isCut
}

/** Creates a node that is known by reference and read when needed. The host sets its hash. */
export function refer(page: u32, height: u32, size: u32): Node {
  const node = allocate()
  setPage(node, page)
  setHeight(node, height)
  setSize(node, size)
  setFlags(node, HASHED | STORED)
  return node
}

/** Whether the smallest leaf below a node is in the same page as the node. */
function holdsSmallest(node: Node): bool {
  while (!beginsPage(height(node))) {
    if (height(node) == 0) return true
    node = left(node)
  }
  return false
}

@inline function putHash(to: usize, node: Node): usize {
  v128.store(to, v128.load(hashAt(node)))
  v128.store(to, v128.load(hashAt(node), 16), 16)
  return to + 32
}

function putKey(to: usize, key: Key): usize {
  const begin = putVarint(to, lengthOf(key))
  copyBytes(begin, bytesOf(key), lengthOf(key))
  return begin + lengthOf(key)
}

function putChild(to: usize, node: Node): usize {
  if (!beginsPage(height(node))) return putNode(to, node)
  let next = putVarint(to, REFERENCE)
  next = putVarint(next, page(node))
  next = putVarint(next, height(node))
  next = putVarint(next, size(node))
  return putHash(next, node)
}

/** Writes a node of a page and its descendants in the page. Returns the address after them. */
function putNode(to: usize, node: Node): usize {
  if (height(node) == 0) {
    const next = putVarint(putVarint(to, LEAF), version(node))
    return putKey(putHash(next, node), keyOf(node))
  }
  const isKeyed = !holdsSmallest(right(node))
  let next = putVarint(putVarint(to, isKeyed ? KEYED_INNER : INNER), version(node))
  if (isKeyed) next = putKey(next, keyOf(node))
  return putChild(putChild(next, left(node)), right(node))
}

/** Writes the unsaved pages that start at or below a child of a node. */
function ensurePagesAt(node: Node): void {
  if (beginsPage(height(node))) {
    ensurePage(node)
    return
  }
  // The node has its own page if it was the root of its tree when it was saved.
  ensureLoaded(node)
  drop(node)
  setPage(node, 0)
  ensurePagesBelow(node)
}

function ensurePagesBelow(node: Node): void {
  if (height(node) == 0) return
  ensurePagesAt(left(node))
  ensurePagesAt(right(node))
}

/** Writes the unsaved pages that start at or below a node. Their hashes must be computed. */
export function ensurePage(node: Node): void {
  if (page(node) != 0) return
  ensurePagesBelow(node)
  const end = putNode(pageRoom(), node)
  setPage(node, nextPage())
  notePage(page(node), end)
}

/** Frees a tree that shares no node with other trees, and reports its pages as no longer needed. */
export function abandon(root: Node): void {
  emptyLists()
  abandonBelow(root)
}

function abandonBelow(node: Node): void {
  ensureLoaded(node)
  drop(node)
  const isInner = height(node) > 0
  const a = left(node)
  const b = right(node)
  freeNode(node)
  if (!isInner) return
  abandonBelow(a)
  abandonBelow(b)
}

/** Frees the nodes below one that starts a page, which is read again when needed. No other tree may share them. */
export function unload(node: Node): void {
  if (page(node) == 0 || (flags(node) & LOADED) == 0) return
  if (height(node) > 0) {
    freeBelow(left(node))
    freeBelow(right(node))
  }
  releaseKey(node)
  setFlags(node, HASHED | STORED)
}

function freeBelow(node: Node): void {
  if (height(node) > 0 && (flags(node) & LOADED) != 0) {
    freeBelow(left(node))
    freeBelow(right(node))
  }
  freeNode(node)
}
