/** Nodes of trees as they lie in the program's memory, 64 bytes each: their hash, their numbers, and where their key is. */
import { AT, type Node, type TreeMemory } from './tree-program.ts'

/** Bytes of a node before its numbers, and where those are in it. */
const HASH_BYTES = 32
const [HEIGHT, SIZE, VERSION, LEFT, RIGHT, PAGE, KEY] = [32, 40, 44, 48, 52, 56, 60] as const

/** The key of all but references is known only when a node has been loaded, as are version and children. */
export interface Nodes {
  height(node: Node): number
  /** Leaves below. */
  size(node: Node): number
  version(node: Node): number
  /** The children of an inner node. */
  left(node: Node): Node
  right(node: Node): Node
  /** Number of the page that a node begins; 0 for none. */
  page(node: Node): number
  /** In the program's memory: good until its next call. */
  key(node: Node): Uint8Array
  /** A copy of a node's hash. */
  hash(node: Node): Uint8Array
  putHash(node: Node, hash: Uint8Array): void
  /** Puts a page where the program reads it. */
  putPage(bytes: Uint8Array): void
}

export function createNodes(memory: TreeMemory): Nodes {
  let view = new DataView(memory.buffer)

  function current(): DataView {
    // The memory has another buffer when it has grown.
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
      new Uint8Array(memory.buffer).set(bytes, AT.page)
    },
  }
}
