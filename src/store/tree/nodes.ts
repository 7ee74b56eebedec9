/** Nodes in the tree program's memory, 64 bytes each: the hash, numeric fields, and the address of the key. */
import * as regions from './layout.ts'
import type { Node, TreeMemory } from './tree-program.ts'

/** Size of the hash of a node, and the offsets of its other fields. */
const HASH_BYTES = 32
const [HEIGHT, SIZE, VERSION, LEFT, RIGHT, PAGE, KEY] = [32, 40, 44, 48, 52, 56, 60] as const

/** Accessors of nodes. Version, children and key are valid only once the node is loaded; the others also for a reference. */
export interface Nodes {
  height(node: Node): number
  /** Returns the number of leaves below a node. */
  size(node: Node): number
  version(node: Node): number
  /** The children of an inner node. */
  left(node: Node): Node
  right(node: Node): Node
  /** Returns the number of the page that starts at a node, or 0. */
  page(node: Node): number
  /** Returns a view of the program's memory, valid until its next call. */
  key(node: Node): Uint8Array
  /** Returns a copy of a node's hash. */
  hash(node: Node): Uint8Array
  putHash(node: Node, hash: Uint8Array): void
  /** Copies a page to the address where the program reads it. */
  putPage(bytes: Uint8Array): void
}

export function createNodes(memory: TreeMemory): Nodes {
  let view = new DataView(memory.buffer)

  function current(): DataView {
    // Growing replaces the memory's buffer.
    if (view.buffer !== memory.buffer) view = new DataView(memory.buffer)
    return view
  }

  const number = (node: Node, offset: number) => current().getUint32(node * 64 + offset, true)

  return {
    height: (node) => current().getUint8(node * 64 + HEIGHT),
    size: (node) => number(node, SIZE),
    version: (node) => number(node, VERSION),
    left: (node) => number(node, LEFT),
    right: (node) => number(node, RIGHT),
    page: (node) => number(node, PAGE),
    key(node) {
      const at = number(node, KEY)
      return new Uint8Array(memory.buffer, at + 8, view.getUint32(at + 4, true))
    },
    hash: (node) => new Uint8Array(memory.buffer, node * 64, HASH_BYTES).slice(),
    putHash(node, hash) {
      new Uint8Array(memory.buffer).set(hash, node * 64)
    },
    putPage(bytes) {
      new Uint8Array(memory.buffer).set(bytes, regions.PAGE)
    },
  }
}
