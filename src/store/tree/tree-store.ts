/**
 * The nodes of IAVL trees (docs/state-layout.md#trees), whose root hashes commit to a store's contents and to the history of
 * its writes. Trees share nodes: a write copies nodes of older trees, and changes nodes in place that only the latest tree
 * has. Checkpoints save trees to disk in pages. The WebAssembly program built from `trees/` does the work (ADR 0019).
 */
import { sha256 } from '../../primitives/hash.ts'
import type { KeyChange } from './batch.ts'
import * as regions from './layout.ts'
import { createLocator, type Location } from './leaf-paths.ts'
import { createNodeImports, type NodeImport } from './node-import.ts'
import { createNodes } from './nodes.ts'
import { addPages, loadPage, type PageChanges, type PageReference } from './pages.ts'
import { createTreeProgram, createTreeRuntime, NONE, type Node, type TreeHost } from './tree-program.ts'
import { type CreateTreeHelper, createTreeWrites, type TreeWrite, type Writing } from './tree-writes.ts'

export interface TreeStore {
  /** Sets a key. Written nodes get the version. Stores only the hash of the value. Returns the new tree. */
  set(root: Node, key: Uint8Array, value: Uint8Array, version: number): Node
  /**
   * Applies changes, sorted by key, each key once, with the result of single calls but faster. Returns the new tree. Throws a
   * `RangeError` for a key of more than 4096 bytes.
   */
  write(root: Node, changes: readonly KeyChange[], version: number): Node
  /** Starts to free nodes and then to write trees. Throws like `write`. */
  begin(writes: readonly TreeWrite[], version: number, freed?: Int32Array): Writing
  /** Removes a key. Returns the new tree, or the same one if the key is absent. */
  remove(root: Node, key: Uint8Array, version: number): Node
  /** Hashes the changed nodes and returns the root hash, 32 bytes. That of the empty tree is the SHA-256 of no bytes. */
  rootHash(root: Node): Uint8Array
  /** Returns the number of keys. */
  leafCount(root: Node): number
  /** Finds a key. The root hash must be computed. */
  locate(root: Node, key: Uint8Array): Location
  /** Makes nodes up to a version immutable, so that the present trees stay readable. */
  freeze(version: number): void
  /**
   * Returns the nodes that writes since the last call replaced. Older trees contain them: `free` them when those are
   * evicted.
   */
  takeReplaced(): Int32Array
  free(nodes: Int32Array): void
  /** Creates a node from a reference. Its page is read when needed. */
  refer(reference: PageReference): Node
  /** Writes unsaved nodes to pages. The root hash must be computed and the tree frozen. */
  save(root: Node): PageReference
  takePages(): PageChanges
  /** Frees a tree that shares no node with other trees, and drops its pages. */
  abandon(root: Node): void
  /** Drops all nodes. Trees must be created again with `refer`. */
  clear(): void
  readonly nodeCount: number
  close(): Promise<void>
  /** Begins to import a tree from its nodes. */
  importNodes(): NodeImport
  /** Iterates over the nodes in post-order. Do not use the store otherwise meanwhile. */
  walk(root: Node, options?: WalkOptions): IterableIterator<WalkedNode>
}

/** A node of a tree, in post-order: left subtree, right subtree, node. A leaf has height 0. */
interface WalkedNode {
  readonly key: Uint8Array
  readonly version: number
  readonly height: number
}

interface WalkOptions {
  /** Drops pages once they are walked, so that memory does not grow with the tree. No other tree may be in the store. */
  readonly unloads: boolean
}

const EMPTY_TREE_HASH = sha256(new Uint8Array(0))
const NOTHING = new Int32Array(0)
const MAX_PAGES_READ = 32

interface TreeStoreOptions {
  /** Creates the thread that writes large blocks. Absent if the caller has no other work meanwhile. */
  readonly createHelper?: CreateTreeHelper | undefined
  /** Maximum number of pages read in a block; after more, the next block is not offered to the helper. */
  readonly maxPagesRead?: number
}

/** Creates a tree store without nodes. `readPage` reads pages, `nextPage` numbers new ones. */
export function createTreeStore(
  readPage: (page: number) => Uint8Array | undefined,
  nextPage: () => number,
  { createHelper, maxPagesRead = MAX_PAGES_READ }: TreeStoreOptions = {},
): TreeStore {
  const runtime = createTreeRuntime(createHelper !== undefined)
  const { memory } = runtime
  const nodes = createNodes(memory)
  const host: TreeHost = {
    readPage(node) {
      pagesRead++
      loadPage(program, nodes, node, readPage)
    },
    receiveLists,
    nextPage,
  }
  const program = createTreeProgram(runtime, host, sha256)
  const helper = createHelper?.(runtime, host)
  const { write, begin, free } = createTreeWrites(memory, program)

  /** Pages read since the last block. */
  let pagesRead = 0
  let replaced: Int32Array[] = []
  let dropped: number[] = []
  let written: [number, Uint8Array][] = []

  const copyOf = (at: number, count: number) => new Int32Array(memory.buffer, at, count).slice()

  function receiveLists(replacedCount: number, droppedCount: number, pagesEnd: number): void {
    if (replacedCount > 0) replaced.push(copyOf(regions.REPLACED, replacedCount))
    for (const page of new Uint32Array(memory.buffer, regions.DROPPED, droppedCount)) dropped.push(page)
    addPages(written, memory, pagesEnd)
  }

  function* walk(root: Node, { unloads } = { unloads: false }): ReturnType<TreeStore['walk']> {
    /** Nodes on the way to the present one, and whether their right subtree has been entered. */
    const path: { readonly node: Node; isRight: boolean }[] = []
    const enter = (from: Node): void => {
      for (let node = from; ; node = nodes.left(node)) {
        program.ensureLoaded(node)
        path.push({ node, isRight: false })
        if (nodes.height(node) === 0) return
      }
    }
    if (root !== NONE) enter(root)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { node } = top
      const height = nodes.height(node)
      if (height > 0 && !top.isRight) {
        top.isRight = true
        enter(nodes.right(node))
        continue
      }
      path.pop()
      yield { key: nodes.key(node).slice(), version: nodes.version(node), height }
      if (unloads) program.unload(node)
    }
  }

  return {
    set: (root, key, value, version) => write(root, [{ key, value }], version),
    write,
    begin(writes, version, freed = NOTHING) {
      // A page that the helper requests takes sixteen times as long as one that this thread reads itself.
      const isWarm = pagesRead <= maxPagesRead
      pagesRead = 0
      return begin(writes, version, freed, isWarm ? helper : undefined)
    },
    remove: (root, key, version) => write(root, [{ key, value: undefined }], version),
    rootHash(root) {
      if (root === NONE) return EMPTY_TREE_HASH
      program.ensureHash(root)
      return nodes.hash(root)
    },
    leafCount: (root) => (root === NONE ? 0 : nodes.size(root)),
    locate: createLocator(nodes, program),
    freeze: program.freeze,
    takeReplaced() {
      program.flushLists()
      const taken = new Int32Array(replaced.reduce((count, part) => count + part.length, 0))
      let at = 0
      for (const part of replaced) {
        taken.set(part, at)
        at += part.length
      }
      replaced = []
      return taken
    },
    free,
    refer({ page, height, size, hash }) {
      const node = program.refer(page, height, size)
      nodes.putHash(node, hash)
      return node
    },
    save(root) {
      program.ensurePage(root)
      return { page: nodes.page(root), height: nodes.height(root), size: nodes.size(root), hash: nodes.hash(root) }
    },
    takePages() {
      program.flushLists()
      const taken = { written, dropped }
      written = []
      dropped = []
      return taken
    },
    abandon(root) {
      if (root !== NONE) program.abandon(root)
    },
    clear() {
      program.clear()
      pagesRead = Number.POSITIVE_INFINITY
      replaced = []
      dropped = []
      written = []
    },
    get nodeCount() {
      return program.nodeCount()
    },
    importNodes: createNodeImports(memory, program),
    walk,
    async close() {
      await helper?.close()
    },
  }
}
