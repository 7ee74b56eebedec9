/**
 * The program of the trees, which `trees/` is built to: nodes, their keys and their hashes in a memory of its own, with no
 * object for the collector to visit. All that it knows between two calls lies there, so two threads may call in turn.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** A node by its place in the memory. */
export type Node = number
/** The empty tree. */
export const NONE: Node = 0

/** Where things lie in the memory; `trees/layout.ts` says the same. */
export const AT = {
  writes: 0x3800,
  changes: 0x8000,
  replaced: 0x18000,
  dropped: 0x58000,
  batch: 0x80000,
  page: 0x180000,
  pages: 0x1a0000,
  freed: 0x1e0000,
  start: 0x220000,
}
/** Trees that are written in one call. */
export const MAX_WRITES = 170
/** Changes of a batch, and the bytes that they take together. */
export const MAX_CHANGES = 8192
export const BATCH_BYTES = AT.page - AT.batch
/** Nodes that are freed in one call. */
export const MAX_FREED = (AT.start - AT.freed) / 4
/** Longer keys are refused. */
export const MAX_KEY = 4096
export const MAX_PAGE = AT.pages - AT.page

/** Bytes by which a memory grows, and how many of these it may have: as many as 32 bits address. */
export const MEMORY_UNIT = 0x10000
const MOST_UNITS = 0x10000

/** What the program asks for while it runs. */
export interface TreeHost {
  /** Puts the page that a node begins where `AT.page` says, and calls `takePage`. */
  readPage(node: Node): void
  /** Copies what stands at `AT.replaced`, `AT.dropped` (u32 cells, so many) and `AT.pages`, up to an address. */
  takeLists(replaced: number, dropped: number, pagesEnd: number): void
  nextPage(): number
}

/** What `trees/index.ts` exports. */
export interface TreeProgram {
  /** The tree with changes of a batch, so many from the first of them on, sorted by key, each key once. */
  writeAll(root: Node, first: number, count: number, version: number): Node
  /**
   * Writes and hashes the trees at `AT.writes`: of each its root, the first of its changes, and how many they are. The new
   * roots stand there then. First it frees as many nodes as `freed` says.
   */
  writeTrees(trees: number, version: number, freed: number): void
  /** Nodes of versions up to this one are left as they are. */
  keep(version: number): void
  /** Hashes a node, and below it what has no hash. */
  ensureHash(node: Node): void
  ensureLoaded(node: Node): void
  /** Reads the page at `AT.page`, which a node begins. Returns 0 if it is cut off. */
  takePage(node: Node, length: number): number
  /** A node known by reference; its hash is still to be put. */
  refer(page: number, height: number, size: number): Node
  /** Writes the page that a node begins, and those below, as far as they are not on disk. */
  ensurePage(node: Node): void
  /** Calls `takeLists` with what has gathered. */
  handOver(): void
  /** Frees the nodes whose numbers stand at `AT.freed`, so many. */
  freeNodes(count: number): void
  abandon(root: Node): void
  clear(): void
  nodeCount(): number
}

/** The program is built for a memory of one thread, and for one that threads share. */
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

/** What the declarations of WebAssembly leave out. */
export interface TreeMemory {
  readonly buffer: ArrayBuffer | SharedArrayBuffer
  grow(units: number): number
}

/** A memory without nodes, and the program for it, which other threads may have as they are if it is shared. */
export interface TreeGround {
  readonly memory: TreeMemory
  readonly module: WebAssembly.Module
}

/** What threads share counts less with the collector than it takes, so it is for trees that stay as long as the process. */
export function createTreeGround(isShared: boolean): TreeGround {
  const size = { initial: AT.start / MEMORY_UNIT, maximum: MOST_UNITS, shared: isShared }
  const memory = new WebAssembly.Memory(size) as unknown as TreeMemory
  return { memory, module: moduleOf(isShared ? 'trees-shared' : 'trees') }
}

/** The program over a memory. `digest` is SHA-256: it serves what is too long for the program's own. */
export function createTreeProgram(
  { memory, module }: TreeGround,
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
