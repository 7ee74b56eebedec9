/**
 * IAVL trees (state-layout.md §5.5): they commit to a store's contents and to the history of its writes. Trees share
 * nodes: a write copies what older trees hold, and changes in place what only the latest one does. What a checkpoint
 * wrote lies on disk in pages. The work is done by the program that `trees/` is built to (ADR 0019).
 */
import { sha256 } from '../../primitives/hash.ts'
import type { KeyChange } from './batch.ts'
import { createLocator, type Location } from './leaf-paths.ts'
import { createNodes } from './nodes.ts'
import { addPages, bringPage, type PageChanges, type PageReference } from './pages.ts'
import { AT, createTreeGround, createTreeProgram, NONE, type Node, type TreeHost } from './tree-program.ts'
import { type CreateTreeHelper, createTreeWrites, type TreeWrite, type Writing } from './tree-writes.ts'

export interface Forest {
  /** The tree with the key set; its nodes get the version. The value counts by its hash only. */
  set(root: Node, key: Uint8Array, value: Uint8Array, version: number): Node
  /**
   * The tree with all of the changes, which are sorted by key, each key once: as one after the other, but faster. Throws a
   * `RangeError` for a key of more than 4096 bytes.
   */
  write(root: Node, changes: readonly KeyChange[], version: number): Node
  /** Begins to write trees, and to free nodes before. Throws as `write` does. */
  begin(writes: readonly TreeWrite[], version: number, freed?: Int32Array): Writing
  /** The tree without the key; the same tree if it was not there. */
  remove(root: Node, key: Uint8Array, version: number): Node
  /** 32 bytes; sha256 of nothing for the empty tree. Hashes what has changed. */
  rootHash(root: Node): Uint8Array
  /** The root's hash must have been computed. */
  locate(root: Node, key: Uint8Array): Location
  /** From now on nodes of versions up to this one are left as they are: the trees that are, stay. */
  keep(version: number): void
  /** Nodes that writes since the last time replaced and older trees hold: `free` them when those are given up. */
  takeReplaced(): Int32Array
  free(nodes: Int32Array): void
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
  close(): Promise<void>
  /** Nodes in post-order, for exports and tests. */
  walk(root: Node): IterableIterator<{ readonly key: Uint8Array; readonly version: number; readonly height: number }>
}

const EMPTY_TREE_HASH = sha256(new Uint8Array(0))
const NOTHING = new Int32Array(0)
const FEW_PAGES = 32

interface ForestOptions {
  /** Absent where nobody has anything else to do meanwhile. */
  readonly createHelper?: CreateTreeHelper | undefined
  /** With more pages read since the last block, the next is not offered to the helper. */
  readonly fewPages?: number
}

/** An empty forest over pages that `readPage` finds; new pages are numbered by `nextPage`. */
export function createForest(
  readPage: (page: number) => Uint8Array | undefined,
  nextPage: () => number,
  { createHelper, fewPages = FEW_PAGES }: ForestOptions = {},
): Forest {
  const ground = createTreeGround(createHelper !== undefined)
  const { memory } = ground
  const nodes = createNodes(memory)
  const host: TreeHost = {
    readPage(node) {
      pagesRead++
      bringPage(program, nodes, node, readPage)
    },
    takeLists,
    nextPage,
  }
  const program = createTreeProgram(ground, host, sha256)
  const helper = createHelper?.(ground, host)
  const { write, begin, free } = createTreeWrites(memory, program)

  /** Since the last block. */
  let pagesRead = 0
  let replaced: Int32Array[] = []
  let dropped: number[] = []
  let written: [number, Uint8Array][] = []

  const copyOf = (at: number, count: number) => new Int32Array(memory.buffer, at, count).slice()

  function takeLists(replacedCount: number, droppedCount: number, pagesEnd: number): void {
    if (replacedCount > 0) replaced.push(copyOf(AT.replaced, replacedCount))
    for (const page of new Uint32Array(memory.buffer, AT.dropped, droppedCount)) dropped.push(page)
    addPages(written, memory, pagesEnd)
  }

  function* walk(node: Node): ReturnType<Forest['walk']> {
    if (node === NONE) return
    program.ensureLoaded(node)
    if (nodes.height(node) > 0) {
      yield* walk(nodes.left(node))
      yield* walk(nodes.right(node))
    }
    yield { key: nodes.key(node).slice(), version: nodes.version(node), height: nodes.height(node) }
  }

  return {
    set: (root, key, value, version) => write(root, [{ key, value }], version),
    write,
    begin(writes, version, freed = NOTHING) {
      // A page that is asked of its reader takes sixteen times as long as one that he reads for himself.
      const isWarm = pagesRead <= fewPages
      pagesRead = 0
      return begin(writes, version, freed, isWarm ? helper : undefined)
    },
    remove: (root, key, version) => write(root, [{ key, value: undefined }], version),
    rootHash(root) {
      if (root === NONE) return EMPTY_TREE_HASH
      program.ensureHash(root)
      return nodes.hash(root)
    },
    locate: createLocator(nodes, program),
    keep: program.keep,
    takeReplaced() {
      program.handOver()
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
      program.handOver()
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
    walk,
    async close() {
      await helper?.close()
    },
  }
}
