/**
 * The program of the trees, which `trees/` is built to: nodes, their keys and their hashes in a memory of its own, with no
 * object for the collector to visit.
 */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

/** A node by its place in the memory. */
export type Node = number
/** The empty tree. */
export const NONE: Node = 0

/** Where things lie in the memory; `trees/layout.ts` says the same. */
export const AT = { changes: 0x5000, replaced: 0x9000, dropped: 0x11000, batch: 0x14000, page: 0x40000, pages: 0x60000 }
/** Changes of a batch, and the bytes that they take together. */
export const MAX_CHANGES = 2048
export const BATCH_BYTES = AT.page - AT.batch
/** Longer keys are refused. */
export const MAX_KEY = 4096
export const MAX_PAGE = AT.pages - AT.page

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
  readonly memory: { readonly buffer: ArrayBuffer }
  /** Hashes the values of the changes of a batch. */
  hashValues(count: number): void
  /** The tree with a batch of changes, sorted by key, each key once. */
  writeAll(root: Node, count: number, version: number): Node
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
  /** Frees the nodes whose numbers stand at `AT.batch`, so many. */
  freeNodes(count: number): void
  abandon(root: Node): void
  clear(): void
  nodeCount(): number
}

let compiled: WebAssembly.Module | undefined

/** A memory without nodes. `digest` is SHA-256: it serves what is too long for the program's own. */
export function createTreeProgram(host: TreeHost, digest: (bytes: Uint8Array) => Uint8Array): TreeProgram {
  const file = () => createRequire(import.meta.url).resolve('#build/trees.wasm')
  compiled ??= new WebAssembly.Module(readFileSync(file()))
  const imports = {
    ...host,
    digest(at: number, length: number, out: number) {
      const bytes = new Uint8Array(program.memory.buffer)
      bytes.set(digest(bytes.subarray(at, at + length)), out)
    },
    noMemory() {
      throw new RangeError('could not allocate memory for the trees')
    },
  }
  const program = new WebAssembly.Instance(compiled, { host: imports }).exports as unknown as TreeProgram
  return program
}
