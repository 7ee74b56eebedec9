/**
 * IAVL trees (state-layout.md §5.5): they commit to a store's contents and to the history of its writes. Trees share
 * nodes: a write copies what older trees hold, and changes in place what only the latest one does. What a checkpoint
 * wrote lies on disk in pages. The work is done by the program that `trees/` is built to (ADR 0019).
 */
import { sha256 } from '../primitives/hash.ts'
import { emptyBatch, type KeyChange, putChanges } from './batch.ts'
import { createLocator, type Location } from './leaf-paths.ts'
import { createNodes } from './nodes.ts'
import { addPages, bringPage, type PageChanges, type PageReference } from './pages.ts'
import {
  AT,
  createTreeGround,
  createTreeProgram,
  MAX_FREED,
  MAX_WRITES,
  NONE,
  type Node,
  type TreeGround,
  type TreeHost,
  type TreeProgram,
} from './tree-program.ts'

/** A tree and its changes, sorted by key, each key once. */
interface TreeWrite {
  readonly root: Node
  readonly changes: readonly KeyChange[]
}

/** Trees that are being written, by another thread perhaps: until the end nothing else may be asked of their forest. */
interface Writing {
  /** The trees with their changes, in order, and hashed. */
  finish(): readonly Node[]
  /** Ends without them; does nothing after `finish`. */
  giveUp(): void
}

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

/** Somebody who writes large batches to the trees while their owner does something else. */
export interface TreeHelper {
  /**
   * Offers to write trees with so many changes in all. From then until `finish` or `takeBack` returns nothing else may be asked
   * of their program, if this returns true.
   */
  offer(work: Parameters<TreeProgram['writeTrees']>, changes: number): boolean
  /** Waits for what was offered. Returns false if nobody had begun with it. Throws what the writing threw. */
  finish(): boolean
  /** Gives up what was offered, if it is not finished. */
  takeBack(): void
  close(): Promise<void>
}

export type CreateTreeHelper = (ground: TreeGround, host: TreeHost) => TreeHelper

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

  function write(root: Node, changes: readonly KeyChange[], version: number): Node {
    let tree = root
    for (let from = 0; from < changes.length; ) {
      const count = putChanges(memory, emptyBatch(), changes, from)
      tree = program.writeAll(tree, 0, count, version)
      from += count
    }
    return tree
  }

  /** Puts trees down with their changes, if there is room for all of them. Returns how many changes they are. */
  function putWrites(writes: readonly TreeWrite[]): number | undefined {
    if (writes.length > MAX_WRITES) return undefined
    const batch = emptyBatch()
    const cells = new Int32Array(memory.buffer, AT.writes, writes.length * 3)
    for (const [i, { root, changes }] of writes.entries()) {
      const first = batch.count
      if (putChanges(memory, batch, changes, 0) < changes.length) return undefined
      cells.set([root, first, changes.length], i * 3)
    }
    return batch.count
  }

  /** Puts down what is to be freed in the next call; what there is no room for is freed now. Returns how many nodes are put down. */
  function putFreed(those: Int32Array): number {
    const cells = new Int32Array(memory.buffer, AT.freed)
    let from = 0
    for (; those.length - from > MAX_FREED; from += MAX_FREED) {
      cells.set(those.subarray(from, from + MAX_FREED))
      program.freeNodes(MAX_FREED)
    }
    cells.set(those.subarray(from))
    return those.length - from
  }

  function begin(writes: readonly TreeWrite[], version: number, freed = new Int32Array(0)): Writing {
    const count = putWrites(writes)
    const work: Parameters<TreeProgram['writeTrees']> = [writes.length, version, putFreed(freed)]
    // A page takes its reader a microsecond or two, and one that is asked of him a hundred.
    const isWarm = pagesRead <= fewPages
    pagesRead = 0
    const isOffered = count !== undefined && isWarm && helper?.offer(work, count)
    return {
      finish() {
        if (count === undefined) {
          program.freeNodes(work[2])
          return writes.map((one) => hashed(write(one.root, one.changes, version)))
        }
        if (!isOffered || !helper?.finish()) program.writeTrees(...work)
        const cells = new Int32Array(memory.buffer, AT.writes)
        return writes.map((_, i) => cells[i * 3]!)
      },
      giveUp() {
        if (isOffered) helper?.takeBack()
      },
    }
  }

  function hashed(root: Node): Node {
    if (root !== NONE) program.ensureHash(root)
    return root
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
    begin,
    remove: (root, key, version) => write(root, [{ key, value: undefined }], version),
    rootHash(root) {
      return root === NONE ? EMPTY_TREE_HASH : nodes.hash(hashed(root))
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
    free(those) {
      program.freeNodes(putFreed(those))
    },
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
