/**
 * Trees on disk: pages of a few levels each, written at checkpoints and read when a path leads into them. A page never
 * changes: what a later checkpoint holds differently it holds in new pages, so that each checkpoint stays whole.
 */
import { fromKey, toKey } from '../primitives/bytes.ts'
import { createArena } from './arena.ts'
import { HASHED, hashAt, hashOf, LOADED, measure, type Node, type Nodes, STORED } from './nodes.ts'
import {
  createOutput,
  finishIn,
  type Input,
  type Output,
  putBytes,
  putVarint,
  takeBytes,
  takeVarint,
} from './varint.ts'

/** What a reference says of a node that is on disk. */
export interface PageReference {
  readonly page: number
  readonly height: number
  readonly size: number
  readonly hash: Uint8Array
}

/** Pages written, and pages that the latest trees no longer need, since the last time they were taken. */
export interface PageChanges {
  readonly written: readonly (readonly [page: number, bytes: Uint8Array])[]
  readonly dropped: readonly number[]
}

export interface Pages {
  /** Sees to it that a node is in memory; its children then are so at least by reference. */
  load(node: Node): void
  /** A node known by reference, to be read when needed. */
  refer(reference: PageReference): Node
  /** Says that the latest trees do not need the page that a node begins, if it begins one. */
  drop(node: Node): void
  /** Puts what is not on disk into pages. The hashes must have been computed. */
  save(root: Node): PageReference
  take(): PageChanges
  /** Forgets what has not been taken. */
  clear(): void
}

/** Levels of a page: with fewer, a changed leaf takes less with it; with more, fewer pages are read. */
const LEVELS = 3

/** A node of such a height begins a page. The root of a tree begins one at any height. */
const beginsPage = (height: number) => height % LEVELS === LEVELS - 1

const LEAF = 0
const INNER = 1
const REFERENCE = 2
/** An inner node whose key, the smallest of its right subtree, is not in the page. */
const KEYED_INNER = 3

/** Pages that `readPage` finds; new ones are numbered by `nextPage`. */
export function createPages(
  nodes: Nodes,
  readPage: (page: number) => Uint8Array | undefined,
  nextPage: () => number,
): Pages {
  let written: [number, Uint8Array][] = []
  let dropped: number[] = []
  const pageOutput = createOutput(4096)

  const arena = createArena()

  function drop(node: Node): void {
    if (nodes.page(node) !== 0) dropped.push(nodes.page(node))
  }

  function load(node: Node): void {
    if ((nodes.flags(node) & LOADED) !== 0) return
    const bytes = readPage(nodes.page(node))
    if (!bytes) throw new Error(`page ${nodes.page(node)} of the trees is missing`)
    takeNode({ bytes, at: 0 }, node, HASHED)
  }

  /**
   * Reads a node and what its page holds below it, into the given place. Returns its smallest key, if the page has it.
   * Of inner nodes a page holds no hash: that of its first is known by reference, the others follow from their children.
   */
  function takeNode(input: Input, node: Node, hashed: 0 | typeof HASHED): string | undefined {
    const kind = takeVarint(input)
    if (kind === REFERENCE) {
      nodes.setPage(node, takeVarint(input))
      nodes.setHeight(node, takeVarint(input))
      nodes.setSize(node, takeVarint(input))
      nodes.memory().set(takeBytes(input, 32), hashAt(node))
      nodes.setFlags(node, HASHED | STORED)
      return undefined
    }
    nodes.setVersion(node, takeVarint(input))
    if (kind === LEAF) {
      nodes.memory().set(takeBytes(input, 32), hashAt(node))
      nodes.setFlags(node, LOADED | HASHED | STORED)
      nodes.setHeight(node, 0)
      nodes.setSize(node, 1)
      nodes.keys[node] = toKey(takeBytes(input, takeVarint(input)))
      return nodes.keys[node]
    }
    nodes.setFlags(node, LOADED | STORED | hashed)
    const ownKey = kind === KEYED_INNER ? toKey(takeBytes(input, takeVarint(input))) : undefined
    const left = nodes.allocate()
    const right = nodes.allocate()
    const smallest = takeNode(input, left, 0)
    const smallestRight = takeNode(input, right, 0)
    nodes.setLeft(node, left)
    nodes.setRight(node, right)
    nodes.keys[node] = ownKey ?? smallestRight!
    measure(nodes, node)
    return smallest
  }

  function putReference(out: Output, node: Node): void {
    putVarint(out, REFERENCE)
    putVarint(out, nodes.page(node))
    putVarint(out, nodes.height(node))
    putVarint(out, nodes.size(node))
    putBytes(out, nodes.memory().subarray(hashAt(node), hashAt(node) + 32))
  }

  /** Whether the smallest leaf below a node lies in the page that holds the node. */
  function holdsSmallest(node: Node): boolean {
    if (beginsPage(nodes.height(node))) return false
    return nodes.height(node) === 0 || holdsSmallest(nodes.left(node))
  }

  /** Writes a node that is part of a page, and what the page holds below it. */
  function putNode(out: Output, node: Node): void {
    const isLeaf = nodes.height(node) === 0
    const keyed = !isLeaf && !holdsSmallest(nodes.right(node))
    putVarint(out, isLeaf ? LEAF : keyed ? KEYED_INNER : INNER)
    putVarint(out, nodes.version(node))
    if (isLeaf) putBytes(out, nodes.memory().subarray(hashAt(node), hashAt(node) + 32))
    if (isLeaf || keyed) {
      const bytes = fromKey(nodes.keys[node]!)
      putVarint(out, bytes.length)
      putBytes(out, bytes)
    }
    if (isLeaf) return
    for (const child of [nodes.left(node), nodes.right(node)]) {
      if (beginsPage(nodes.height(child))) putReference(out, child)
      else putNode(out, child)
    }
  }

  /** Writes the pages that begin below a node and are not on disk. */
  function ensurePagesBelow(node: Node): void {
    if (nodes.height(node) === 0) return
    for (const child of [nodes.left(node), nodes.right(node)]) {
      if (beginsPage(nodes.height(child))) ensurePage(child)
      else {
        // It may have been the root of its tree, with a page of its own, when it was written.
        load(child)
        drop(child)
        nodes.setPage(child, 0)
        ensurePagesBelow(child)
      }
    }
  }

  function ensurePage(node: Node): void {
    if (nodes.page(node) > 0) return
    ensurePagesBelow(node)
    pageOutput.length = 0
    putNode(pageOutput, node)
    nodes.setPage(node, nextPage())
    written.push([nodes.page(node), finishIn(pageOutput, arena)])
  }

  return {
    load,
    drop,
    refer(reference) {
      const node = nodes.allocate()
      nodes.setPage(node, reference.page)
      nodes.setHeight(node, reference.height)
      nodes.setSize(node, reference.size)
      nodes.memory().set(reference.hash, hashAt(node))
      nodes.setFlags(node, HASHED | STORED)
      return node
    },
    save(root) {
      ensurePage(root)
      return {
        page: nodes.page(root),
        height: nodes.height(root),
        size: nodes.size(root),
        hash: hashOf(nodes, root),
      }
    },
    take() {
      const taken = { written, dropped }
      written = []
      dropped = []
      return taken
    },
    clear() {
      written = []
      dropped = []
    },
  }
}
