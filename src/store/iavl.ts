/**
 * IAVL trees (state-layout.md §5.5): they commit to a store's contents and to the history of its writes. Nodes change in
 * place, since only the latest tree is wanted; what a checkpoint wrote lies on disk in pages.
 */
import { EMPTY, fromKey, toKey } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { createNodes, HASHED, hashAt, hashOf, LOADED, measure, NONE, type Node } from './nodes.ts'
import { createPages, type PageChanges, type PageReference } from './pages.ts'
import { MAX_MESSAGE } from './sha256.ts'

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

const EMPTY_TREE_HASH = sha256(new Uint8Array(0))

/** An empty forest over pages that `readPage` finds; new pages are numbered by `nextPage`. */
export function createForest(readPage: (page: number) => Uint8Array | undefined, nextPage: () => number): Forest {
  const nodes = createNodes()
  const { load, outdate, drop, refer, save, take } = createPages(nodes, readPage, nextPage)

  // The write in progress.
  let key = ''
  let keyBytes = EMPTY
  let version = 0
  let replaced = false
  let carried: string | undefined

  function release(node: Node): void {
    drop(node)
    nodes.free(node)
  }

  /** Makes a node one of this version, whose hash is to be computed again. */
  function touch(node: Node): void {
    load(node)
    nodes.versions[node] = version
    nodes.flags[node] = LOADED
    outdate(node)
  }

  function setLeaf(node: Node, value: Uint8Array): void {
    nodes.heights[node] = 0
    nodes.sizes[node] = 1
    nodes.lefts[node] = NONE
    nodes.rights[node] = NONE
    nodes.keys[node] = key
    touchLeaf(node, value)
  }

  function touchLeaf(node: Node, value: Uint8Array): void {
    nodes.versions[node] = version
    nodes.flags[node] = LOADED | HASHED
    outdate(node)
    hashLeaf(node, value)
  }

  function hashLeaf(node: Node, value: Uint8Array): void {
    const out = hashAt(node)
    if (value.length <= MAX_MESSAGE) {
      nodes.memory.set(value)
      nodes.hasher.digest(value.length, out)
    } else nodes.memory.set(sha256(value), out)
    nodes.memory[0] = 0
    nodes.memory[1] = 2
    let at = putNumber(nodes.memory, 2, version * 2)
    at = putNumber(nodes.memory, at, keyBytes.length)
    nodes.memory.set(keyBytes, at)
    at += keyBytes.length
    nodes.memory[at] = 32
    nodes.memory.copyWithin(at + 1, out, out + 32)
    nodes.hasher.digest(at + 33, out)
  }

  function ensureHash(node: Node): void {
    if ((nodes.flags[node]! & HASHED) !== 0) return
    const left = nodes.lefts[node]!
    const right = nodes.rights[node]!
    ensureHash(left)
    ensureHash(right)
    let at = putNumber(nodes.memory, 0, nodes.heights[node]! * 2)
    at = putNumber(nodes.memory, at, nodes.sizes[node]! * 2)
    at = putNumber(nodes.memory, at, nodes.versions[node]! * 2)
    nodes.hasher.digestPair(at, hashAt(left), hashAt(right), hashAt(node))
    nodes.flags[node] = LOADED | HASHED
  }

  const balanceOf = (node: Node) => nodes.heights[nodes.lefts[node]!]! - nodes.heights[nodes.rights[node]!]!

  function rotateRight(node: Node): Node {
    const left = nodes.lefts[node]!
    touch(node)
    touch(left)
    nodes.lefts[node] = nodes.rights[left]!
    nodes.rights[left] = node
    measure(nodes, node)
    measure(nodes, left)
    return left
  }

  function rotateLeft(node: Node): Node {
    const right = nodes.rights[node]!
    touch(node)
    touch(right)
    nodes.rights[node] = nodes.lefts[right]!
    nodes.lefts[right] = node
    measure(nodes, node)
    measure(nodes, right)
    return right
  }

  // Reading a page may replace the arrays, so what a call returns is kept before it is put into one.

  /** Measures a touched node whose subtrees have changed, and rotates it if they differ too much. */
  function settle(node: Node): Node {
    measure(nodes, node)
    const balance = balanceOf(node)
    if (balance > 1) {
      const left = nodes.lefts[node]!
      load(left)
      if (balanceOf(left) < 0) {
        const rotated = rotateLeft(left)
        nodes.lefts[node] = rotated
      }
      return rotateRight(node)
    }
    if (balance < -1) {
      const right = nodes.rights[node]!
      load(right)
      if (balanceOf(right) > 0) {
        const rotated = rotateRight(right)
        nodes.rights[node] = rotated
      }
      return rotateLeft(node)
    }
    return node
  }

  function insert(node: Node, value: Uint8Array): Node {
    load(node)
    const nodeKey = nodes.keys[node]!
    if (nodes.heights[node] === 0) {
      if (key === nodeKey) {
        replaced = true
        touchLeaf(node, value)
        return node
      }
      const leaf = nodes.allocate()
      setLeaf(leaf, value)
      const inner = nodes.allocate()
      nodes.flags[inner] = LOADED
      nodes.versions[inner] = version
      nodes.keys[inner] = key < nodeKey ? nodeKey : key
      nodes.lefts[inner] = key < nodeKey ? leaf : node
      nodes.rights[inner] = key < nodeKey ? node : leaf
      measure(nodes, inner)
      return inner
    }
    touch(node)
    if (key < nodeKey) {
      const left = insert(nodes.lefts[node]!, value)
      nodes.lefts[node] = left
    } else {
      const right = insert(nodes.rights[node]!, value)
      nodes.rights[node] = right
    }
    return replaced ? node : settle(node)
  }

  function contains(root: Node): boolean {
    let node = root
    for (;;) {
      load(node)
      if (nodes.heights[node] === 0) return nodes.keys[node] === key
      node = key < nodes.keys[node]! ? nodes.lefts[node]! : nodes.rights[node]!
    }
  }

  /** The subtree without the key, which is in it. */
  function without(node: Node): Node {
    if (nodes.heights[node] === 0) {
      release(node)
      return NONE
    }
    touch(node)
    if (key < nodes.keys[node]!) {
      const left = without(nodes.lefts[node]!)
      if (left === NONE) {
        carried = nodes.keys[node]!
        const sibling = nodes.rights[node]!
        release(node)
        return sibling
      }
      nodes.lefts[node] = left
    } else {
      const right = without(nodes.rights[node]!)
      if (right === NONE) {
        const sibling = nodes.lefts[node]!
        release(node)
        return sibling
      }
      nodes.rights[node] = right
      if (carried !== undefined) nodes.keys[node] = carried
      carried = undefined
    }
    return settle(node)
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
      const leaf = nodes.allocate()
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
      return hashOf(nodes, root)
    },
    refer,
    save,
    takePages: take,
    clear: nodes.clear,
    get nodeCount() {
      return nodes.count()
    },
    *walk(root) {
      if (root === NONE) return
      load(root)
      if (nodes.heights[root]! > 0) {
        yield* this.walk(nodes.lefts[root]!)
        yield* this.walk(nodes.rights[root]!)
      }
      yield { key: fromKey(nodes.keys[root]!), version: nodes.versions[root]!, height: nodes.heights[root]! }
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
