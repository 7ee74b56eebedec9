/** The import of one tree from its nodes in post-order, with memory that does not grow with the tree. */
import { compare } from '../../primitives/bytes.ts'
import type { ImportedNode } from '../tree/node-import.ts'
import type { PageReference } from '../tree/pages.ts'
import { MAX_KEY, MAX_WAITING } from '../tree/tree-program.ts'
import type { TreeStore } from '../tree/tree-store.ts'
import { damaged } from './items.ts'

const MAX_VERSION = 2 ** 31 - 1

/** A subtree whose parent has not come yet. */
interface Waiting {
  readonly height: number
  readonly firstKey: Uint8Array
}

export interface TreeImport {
  /** Adds the next node. Throws `dataLoss` if no tree has such a node at this place. */
  add(node: ImportedNode): void
  /** Whether pages are ready to be taken. */
  isFull(): boolean
  /** Saves all nodes. Returns the pages that were written, and drops the nodes from memory. */
  save(): readonly (readonly [page: number, bytes: Uint8Array])[]
  /** Returns the root after the last node and `save`; undefined for an empty tree. Throws `dataLoss` if nodes are missing. */
  root(): PageReference | undefined
}

/**
 * Begins to import a tree of a store. No other tree may be in the tree store. `nodesInMemory` is the number of nodes that make it
 * full, `drop` receives pages that are obsolete.
 */
export function importTree(
  treeStore: TreeStore,
  store: string,
  nodesInMemory: number,
  drop: (page: number) => void,
): TreeImport {
  const waiting: Waiting[] = []
  const nodes = treeStore.importNodes()
  let inMemory = 0
  let lastKey: Uint8Array | undefined
  let references: PageReference[] = []

  const wrong = (what: string) => damaged(`store ${store}: ${what}`)

  function addLeaf({ key }: ImportedNode): void {
    if (lastKey && compare(lastKey, key) >= 0) throw wrong('its keys do not ascend')
    if (waiting.length === MAX_WAITING) throw wrong('its leaves have no parents')
    // A copy: the key is a view of a larger piece of memory.
    lastKey = key.slice()
    waiting.push({ height: 0, firstKey: lastKey })
  }

  function addInner({ key, height }: ImportedNode): void {
    const right = waiting.pop()
    const left = waiting.pop()
    if (!left || !right) throw wrong('a node lacks a child')
    if (height !== Math.max(left.height, right.height) + 1) throw wrong(`a node has height ${height}`)
    if (Math.abs(left.height - right.height) > 1) throw wrong('a node is not balanced')
    if (compare(key, right.firstKey) !== 0) throw wrong('a node has another key than its right subtree')
    waiting.push({ height, firstKey: left.firstKey })
  }

  return {
    add(node) {
      const { key, value, version, height } = node
      if (key.length > MAX_KEY) throw wrong(`a key has ${key.length} bytes`)
      if (version < 1 || version > MAX_VERSION) throw wrong(`a node has version ${version}`)
      if (value === undefined ? height === 0 : height > 0) throw wrong('an inner node has a value')
      if (height === 0) addLeaf(node)
      else addInner(node)
      nodes.add(node)
      inMemory++
    },
    isFull: () => inMemory >= nodesInMemory,
    save() {
      const unsaved = nodes.waiting()
      treeStore.freeze(MAX_VERSION)
      references = unsaved.map((node) => {
        treeStore.rootHash(node)
        return treeStore.save(node)
      })
      const { written, dropped } = treeStore.takePages()
      for (const page of dropped) drop(page)
      treeStore.clear()
      nodes.resume(references.map((reference) => treeStore.refer(reference)))
      inMemory = 0
      return written
    },
    root() {
      if (waiting.length > 1) throw wrong(`it ends with ${waiting.length} separate trees`)
      return references[0]
    },
  }
}
