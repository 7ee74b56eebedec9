/**
 * Writes of IAVL trees (state-layout.md §5.5). Trees share nodes: a write copies what older trees hold, and changes in place
 * what only the latest one does.
 */
import { Change, changeAt, compareTo, hashValues, isRemoval, keyOfChange, putValue } from './change'
import { Key, dropKey, shareKey } from './keys'
import { ensureHash, forgetNotes, note, noteAll, noteBelow } from './hashes'
import { KEPT, OTHERS, WRITES } from './layout'
import { noteReplaced } from './lists'
import {
  Node,
  HASHED,
  LOADED,
  NONE,
  STORED,
  allocate,
  borrowKey,
  copyOf,
  flags,
  freeNode,
  freeNodes,
  giveUpKey,
  height,
  holdsKey,
  keyOf,
  left,
  measure,
  right,
  setFlags,
  setHeight,
  setKey,
  setLeft,
  setRight,
  setSize,
  setVersion,
  version,
} from './nodes'
import { drop, ensureLoaded } from './pages'

// The write in progress.
let written: u32 = 0
let change: Change = 0
let replacesLeaf = false
/**
 * The key that the nearest node above whose right subtree has lost its smallest leaf is to have, 0 for none, and whether it is held
 * here.
 */
let carried: Key = 0
let isHeld = false
let others: u32 = 0
/** Whether nodes are listed as they change. A tree without a hash is looked through when it gets one, not with every write. */
let isNoting = false

/** Nodes of versions up to this one belong to trees that stay. */
export function keep(version: u32): void {
  store<u32>(KEPT, version)
}

/** Whether only the latest tree has a node. */
@inline function isOwn(node: Node): bool {
  return version(node) > load<u32>(KEPT) && (flags(node) & STORED) == 0
}

/** A node that the latest tree does without. */
function release(node: Node): void {
  if (isOwn(node)) {
    freeNode(node)
    return
  }
  drop(node)
  noteReplaced(node)
}

/** A node of this version in the place of a loaded one, whose hash is to be computed again. */
function own(node: Node): Node {
  if (isOwn(node)) {
    setVersion(node, written)
    setFlags(node, LOADED)
    return node
  }
  const owned = copyOf(node, written)
  release(node)
  return owned
}

function createLeaf(): Node {
  const node = allocate()
  setHeight(node, 0)
  setSize(node, 1)
  setKey(node, keyOfChange(change))
  setVersion(node, written)
  setFlags(node, LOADED)
  putValue(node, change)
  return node
}

@inline function balanceOf(node: Node): i32 {
  return (height(left(node)) as i32) - (height(right(node)) as i32)
}

function rotateRight(node: Node): Node {
  const top = own(left(node))
  setLeft(node, right(top))
  setRight(top, node)
  measure(node)
  measure(top)
  return top
}

function rotateLeft(node: Node): Node {
  const top = own(right(node))
  setRight(node, left(top))
  setLeft(top, node)
  measure(node)
  measure(top)
  return top
}

/** Measures an owned node whose subtrees have changed, and rotates it if they differ too much. */
function settle(node: Node): Node {
  measure(node)
  const balance = balanceOf(node)
  if (balance > 1) {
    const child = left(node)
    ensureLoaded(child)
    if (balanceOf(child) < 0) {
      ensureLoaded(right(child))
      setLeft(node, rotateLeft(own(child)))
    }
    return rotateRight(node)
  }
  if (balance < -1) {
    const child = right(node)
    ensureLoaded(child)
    if (balanceOf(child) > 0) {
      ensureLoaded(left(child))
      setRight(node, rotateRight(own(child)))
    }
    return rotateLeft(node)
  }
  return node
}

/** An inner node above a new leaf and the one that was in its place. */
function fork(smaller: Node, larger: Node): Node {
  const inner = allocate()
  setFlags(inner, LOADED)
  setVersion(inner, written)
  borrowKey(inner, keyOf(larger))
  setLeft(inner, smaller)
  setRight(inner, larger)
  measure(inner)
  return inner
}

function insert(at: Node): Node {
  ensureLoaded(at)
  const order = compareTo(change, at)
  if (height(at) == 0) {
    if (order == 0) {
      replacesLeaf = true
      const leaf = own(at)
      putValue(leaf, change)
      return leaf
    }
    const leaf = createLeaf()
    return order < 0 ? fork(leaf, at) : fork(at, leaf)
  }
  const node = own(at)
  if (order < 0) setLeft(node, insert(left(node)))
  else setRight(node, insert(right(node)))
  return replacesLeaf ? node : settle(node)
}

function contains(root: Node): bool {
  let node = root
  while (true) {
    ensureLoaded(node)
    const order = compareTo(change, node)
    if (height(node) == 0) return order == 0
    node = order < 0 ? left(node) : right(node)
  }
}

/** The subtree without the key, which is in it; its nodes on the way are loaded. */
function without(at: Node): Node {
  if (height(at) == 0) {
    release(at)
    return NONE
  }
  if (compareTo(change, at) < 0) {
    const rest = without(left(at))
    if (rest == NONE) {
      carried = keyOf(at)
      isHeld = holdsKey(at)
      if (isHeld) shareKey(carried)
      const sibling = right(at)
      release(at)
      return sibling
    }
    const node = own(at)
    setLeft(node, rest)
    return settle(node)
  }
  const rest = without(right(at))
  if (rest == NONE) {
    const sibling = left(at)
    release(at)
    return sibling
  }
  const node = own(at)
  setRight(node, rest)
  if (carried != 0) {
    giveUpKey(node)
    if (isHeld) setKey(node, carried)
    else borrowKey(node, carried)
  }
  carried = 0
  return settle(node)
}

function apply(root: Node): Node {
  if (!isRemoval(change)) {
    replacesLeaf = false
    return root == NONE ? createLeaf() : insert(root)
  }
  if (root == NONE || !contains(root)) return root
  const rest = without(root)
  if (carried != 0 && isHeld) dropKey(carried)
  carried = 0
  return rest
}

@inline function leaveToOthers(index: u32): void {
  store<u32>(OTHERS + ((others as usize) << 2), index)
  others++
}

/** Index of the first change of a part of the batch that is not before the key of a node. */
function firstFrom(node: Node, from: u32, to: u32): u32 {
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compareTo(changeAt(middle), node) < 0) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * The subtree with new values of the keys that it has, of a part of the batch; the rest goes to OTHERS. New values move no
 * node, so it is all the same whether they come before or between what does.
 */
function update(at: Node, from: u32, to: u32): Node {
  ensureLoaded(at)
  if (height(at) == 0) {
    let leaf = at
    for (let i = from; i < to; i++) {
      const one = changeAt(i)
      if (!isRemoval(one) && compareTo(one, at) == 0) {
        leaf = own(at)
        putValue(leaf, one)
        if (isNoting) note(leaf)
      } else leaveToOthers(i)
    }
    return leaf
  }
  // Looked at here, both children come to the cache together, and the second while the first is written.
  const areHashed = (flags(left(at)) & flags(right(at)) & HASHED) != 0
  const middle = firstFrom(at, from, to)
  const before = others
  const smaller = from < middle ? update(left(at), from, middle) : left(at)
  const larger = middle < to ? update(right(at), middle, to) : right(at)
  if (others - before == to - from) return at
  const node = own(at)
  setLeft(node, smaller)
  setRight(node, larger)
  if (isNoting) {
    note(node)
    // What was read from a page may have no hash.
    if (!areHashed) {
      noteBelow(smaller)
      noteBelow(larger)
    }
  }
  return node
}

/** The tree with changes of the batch, so many from the first of them on, which are sorted by key, each key once. Their nodes get the version. */
export function writeAll(root: Node, first: u32, count: u32, version: u32): Node {
  hashValues(first, count)
  written = version
  others = 0
  carried = 0
  forgetNotes()
  isNoting = root != NONE && (flags(root) & HASHED) != 0
  let tree = root
  if (root == NONE || count == 1) for (let i = first; i < first + count; i++) leaveToOthers(i)
  else tree = update(root, first, first + count)
  if (others == 0) {
    if (isNoting) noteAll(tree)
    return tree
  }
  forgetNotes()
  for (let i: u32 = 0; i < others; i++) {
    change = changeAt(load<u32>(OTHERS + ((i as usize) << 2)))
    tree = apply(tree)
  }
  return tree
}

/**
 * Writes and hashes the trees that stand at WRITES, so many, and puts their new roots in the place of the old ones. First it
 * frees as many nodes as the host has put to FREED.
 */
export function writeTrees(trees: u32, version: u32, freed: u32): void {
  freeNodes(freed)
  for (let i: u32 = 0; i < trees; i++) {
    const at = WRITES + (i as usize) * 12
    const root = writeAll(load<i32>(at), load<u32>(at, 4), load<u32>(at, 8), version)
    if (root != NONE) ensureHash(root)
    store<i32>(at, root)
  }
}
