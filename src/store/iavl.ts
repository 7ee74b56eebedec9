/**
 * IAVL trees (state-layout.md §5.5): they commit to a store's contents and to the history of its writes. Nodes of all
 * trees lie in one forest of typed arrays and change in place, since only the latest tree is wanted. What a checkpoint
 * wrote lies on disk in pages, each a few levels of a tree, and is read when a path leads there.
 */
import { EMPTY, fromKey, toKey } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { createHasher, MAX_MESSAGE, MESSAGE_BYTES } from './sha256.ts'
import { createOutput, finish, type Input, type Output, putBytes, putVarint, takeBytes, takeVarint } from './varint.ts'

/** A node by its place in the arrays. */
export type Node = number
/** The empty tree. */
export const NONE: Node = -1

/** What a reference says of a node that is on disk. */
export interface PageReference {
  readonly page: number
  readonly height: number
  readonly size: number
  readonly hash: Uint8Array
}

/** Pages written and pages no longer needed, since the last time they were taken. */
export interface PageChanges {
  readonly written: readonly (readonly [page: number, bytes: Uint8Array])[]
  readonly dropped: readonly number[]
}

export interface Forest {
  /** The tree with the key set; its nodes get the version. The value counts by its hash only. */
  set(root: Node, key: Uint8Array, value: Uint8Array, version: number): Node
  /** The tree without the key; the same tree if it was not there. */
  remove(root: Node, key: Uint8Array, version: number): Node
  /** 32 bytes; sha256 of nothing for the empty tree. Hashes what has changed. */
  rootHash(root: Node): Uint8Array
  /** A node known by reference, to be read when needed. */
  refer(reference: PageReference): Node
  /** Puts what is not on disk into pages. The root's hash must have been computed. */
  save(root: Node): PageReference
  takePages(): PageChanges
  /** Forgets every node; trees are to be referred to anew. */
  clear(): void
  readonly nodeCount: number
  /** Nodes in post-order, for exports and tests. */
  walk(root: Node): IterableIterator<{ readonly key: Uint8Array; readonly version: number; readonly height: number }>
}

/** A node of such a height begins a page, so that a page holds four levels. */
const beginsPage = (height: number) => height % 4 === 3

const LOADED = 1
const HASHED = 2
const LEAF = 0
const INNER = 1
const REFERENCE = 2
const KEYED_INNER = 3
const EMPTY_TREE_HASH = sha256(new Uint8Array(0))

/** An empty forest over pages that `readPage` finds; new pages are numbered from `nextPage()` on. */
export function createForest(readPage: (page: number) => Uint8Array | undefined, nextPage: () => number): Forest {
  let capacity = 1024
  let heights = new Uint8Array(capacity)
  let flags = new Uint8Array(capacity)
  let sizes = new Uint32Array(capacity)
  let versions = new Uint32Array(capacity)
  let lefts = new Int32Array(capacity)
  let rights = new Int32Array(capacity)
  /** Number of the page that a node begins; negative while what the page holds is out of date; 0 for none. */
  let pages = new Float64Array(capacity)
  let keys: string[] = []
  let used = 0
  let free: Node[] = []
  let written: [number, Uint8Array][] = []
  let dropped: number[] = []
  const pageOutput = createOutput(4096)

  /** Behind its message, the hasher's memory holds the nodes' hashes. */
  const hasher = createHasher()
  hasher.grow(MESSAGE_BYTES + capacity * 32)
  let memory = hasher.bytes()
  const hashAt = (node: Node) => MESSAGE_BYTES + node * 32
  const hashOf = (node: Node) => memory.slice(hashAt(node), hashAt(node) + 32)

  // The write in progress.
  let key = ''
  let keyBytes = EMPTY
  let version = 0
  let replaced = false
  let carried: string | undefined

  function grow(): void {
    capacity *= 2
    const widen = <T extends { set(from: T): void }>(to: T, from: T) => {
      to.set(from)
      return to
    }
    heights = widen(new Uint8Array(capacity), heights)
    flags = widen(new Uint8Array(capacity), flags)
    sizes = widen(new Uint32Array(capacity), sizes)
    versions = widen(new Uint32Array(capacity), versions)
    lefts = widen(new Int32Array(capacity), lefts)
    rights = widen(new Int32Array(capacity), rights)
    pages = widen(new Float64Array(capacity), pages)
    hasher.grow(MESSAGE_BYTES + capacity * 32)
    memory = hasher.bytes()
  }

  function allocate(): Node {
    const reused = free.pop()
    if (reused !== undefined) return reused
    if (used === capacity) grow()
    return used++
  }

  function release(node: Node): void {
    dropPage(node)
    keys[node] = ''
    free.push(node)
  }

  function dropPage(node: Node): void {
    if (pages[node] === 0) return
    dropped.push(Math.abs(pages[node]!))
    pages[node] = 0
  }

  /** A page keeps its number when it is written anew: old and new checkpoint never are on disk together. */
  function outdate(node: Node): void {
    if (pages[node]! > 0) pages[node] = -pages[node]!
  }

  /** Makes a node one of this version, whose hash is to be computed again. */
  function touch(node: Node): void {
    load(node)
    versions[node] = version
    flags[node] = LOADED
    outdate(node)
  }

  function setLeaf(node: Node, value: Uint8Array): void {
    heights[node] = 0
    sizes[node] = 1
    lefts[node] = NONE
    rights[node] = NONE
    keys[node] = key
    touchLeaf(node, value)
  }

  function touchLeaf(node: Node, value: Uint8Array): void {
    versions[node] = version
    flags[node] = LOADED | HASHED
    outdate(node)
    hashLeaf(node, value)
  }

  function hashLeaf(node: Node, value: Uint8Array): void {
    const out = hashAt(node)
    if (value.length <= MAX_MESSAGE) {
      memory.set(value)
      hasher.digest(value.length, out)
    } else memory.set(sha256(value), out)
    memory[0] = 0
    memory[1] = 2
    let at = putNumber(memory, 2, version * 2)
    at = putNumber(memory, at, keyBytes.length)
    memory.set(keyBytes, at)
    at += keyBytes.length
    memory[at] = 32
    memory.copyWithin(at + 1, out, out + 32)
    hasher.digest(at + 33, out)
  }

  function ensureHash(node: Node): void {
    if ((flags[node]! & HASHED) !== 0) return
    const left = lefts[node]!
    const right = rights[node]!
    ensureHash(left)
    ensureHash(right)
    let at = putNumber(memory, 0, heights[node]! * 2)
    at = putNumber(memory, at, sizes[node]! * 2)
    at = putNumber(memory, at, versions[node]! * 2)
    hasher.digestPair(at, hashAt(left), hashAt(right), hashAt(node))
    flags[node] = LOADED | HASHED
  }

  function measure(node: Node): void {
    const left = lefts[node]!
    const right = rights[node]!
    heights[node] = Math.max(heights[left]!, heights[right]!) + 1
    sizes[node] = sizes[left]! + sizes[right]!
  }

  const balanceOf = (node: Node) => heights[lefts[node]!]! - heights[rights[node]!]!

  function rotateRight(node: Node): Node {
    const left = lefts[node]!
    touch(node)
    touch(left)
    lefts[node] = rights[left]!
    rights[left] = node
    measure(node)
    measure(left)
    return left
  }

  function rotateLeft(node: Node): Node {
    const right = rights[node]!
    touch(node)
    touch(right)
    rights[node] = lefts[right]!
    lefts[right] = node
    measure(node)
    measure(right)
    return right
  }

  // Reading a page may replace the arrays, so what a call returns is kept before it is put into one.

  /** Measures a touched node whose subtrees have changed, and rotates it if they differ too much. */
  function settle(node: Node): Node {
    measure(node)
    const balance = balanceOf(node)
    if (balance > 1) {
      const left = lefts[node]!
      load(left)
      if (balanceOf(left) < 0) {
        const rotated = rotateLeft(left)
        lefts[node] = rotated
      }
      return rotateRight(node)
    }
    if (balance < -1) {
      const right = rights[node]!
      load(right)
      if (balanceOf(right) > 0) {
        const rotated = rotateRight(right)
        rights[node] = rotated
      }
      return rotateLeft(node)
    }
    return node
  }

  function insert(node: Node, value: Uint8Array): Node {
    load(node)
    const nodeKey = keys[node]!
    if (heights[node] === 0) {
      if (key === nodeKey) {
        replaced = true
        touchLeaf(node, value)
        return node
      }
      // A leaf that was the root may begin a page that it no longer begins.
      const leaf = allocate()
      pages[leaf] = 0
      setLeaf(leaf, value)
      const inner = allocate()
      pages[inner] = 0
      flags[inner] = LOADED
      versions[inner] = version
      keys[inner] = key < nodeKey ? nodeKey : key
      lefts[inner] = key < nodeKey ? leaf : node
      rights[inner] = key < nodeKey ? node : leaf
      measure(inner)
      return inner
    }
    touch(node)
    if (key < nodeKey) {
      const left = insert(lefts[node]!, value)
      lefts[node] = left
    } else {
      const right = insert(rights[node]!, value)
      rights[node] = right
    }
    return replaced ? node : settle(node)
  }

  function contains(root: Node): boolean {
    let node = root
    for (;;) {
      load(node)
      if (heights[node] === 0) return keys[node] === key
      node = key < keys[node]! ? lefts[node]! : rights[node]!
    }
  }

  /** The subtree without the key, which is in it. */
  function without(node: Node): Node {
    if (heights[node] === 0) {
      release(node)
      return NONE
    }
    touch(node)
    if (key < keys[node]!) {
      const left = without(lefts[node]!)
      if (left === NONE) {
        carried = keys[node]!
        const sibling = rights[node]!
        release(node)
        return sibling
      }
      lefts[node] = left
    } else {
      const right = without(rights[node]!)
      if (right === NONE) {
        const sibling = lefts[node]!
        release(node)
        return sibling
      }
      rights[node] = right
      if (carried !== undefined) keys[node] = carried
      carried = undefined
    }
    return settle(node)
  }

  function load(node: Node): void {
    if ((flags[node]! & LOADED) !== 0) return
    const bytes = readPage(pages[node]!)
    if (!bytes) throw new Error(`page ${pages[node]} of the trees is missing`)
    takeNode({ bytes, at: 0 }, node)
  }

  /** Reads a node and what its page holds below it, into the given place. Returns its smallest key, if the page has it. */
  function takeNode(input: Input, node: Node): string | undefined {
    const kind = takeVarint(input)
    if (kind === REFERENCE) {
      pages[node] = takeVarint(input)
      heights[node] = takeVarint(input)
      sizes[node] = takeVarint(input)
      memory.set(takeBytes(input, 32), hashAt(node))
      flags[node] = HASHED
      return undefined
    }
    versions[node] = takeVarint(input)
    memory.set(takeBytes(input, 32), hashAt(node))
    flags[node] = LOADED | HASHED
    if (kind === LEAF) {
      heights[node] = 0
      sizes[node] = 1
      lefts[node] = NONE
      rights[node] = NONE
      keys[node] = toKey(takeBytes(input, takeVarint(input)))
      return keys[node]
    }
    const ownKey = kind === KEYED_INNER ? toKey(takeBytes(input, takeVarint(input))) : undefined
    const left = allocate()
    const right = allocate()
    pages[left] = 0
    pages[right] = 0
    const smallest = takeNode(input, left)
    const smallestRight = takeNode(input, right)
    lefts[node] = left
    rights[node] = right
    keys[node] = ownKey ?? smallestRight!
    measure(node)
    return smallest
  }

  function putReference(out: Output, node: Node): void {
    putVarint(out, REFERENCE)
    putVarint(out, pages[node]!)
    putVarint(out, heights[node]!)
    putVarint(out, sizes[node]!)
    putBytes(out, memory.subarray(hashAt(node), hashAt(node) + 32))
  }

  /** Whether the smallest leaf below a node lies in the page that holds the node. */
  function holdsSmallest(node: Node): boolean {
    if (beginsPage(heights[node]!)) return false
    return heights[node] === 0 || holdsSmallest(lefts[node]!)
  }

  /** Writes a node that is part of a page, and what the page holds below it. */
  function putNode(out: Output, node: Node): void {
    const isLeaf = heights[node] === 0
    const keyed = !isLeaf && !holdsSmallest(rights[node]!)
    putVarint(out, isLeaf ? LEAF : keyed ? KEYED_INNER : INNER)
    putVarint(out, versions[node]!)
    putBytes(out, memory.subarray(hashAt(node), hashAt(node) + 32))
    if (isLeaf || keyed) {
      const bytes = fromKey(keys[node]!)
      putVarint(out, bytes.length)
      putBytes(out, bytes)
    }
    if (isLeaf) return
    for (const child of [lefts[node]!, rights[node]!]) {
      if (beginsPage(heights[child]!)) putReference(out, child)
      else putNode(out, child)
    }
  }

  /** Writes the pages that begin below a node and are not on disk. */
  function ensurePagesBelow(node: Node): void {
    if (heights[node] === 0) return
    for (const child of [lefts[node]!, rights[node]!]) {
      if (beginsPage(heights[child]!)) ensurePage(child)
      else {
        // It may have been the root of its tree, with a page of its own, when it was written.
        load(child)
        dropPage(child)
        ensurePagesBelow(child)
      }
    }
  }

  function ensurePage(node: Node): void {
    if (pages[node]! > 0) return
    ensurePagesBelow(node)
    pageOutput.length = 0
    putNode(pageOutput, node)
    pages[node] = pages[node] === 0 ? nextPage() : -pages[node]!
    written.push([pages[node]!, finish(pageOutput)])
  }

  function begin(of: Uint8Array, at: number): void {
    key = toKey(of)
    keyBytes = of
    version = at
    replaced = false
    carried = undefined
  }

  return {
    set(root, of, value, at) {
      begin(of, at)
      if (root !== NONE) return insert(root, value)
      const leaf = allocate()
      pages[leaf] = 0
      setLeaf(leaf, value)
      return leaf
    },
    remove(root, of, at) {
      begin(of, at)
      return root === NONE || !contains(root) ? root : without(root)
    },
    rootHash(root) {
      if (root === NONE) return EMPTY_TREE_HASH
      ensureHash(root)
      return hashOf(root)
    },
    refer(reference) {
      const node = allocate()
      pages[node] = reference.page
      heights[node] = reference.height
      sizes[node] = reference.size
      memory.set(reference.hash, hashAt(node))
      flags[node] = HASHED
      return node
    },
    save(root) {
      ensurePage(root)
      return {
        page: pages[root]!,
        height: heights[root]!,
        size: sizes[root]!,
        hash: hashOf(root),
      }
    },
    takePages() {
      const taken = { written, dropped }
      written = []
      dropped = []
      return taken
    },
    clear() {
      keys = []
      free = []
      used = 0
    },
    get nodeCount() {
      return used - free.length
    },
    *walk(root) {
      if (root === NONE) return
      load(root)
      if (heights[root]! > 0) {
        yield* this.walk(lefts[root]!)
        yield* this.walk(rights[root]!)
      }
      yield { key: fromKey(keys[root]!), version: versions[root]!, height: heights[root]! }
    },
  }
}

/** Writes an unsigned varint below 2^53 and returns the offset behind it. */
function putNumber(target: Uint8Array, offset: number, value: number): number {
  let at = offset
  let rest = value
  while (rest >= 0x80) {
    target[at++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  target[at++] = rest
  return at
}
