/**
 * IAVL trees (state-layout.md §5.5): they commit to a store's contents and to the history of its writes. Trees share
 * nodes: a write copies what older trees hold, and changes in place what only the latest one does. What a checkpoint
 * wrote lies on disk in pages.
 */
import { fromKey, toKey } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { createLocator, type Location } from './leaf-paths.ts'
import { createNodeHashes } from './node-hashes.ts'
import { createNodes, hashOf, LOADED, measure, NONE, type Node, STORED } from './nodes.ts'
import { createPages, type PageChanges, type PageReference } from './pages.ts'

/** A key with its new value, or removed. */
interface KeyChange {
  readonly key: Uint8Array
  readonly value: Uint8Array | undefined
}

export interface Forest {
  /** The tree with the key set; its nodes get the version. The value counts by its hash only. */
  set(root: Node, key: Uint8Array, value: Uint8Array, version: number): Node
  /** The tree with all of the changes, which are sorted by key, each key once: as one after the other, but faster. */
  write(root: Node, changes: readonly KeyChange[], version: number): Node
  /** The tree without the key; the same tree if it was not there. */
  remove(root: Node, key: Uint8Array, version: number): Node
  /** 32 bytes; sha256 of nothing for the empty tree. Hashes what has changed. */
  rootHash(root: Node): Uint8Array
  /** The root's hash must have been computed. */
  locate(root: Node, key: Uint8Array): Location
  /** From now on nodes of versions up to this one are left as they are: the trees that are, stay. */
  keep(version: number): void
  /** Nodes that writes since the last time replaced and older trees hold: `free` them when those are given up. */
  takeReplaced(): Node[]
  free(nodes: readonly Node[]): void
  /** A node known by reference, to be read when needed. */
  refer(reference: PageReference): Node
  /** Puts what is not on disk into pages. The root's hash must have been computed, and the tree be kept. */
  save(root: Node): PageReference
  takePages(): PageChanges
  /** Frees a tree that shares no node with others, and says that no tree needs its pages. */
  abandon(root: Node): void
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
  const pages = createPages(nodes, readPage, nextPage)
  const { load } = pages
  const hashes = createNodeHashes(nodes)
  const { ensureHash, setValue } = hashes

  /** Nodes of versions up to this one belong to trees that stay. */
  let kept = 0
  let replaced: Node[] = []

  // The write in progress.
  let key = ''
  let version = 0
  let replacesLeaf = false
  let carried: string | undefined

  /** Whether only the latest tree has a node. */
  const isOwn = (node: Node) => nodes.version(node) > kept && (nodes.flags(node) & STORED) === 0

  /** A node that the latest tree does without. */
  function release(node: Node): void {
    if (isOwn(node)) {
      hashes.forget(node)
      nodes.free(node)
      return
    }
    pages.drop(node)
    replaced.push(node)
  }

  /** A node of this version in the place of a loaded one, whose hash is to be computed again. */
  function own(node: Node): Node {
    if (isOwn(node)) {
      nodes.setVersion(node, version)
      nodes.setFlags(node, LOADED)
      return node
    }
    const owned = nodes.copy(node, version)
    release(node)
    return owned
  }

  function createLeaf(value: Uint8Array): Node {
    const node = nodes.allocate()
    nodes.setHeight(node, 0)
    nodes.setSize(node, 1)
    nodes.keys[node] = key
    nodes.setVersion(node, version)
    nodes.setFlags(node, LOADED)
    setValue(node, value)
    return node
  }

  const balanceOf = (node: Node) => nodes.height(nodes.left(node)) - nodes.height(nodes.right(node))

  function rotateRight(node: Node): Node {
    const left = own(nodes.left(node))
    nodes.setLeft(node, nodes.right(left))
    nodes.setRight(left, node)
    measure(nodes, node)
    measure(nodes, left)
    return left
  }

  function rotateLeft(node: Node): Node {
    const right = own(nodes.right(node))
    nodes.setRight(node, nodes.left(right))
    nodes.setLeft(right, node)
    measure(nodes, node)
    measure(nodes, right)
    return right
  }

  /** Measures an owned node whose subtrees have changed, and rotates it if they differ too much. */
  function settle(node: Node): Node {
    measure(nodes, node)
    const balance = balanceOf(node)
    if (balance > 1) {
      const left = nodes.left(node)
      load(left)
      if (balanceOf(left) < 0) {
        const inner = nodes.right(left)
        load(inner)
        const rotated = rotateLeft(own(left))
        nodes.setLeft(node, rotated)
      }
      return rotateRight(node)
    }
    if (balance < -1) {
      const right = nodes.right(node)
      load(right)
      if (balanceOf(right) > 0) {
        const inner = nodes.left(right)
        load(inner)
        const rotated = rotateRight(own(right))
        nodes.setRight(node, rotated)
      }
      return rotateLeft(node)
    }
    return node
  }

  function insert(at: Node, value: Uint8Array): Node {
    load(at)
    const nodeKey = nodes.keys[at]!
    if (nodes.height(at) === 0) {
      if (key === nodeKey) {
        replacesLeaf = true
        const leaf = own(at)
        setValue(leaf, value)
        return leaf
      }
      const leaf = createLeaf(value)
      const inner = nodes.allocate()
      nodes.setFlags(inner, LOADED)
      nodes.setVersion(inner, version)
      nodes.keys[inner] = key < nodeKey ? nodeKey : key
      nodes.setLeft(inner, key < nodeKey ? leaf : at)
      nodes.setRight(inner, key < nodeKey ? at : leaf)
      measure(nodes, inner)
      return inner
    }
    const node = own(at)
    if (key < nodeKey) {
      const left = insert(nodes.left(node), value)
      nodes.setLeft(node, left)
    } else {
      const right = insert(nodes.right(node), value)
      nodes.setRight(node, right)
    }
    return replacesLeaf ? node : settle(node)
  }

  /** The changes of the batch in progress, and those among them that wait for another way. */
  let batch: readonly KeyChange[] = []
  let batchKeys: readonly string[] = []
  let others: number[] = []

  /**
   * The subtree with new values of the keys that it has, of a part of the batch; the rest goes to `others`. New values move
   * no node, so it is all the same whether they come before or between what does.
   */
  function update(at: Node, from: number, to: number): Node {
    load(at)
    const nodeKey = nodes.keys[at]!
    if (nodes.height(at) === 0) {
      let leaf = at
      for (let i = from; i < to; i++) {
        const { value } = batch[i]!
        if (value && batchKeys[i] === nodeKey) {
          leaf = own(at)
          setValue(leaf, value)
        } else others.push(i)
      }
      return leaf
    }
    const middle = firstFrom(nodeKey, from, to)
    const waiting = others.length
    const left = from < middle ? update(nodes.left(at), from, middle) : nodes.left(at)
    const right = middle < to ? update(nodes.right(at), middle, to) : nodes.right(at)
    if (others.length - waiting === to - from) return at
    const node = own(at)
    nodes.setLeft(node, left)
    nodes.setRight(node, right)
    return node
  }

  /** Index of the first change of a part of the batch that is not before a key. */
  function firstFrom(nodeKey: string, from: number, to: number): number {
    let low = from
    let high = to
    while (low < high) {
      const middle = (low + high) >>> 1
      if (batchKeys[middle]! < nodeKey) low = middle + 1
      else high = middle
    }
    return low
  }

  function writeAll(root: Node, changes: readonly KeyChange[], at: number): Node {
    batch = changes
    batchKeys = changes.map((change) => toKey(change.key))
    others = root === NONE ? [...changes.keys()] : []
    version = at
    let written = root === NONE ? NONE : update(root, 0, changes.length)
    for (const i of others) {
      const { key: of, value } = changes[i]!
      written = value ? set(written, of, value, at) : remove(written, of, at)
    }
    batch = []
    return written
  }

  function contains(root: Node): boolean {
    let node = root
    for (;;) {
      load(node)
      if (nodes.height(node) === 0) return nodes.keys[node] === key
      node = key < nodes.keys[node]! ? nodes.left(node) : nodes.right(node)
    }
  }

  /** The subtree without the key, which is in it. */
  function without(at: Node): Node {
    if (nodes.height(at) === 0) {
      release(at)
      return NONE
    }
    if (key < nodes.keys[at]!) {
      const left = without(nodes.left(at))
      if (left === NONE) {
        carried = nodes.keys[at]!
        const sibling = nodes.right(at)
        release(at)
        return sibling
      }
      const node = own(at)
      nodes.setLeft(node, left)
      return settle(node)
    }
    const right = without(nodes.right(at))
    if (right === NONE) {
      const sibling = nodes.left(at)
      release(at)
      return sibling
    }
    const node = own(at)
    nodes.setRight(node, right)
    if (carried !== undefined) nodes.keys[node] = carried
    carried = undefined
    return settle(node)
  }

  function abandon(node: Node): void {
    load(node)
    pages.drop(node)
    const isInner = nodes.height(node) > 0
    const [left, right] = [nodes.left(node), nodes.right(node)]
    nodes.free(node)
    if (!isInner) return
    abandon(left)
    abandon(right)
  }

  function begin(of: Uint8Array, at: number): void {
    key = toKey(of)
    version = at
    replacesLeaf = false
    carried = undefined
  }

  function set(root: Node, of: Uint8Array, value: Uint8Array, at: number): Node {
    begin(of, at)
    return root === NONE ? createLeaf(value) : insert(root, value)
  }

  function remove(root: Node, of: Uint8Array, at: number): Node {
    begin(of, at)
    return root === NONE || !contains(root) ? root : without(root)
  }

  return {
    set,
    write: writeAll,
    remove,
    rootHash(root) {
      if (root === NONE) return EMPTY_TREE_HASH
      ensureHash(root)
      return hashOf(nodes, root)
    },
    locate: createLocator(nodes, pages, hashes),
    keep(upTo) {
      kept = upTo
    },
    takeReplaced() {
      const taken = replaced
      replaced = []
      return taken
    },
    free(those) {
      for (const node of those) nodes.free(node)
    },
    refer: pages.refer,
    save: pages.save,
    takePages: pages.take,
    abandon(root) {
      if (root !== NONE) abandon(root)
    },
    clear() {
      nodes.clear()
      hashes.clear()
      pages.clear()
      replaced = []
    },
    get nodeCount() {
      return nodes.count()
    },
    *walk(root) {
      if (root === NONE) return
      load(root)
      if (nodes.height(root) > 0) {
        yield* this.walk(nodes.left(root))
        yield* this.walk(nodes.right(root))
      }
      yield { key: fromKey(nodes.keys[root]!), version: nodes.version(root), height: nodes.height(root) }
    },
  }
}
