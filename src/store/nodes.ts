/**
 * Nodes of trees, 64 bytes each in one memory, so that one is one line of the processor's cache: its hash, then its numbers.
 * No object for the collector to visit.
 */
import { createHasher, type Hasher, MESSAGE_BYTES } from './sha256.ts'

/** A node by its place in the memory. */
export type Node = number
/** The empty tree. */
export const NONE: Node = -1

/** Flag of a node that is in memory: without it, only its page, height, size and hash are known. */
export const LOADED = 1
/** Flag of a node whose hash is that of what it holds. */
export const HASHED = 2

/** Flag of a node that came from disk: it is never changed in place. */
export const STORED = 4

const NODE_BYTES = 64
const NODE_WORDS = NODE_BYTES / 4
/** Words of a node, from the beginning of its hash. */
const [HEIGHT, FLAGS, SIZE, VERSION, LEFT, RIGHT, PAGE] = [8, 9, 10, 11, 12, 13, 14] as const
const FIRST_WORD = MESSAGE_BYTES / 4

/** What a node says is what was last set, whatever node had its place before. */
export interface Nodes {
  height(node: Node): number
  setHeight(node: Node, height: number): void
  flags(node: Node): number
  setFlags(node: Node, flags: number): void
  /** Leaves below. */
  size(node: Node): number
  setSize(node: Node, size: number): void
  version(node: Node): number
  setVersion(node: Node, version: number): void
  /** The children of an inner node. */
  left(node: Node): Node
  setLeft(node: Node, left: Node): void
  right(node: Node): Node
  setRight(node: Node, right: Node): void
  /** Number of the page that a node begins; 0 for none. */
  page(node: Node): number
  setPage(node: Node, page: number): void
  /** In the form of `toKey`; inner nodes share those of leaves. */
  readonly keys: string[]
  readonly hasher: Hasher
  /** The hasher's memory: behind its message, the nodes. Another after `allocate`. */
  memory(): Uint8Array
  /** A node that begins no page. */
  allocate(): Node
  /** A loaded node with the height, the size, the children and the key of another. */
  copy(node: Node, version: number): Node
  free(node: Node): void
  clear(): void
  count(): number
}

/** Where a node's hash lies in the memory. */
export function hashAt(node: Node): number {
  return MESSAGE_BYTES + node * NODE_BYTES
}

/** A copy of a node's hash. */
export function hashOf(nodes: Nodes, node: Node): Uint8Array {
  return nodes.memory().slice(hashAt(node), hashAt(node) + 32)
}

/** Height and size of an inner node from those of its children. */
export function measure(nodes: Nodes, node: Node): void {
  const left = nodes.left(node)
  const right = nodes.right(node)
  nodes.setHeight(node, Math.max(nodes.height(left), nodes.height(right)) + 1)
  nodes.setSize(node, nodes.size(left) + nodes.size(right))
}

export function createNodes(): Nodes {
  let capacity = 1024
  let used = 0
  const free: Node[] = []
  const keys: string[] = []
  const hasher = createHasher()
  hasher.grow(hashAt(capacity))
  let memory = hasher.bytes()
  let words = new Int32Array(memory.buffer)
  /** The same words, where they may need all 32 bits. */
  let counts = new Uint32Array(memory.buffer)
  const wordAt = (node: Node) => FIRST_WORD + node * NODE_WORDS

  function grow(): void {
    // A quarter at a time: what lies idle is memory too.
    capacity = Math.ceil(capacity * 1.25)
    hasher.grow(hashAt(capacity))
    memory = hasher.bytes()
    words = new Int32Array(memory.buffer)
    counts = new Uint32Array(memory.buffer)
  }

  function allocate(): Node {
    const reused = free.pop()
    if (reused === undefined && used === capacity) grow()
    const node = reused ?? used++
    words[wordAt(node) + PAGE] = 0
    return node
  }

  return {
    height: (node) => words[wordAt(node) + HEIGHT]!,
    setHeight(node, height) {
      words[wordAt(node) + HEIGHT] = height
    },
    flags: (node) => words[wordAt(node) + FLAGS]!,
    setFlags(node, flags) {
      words[wordAt(node) + FLAGS] = flags
    },
    size: (node) => counts[wordAt(node) + SIZE]!,
    setSize(node, size) {
      counts[wordAt(node) + SIZE] = size
    },
    version: (node) => counts[wordAt(node) + VERSION]!,
    setVersion(node, version) {
      counts[wordAt(node) + VERSION] = version
    },
    left: (node) => words[wordAt(node) + LEFT]!,
    setLeft(node, left) {
      words[wordAt(node) + LEFT] = left
    },
    right: (node) => words[wordAt(node) + RIGHT]!,
    setRight(node, right) {
      words[wordAt(node) + RIGHT] = right
    },
    page: (node) => counts[wordAt(node) + PAGE]!,
    setPage(node, page) {
      counts[wordAt(node) + PAGE] = page
    },
    keys,
    hasher,
    memory: () => memory,
    allocate,
    copy(node, version) {
      const copied = allocate()
      const [from, to] = [wordAt(node), wordAt(copied)]
      for (const word of [HEIGHT, SIZE, LEFT, RIGHT]) words[to + word] = words[from + word]!
      words[to + FLAGS] = LOADED
      counts[to + VERSION] = version
      keys[copied] = keys[node]!
      return copied
    },
    free(node) {
      keys[node] = ''
      free.push(node)
    },
    clear() {
      keys.length = 0
      free.length = 0
      used = 0
    },
    count: () => used - free.length,
  }
}
