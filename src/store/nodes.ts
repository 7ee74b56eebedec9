/** Nodes of trees in typed arrays: some 60 bytes each, and no object for the collector to visit. */
import { createHasher, type Hasher, MESSAGE_BYTES } from './sha256.ts'

/** A node by its place in the arrays. */
export type Node = number
/** The empty tree, and the child that a leaf has not. */
export const NONE: Node = -1

/** Flag of a node that is in memory: without it, only its page, height, size and hash are known. */
export const LOADED = 1
/** Flag of a node whose hash is that of what it holds. */
export const HASHED = 2

/** Flag of a node that came from disk: it is never changed in place. */
export const STORED = 4

/** Arrays are replaced when they grow: read them anew after whatever may allocate. */
export interface Nodes {
  readonly heights: Uint8Array
  readonly flags: Uint8Array
  readonly sizes: Uint32Array
  readonly versions: Uint32Array
  readonly lefts: Int32Array
  readonly rights: Int32Array
  /** Number of the page that a node begins; 0 for none. */
  readonly pages: Uint32Array
  /** In the form of `toKey`; inner nodes share those of leaves. */
  readonly keys: string[]
  /** The hasher's memory: behind its message, the nodes' hashes. */
  readonly memory: Uint8Array
  readonly hasher: Hasher
  /** A node that begins no page; its other fields are whatever they were. */
  allocate(): Node
  free(node: Node): void
  clear(): void
  count(): number
}

/** Where a node's hash lies in the memory. */
export function hashAt(node: Node): number {
  return MESSAGE_BYTES + node * 32
}

/** A copy of a node's hash. */
export function hashOf({ memory }: Nodes, node: Node): Uint8Array {
  return memory.slice(hashAt(node), hashAt(node) + 32)
}

/** Height and size of an inner node from those of its children. */
export function measure({ heights, sizes, lefts, rights }: Nodes, node: Node): void {
  const left = lefts[node]!
  const right = rights[node]!
  heights[node] = Math.max(heights[left]!, heights[right]!) + 1
  sizes[node] = sizes[left]! + sizes[right]!
}

export function createNodes(): Nodes {
  let capacity = 1024
  let used = 0
  const free: Node[] = []
  const hasher = createHasher()
  hasher.grow(hashAt(capacity))
  const nodes = {
    heights: new Uint8Array(capacity),
    flags: new Uint8Array(capacity),
    sizes: new Uint32Array(capacity),
    versions: new Uint32Array(capacity),
    lefts: new Int32Array(capacity),
    rights: new Int32Array(capacity),
    pages: new Uint32Array(capacity),
    keys: [] as string[],
    memory: hasher.bytes(),
    hasher,
    allocate() {
      const reused = free.pop()
      if (reused === undefined && used === capacity) grow()
      const node = reused ?? used++
      nodes.pages[node] = 0
      return node
    },
    free(node: Node) {
      nodes.keys[node] = ''
      free.push(node)
    },
    clear() {
      nodes.keys.length = 0
      free.length = 0
      used = 0
    },
    count: () => used - free.length,
  }

  function grow(): void {
    // A quarter at a time: what lies idle is memory too.
    capacity = Math.ceil(capacity * 1.25)
    const widen = <T extends { set(from: T): void }>(to: T, from: T) => {
      to.set(from)
      return to
    }
    nodes.heights = widen(new Uint8Array(capacity), nodes.heights)
    nodes.flags = widen(new Uint8Array(capacity), nodes.flags)
    nodes.sizes = widen(new Uint32Array(capacity), nodes.sizes)
    nodes.versions = widen(new Uint32Array(capacity), nodes.versions)
    nodes.lefts = widen(new Int32Array(capacity), nodes.lefts)
    nodes.rights = widen(new Int32Array(capacity), nodes.rights)
    nodes.pages = widen(new Uint32Array(capacity), nodes.pages)
    hasher.grow(hashAt(capacity))
    nodes.memory = hasher.bytes()
  }
  return nodes
}
