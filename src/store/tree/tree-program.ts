/**
 * The tree program, WebAssembly built from `trees/`: nodes, keys and hashes in linear memory, without objects for the garbage
 * collector. All its state between calls is in that memory, so two threads can call it in turn.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import * as regions from './layout.ts'

/** A node, identified by its address in memory divided by 64. */
export type Node = number
/** The empty tree. */
export const NONE: Node = 0

/** Maximum number of trees written in one call. */
export const MAX_WRITES = 170
/** Maximum number of changes in a batch, and their maximum total size. */
export const MAX_CHANGES = 8192
export const BATCH_BYTES = regions.PAGE - regions.BATCH
/** Maximum number of nodes freed in one call. */
export const MAX_FREED = (regions.START - regions.FREED) / 4
/** Maximum number of subtrees that wait for their parents while a tree is imported. */
export const MAX_WAITING = 256
/** Maximum length of a key. */
export const MAX_KEY = 4096
export const MAX_PAGE = regions.PAGES - regions.PAGE

/** Size of a WebAssembly page in bytes, and the maximum number of pages: as many as 32 bits address. */
export const MEMORY_UNIT = 0x10000
const MAX_UNITS = 0x10000

/** Functions that the program calls while it runs. Names in capitals are regions of memory in `layout.ts`. */
export interface TreeHost {
  /** Copies the page that starts at a node to `PAGE`, and calls `parsePage`. */
  readPage(node: Node): void
  /**
   * Copies `replaced` and `dropped` u32 cells from `REPLACED` and `DROPPED`, and the pages from `PAGES` to
   * `pagesEnd`.
   */
  receiveLists(replaced: number, dropped: number, pagesEnd: number): void
  nextPage(): number
}

/** The exports of `trees/index.ts`. */
export interface TreeProgram {
  /** Applies `count` changes of the batch from index `first`, sorted by key, each key once. Returns the new tree. */
  writeAll(root: Node, first: number, count: number, version: number): Node
  /**
   * Frees the first `freed` nodes at `FREED`, then writes and hashes the trees at `WRITES`, which lists for each its root, the
   * index of its first change, and the number of its changes. Replaces the roots there by the new ones.
   */
  writeTrees(trees: number, version: number, freed: number): void
  /** Makes nodes up to a version immutable. */
  freeze(version: number): void
  /** Hashes a node and all unhashed nodes below it. */
  ensureHash(node: Node): void
  ensureLoaded(node: Node): void
  /** Parses the page at `PAGE`, which starts at a node. Returns 0 if it is truncated. */
  parsePage(node: Node, length: number): number
  /** Creates a node that is known by reference. The caller sets its hash. */
  refer(page: number, height: number, size: number): Node
  /** Writes the unsaved pages that start at or below a node. */
  ensurePage(node: Node): void
  /** Calls `receiveLists` with the lists so far, and empties them. */
  flushLists(): void
  /** Frees the first `count` nodes at `FREED`. */
  freeNodes(count: number): void
  abandon(root: Node): void
  /** Frees the nodes below one that starts a page. */
  unload(node: Node): void
  /**
   * Adds `count` nodes of an imported tree, in post-order, to the `waiting` subtrees at `WRITES`: keys and values from the batch,
   * height and version from two cells each at `FREED`. Returns the number of waiting subtrees.
   */
  importNodes(count: number, waiting: number): number
  clear(): void
  nodeCount(): number
}

/** The two builds of the program: for the memory of one thread, and for memory that threads share. */
type Build = 'trees' | 'trees-shared'

const compiled = new Map<Build, WebAssembly.Module>()

function moduleOf(build: Build): WebAssembly.Module {
  let module = compiled.get(build)
  if (!module) {
    module = new WebAssembly.Module(readFileSync(createRequire(import.meta.url).resolve(`#build/${build}.wasm`)))
    compiled.set(build, module)
  }
  return module
}

/** The part of `WebAssembly.Memory` that is used here. The library's declarations omit shared buffers. */
export interface TreeMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer
  grow(units: number): number
}

/** A memory and the compiled program for it. Other threads can use both if the memory is shared. */
export interface TreeRuntime {
  readonly memory: TreeMemory
  readonly module: WebAssembly.Module
}

/**
 * Creates an empty memory. The garbage collector underestimates shared memory, so share only trees that live as long as
 * the process.
 */
export function createTreeRuntime(isShared: boolean): TreeRuntime {
  const size = { initial: regions.START / MEMORY_UNIT, maximum: MAX_UNITS, shared: isShared }
  const memory = new WebAssembly.Memory(size) as unknown as TreeMemory
  return { memory, module: moduleOf(isShared ? 'trees-shared' : 'trees') }
}

/** Instantiates the program. `digest` is SHA-256, for messages that are too long for the program's own. */
export function createTreeProgram(
  { memory, module }: TreeRuntime,
  host: TreeHost,
  digest: (bytes: Uint8Array) => Uint8Array,
): TreeProgram {
  const imports = {
    ...host,
    digest(at: number, length: number, out: number) {
      const bytes = new Uint8Array(memory.buffer)
      bytes.set(digest(bytes.slice(at, at + length)), out)
    },
    noMemory() {
      throw new RangeError('could not allocate memory for the trees')
    },
  }
  const instance = new WebAssembly.Instance(module, { env: { memory: memory as never }, host: imports })
  return instance.exports as unknown as TreeProgram
}
