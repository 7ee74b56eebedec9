/**
 * Writes to IAVL trees (docs/state-layout.md#trees). Trees share nodes: a write copies nodes of older trees, and changes nodes
 * in place that only the latest tree has.
 */
import { Change, changeAt, compareTo, hashValues, isRemoval, keyOfChange, putValue } from './change'
import { Key, dropKey, shareKey } from './keys'
import { completeLists, emptyLists, ensureHash, listUnhashed, listUnhashedBelow } from './hashes'
import { FROZEN, OTHERS, WRITES } from './layout'
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
  releaseKey,
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

// State of the write in progress.
let written: u32 = 0
let change: Change = 0
let replacesLeaf = false
/**
 * The key for the nearest node above whose right subtree has lost its smallest leaf, or 0; and whether this variable counts as
 * a reference to it.
 */
let carried: Key = 0
let isReferenced = false
let others: u32 = 0
/**
 * Whether changed nodes are listed for hashing. The nodes of an unhashed tree are listed when it is hashed, not at every
 * write.
 */
let isListing = false

/** Makes nodes up to a version immutable: their trees stay. */
export function freeze(version: u32): void {
  store<u32>(FROZEN, version)
}

/** Whether only the latest tree has a node. */
@inline function isOwn(node: Node): bool {
  return version(node) > load<u32>(FROZEN) && (flags(node) & STORED) == 0
}

/** Frees a node that the latest tree no longer contains, or reports it as replaced if older trees do. */
function release(node: Node): void {
  if (isOwn(node)) {
    freeNode(node)
    return
  }
  drop(node)
  noteReplaced(node)
}

/** Returns a node of this version and without a hash to write to: the loaded node itself, or a copy in its place. */
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

/** Updates an owned node after a change of its subtrees, and rotates it if their heights differ by more than one. */
function rebalance(node: Node): Node {
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

/** Creates the inner node above a new leaf and the leaf that was in its place. */
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
  return replacesLeaf ? node : rebalance(node)
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

/** Returns the subtree without the key. The key must be in it, and the nodes on the path must be loaded. */
function without(at: Node): Node {
  if (height(at) == 0) {
    release(at)
    return NONE
  }
  if (compareTo(change, at) < 0) {
    const rest = without(left(at))
    if (rest == NONE) {
      carried = keyOf(at)
      isReferenced = holdsKey(at)
      if (isReferenced) shareKey(carried)
      const sibling = right(at)
      release(at)
      return sibling
    }
    const node = own(at)
    setLeft(node, rest)
    return rebalance(node)
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
    releaseKey(node)
    if (isReferenced) setKey(node, carried)
    else borrowKey(node, carried)
  }
  carried = 0
  return rebalance(node)
}

function apply(root: Node): Node {
  if (!isRemoval(change)) {
    replacesLeaf = false
    return root == NONE ? createLeaf() : insert(root)
  }
  if (root == NONE || !contains(root)) return root
  const rest = without(root)
  if (carried != 0 && isReferenced) dropKey(carried)
  carried = 0
  return rest
}

@inline function addToOthers(index: u32): void {
  store<u32>(OTHERS + ((others as usize) << 2), index)
  others++
}

/** Returns the index of the first change, from `from` to before `to`, whose key is not before that of a node. */
function firstFrom(node: Node, from: u32, to: u32): u32 {
  while (from < to) {
    const middle = (from + to) >>> 1
    if (compareTo(changeAt(middle), node) < 0) from = middle + 1
    else to = middle
  }
  return from
}

/**
 * Applies the changes from `from` to before `to` that set existing keys, and adds the others to OTHERS. Returns the subtree.
 * New values of existing keys move no node, so the result does not depend on whether they are applied first or in order.
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
        if (isListing) listUnhashed(leaf)
      } else addToOthers(i)
    }
    return leaf
  }
  // Reading both children here loads them into the cache together, the second while the first is written.
  const areHashed = (flags(left(at)) & flags(right(at)) & HASHED) != 0
  const middle = firstFrom(at, from, to)
  const before = others
  const smaller = from < middle ? update(left(at), from, middle) : left(at)
  const larger = middle < to ? update(right(at), middle, to) : right(at)
  if (others - before == to - from) return at
  const node = own(at)
  setLeft(node, smaller)
  setRight(node, larger)
  if (isListing) {
    listUnhashed(node)
    // Nodes that were read from a page can be unhashed.
    if (!areHashed) {
      listUnhashedBelow(smaller)
      listUnhashedBelow(larger)
    }
  }
  return node
}

/**
 * Applies `count` changes of the batch from index `first`, sorted by key, each key once. Written nodes get the version. Returns the
 * new tree.
 */
export function writeAll(root: Node, first: u32, count: u32, version: u32): Node {
  hashValues(first, count)
  written = version
  others = 0
  carried = 0
  emptyLists()
  isListing = root != NONE && (flags(root) & HASHED) != 0
  let tree = root
  if (root == NONE || count == 1) for (let i = first; i < first + count; i++) addToOthers(i)
  else tree = update(root, first, first + count)
  if (others == 0) {
    if (isListing) completeLists(tree)
    return tree
  }
  emptyLists()
  for (let i: u32 = 0; i < others; i++) {
    change = changeAt(load<u32>(OTHERS + ((i as usize) << 2)))
    tree = apply(tree)
  }
  return tree
}

/**
 * Frees the first `freed` nodes in FREED, then writes and hashes the first `trees` trees in WRITES, and replaces their roots
 * there by the new ones.
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
