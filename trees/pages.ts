/**
 * Trees on disk: pages of a few levels each, written at checkpoints and read when a path leads into them. A page never
 * changes: what a later checkpoint holds differently it holds in new pages, so that each checkpoint stays whole.
 */
import { copyBytes, putVarint } from './bytes'
import { forgetNotes } from './hashes'
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

/** Levels of a page: with fewer, a changed leaf takes less with it; with more, fewer pages are read and written. */
const LEVELS: u32 = 3

const LEAF: u32 = 0
const INNER: u32 = 1
const REFERENCE: u32 = 2
/** An inner node whose key, the smallest of its right subtree, is not in the page. */
const KEYED_INNER: u32 = 3

/**
 * A node of such a height begins a page. The root of a tree begins one at any height. The lowest pages hold leaves as a fourth
 * level: they are the most. Pages that say otherwise, of earlier builds, are read as well.
 */
@inline function beginsPage(height: u32): bool {
  return height != 0 && height % LEVELS == 0
}

/** Says that the latest trees do not need the page that a node begins, if it begins one. */
@inline export function drop(node: Node): void {
  if (page(node) != 0) noteDropped(page(node))
}

/** Sees to it that a node is in memory; its children then are so at least by reference. */
@inline export function ensureLoaded(node: Node): void {
  if ((flags(node) & LOADED) == 0) readPage(node)
}

// The page that is read.
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
 * Reads a node and what its page holds below it, into the given place. Returns its smallest key, or 0 if the page does not
 * have it. Of inner nodes a page holds no hash: that of its first is known by reference, the others follow from their children.
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

/** Reads the page in PAGE, which the node begins. Returns whether it is whole. */
export function takePage(node: Node, length: u32): bool {
  at = PAGE
  end = PAGE + length
  isCut = false
  takeNode(node, HASHED)
  return !isCut
}

/** A node known by reference, to be read when needed. The host puts its hash. */
export function refer(page: u32, height: u32, size: u32): Node {
  const node = allocate()
  setPage(node, page)
  setHeight(node, height)
  setSize(node, size)
  setFlags(node, HASHED | STORED)
  return node
}

/** Whether the smallest leaf below a node lies in the page that holds the node. */
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
  let behind = putVarint(to, REFERENCE)
  behind = putVarint(behind, page(node))
  behind = putVarint(behind, height(node))
  behind = putVarint(behind, size(node))
  return putHash(behind, node)
}

/** Writes a node that is part of a page, and what the page holds below it. Returns the address behind. */
function putNode(to: usize, node: Node): usize {
  if (height(node) == 0) {
    const behind = putVarint(putVarint(to, LEAF), version(node))
    return putKey(putHash(behind, node), keyOf(node))
  }
  const isKeyed = !holdsSmallest(right(node))
  let behind = putVarint(putVarint(to, isKeyed ? KEYED_INNER : INNER), version(node))
  if (isKeyed) behind = putKey(behind, keyOf(node))
  return putChild(putChild(behind, left(node)), right(node))
}

/** Writes the pages that begin at or below a child of a node and are not on disk. */
function ensurePagesAt(node: Node): void {
  if (beginsPage(height(node))) {
    ensurePage(node)
    return
  }
  // It may have been the root of its tree, with a page of its own, when it was written.
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

/** Writes the page that a node begins, and those below, as far as they are not on disk. Their hashes must have been computed. */
export function ensurePage(node: Node): void {
  if (page(node) != 0) return
  ensurePagesBelow(node)
  const end = putNode(pageRoom(), node)
  setPage(node, nextPage())
  notePage(page(node), end)
}

/** Frees a tree that shares no node with others, and says that no tree needs its pages. */
export function abandon(root: Node): void {
  forgetNotes()
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
