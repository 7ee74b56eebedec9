/** Trees from elsewhere, whose nodes come in post-order: left subtree, right subtree, node. */
import { changeAt, hashValues, keyOfChange, putValue } from './change'
import { FREED, WRITES } from './layout'
import {
  Node,
  LOADED,
  allocate,
  measure,
  setFlags,
  setHeight,
  setKey,
  setLeft,
  setRight,
  setSize,
  setVersion,
} from './nodes'

@inline function waitingAt(index: u32): usize {
  return WRITES + ((index as usize) << 2)
}

/**
 * Adds `count` nodes to the `waiting` subtrees in WRITES, which have no parent yet. A node has its key, and a leaf its value, at
 * the same index of the batch, and its height and version in two cells of FREED. An inner node becomes the parent of the
 * last two subtrees. Returns the number of waiting subtrees. The host has checked order and heights.
 */
export function importNodes(count: u32, waiting: u32): u32 {
  hashValues(0, count)
  let top = waiting
  for (let i: u32 = 0; i < count; i++) {
    const change = changeAt(i)
    const at = FREED + ((i as usize) << 3)
    const node: Node = allocate()
    // An inner node has a key of its own: the leaf that it would borrow one from can be on disk.
    setKey(node, keyOfChange(change))
    setVersion(node, load<u32>(at, 4))
    setFlags(node, LOADED)
    if (load<u32>(at) == 0) {
      setHeight(node, 0)
      setSize(node, 1)
      putValue(node, change)
    } else {
      top -= 2
      setLeft(node, load<i32>(waitingAt(top)))
      setRight(node, load<i32>(waitingAt(top + 1)))
      measure(node)
    }
    store<i32>(waitingAt(top), node)
    top++
  }
  return top
}
