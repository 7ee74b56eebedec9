/** Writes to one tree, or to all trees of a block together, which a helper thread can do concurrently (ADR 0022). */
import { emptyBatch, type KeyChange, putChanges } from './batch.ts'
import * as regions from './layout.ts'
import {
  MAX_FREED,
  MAX_WRITES,
  NONE,
  type Node,
  type TreeHost,
  type TreeMemory,
  type TreeProgram,
  type TreeRuntime,
} from './tree-program.ts'

/** A tree and its changes, sorted by key, each key once. */
export interface TreeWrite {
  readonly root: Node
  readonly changes: readonly KeyChange[]
}

/**
 * A write in progress, perhaps on another thread. Until `finish` or `abort` the tree program must not be called otherwise.
 */
export interface Writing {
  /** Returns the new trees, in order and hashed. */
  finish(): readonly Node[]
  /** Stops without a result. Has no effect after `finish`. */
  abort(): void
}

/** A thread that writes large batches to the trees while their owner does other work. */
export interface TreeHelper {
  /**
   * Offers trees with the total number of their changes. Returns whether the helper accepts; if so, the tree program must not
   * be called otherwise until `finish` or `cancel` returns.
   */
  offer(work: Parameters<TreeProgram['writeTrees']>, changes: number): boolean
  /** Waits for the offered trees. Returns false if the helper had not started with them. Throws the error of the write. */
  finish(): boolean
  /** Withdraws the offered trees unless they are finished. */
  cancel(): void
  close(): Promise<void>
}

export type CreateTreeHelper = (runtime: TreeRuntime, host: TreeHost) => TreeHelper

export interface TreeWrites {
  /** Applies changes and returns the new tree. Throws a `RangeError` for a key that is too long. */
  write(root: Node, changes: readonly KeyChange[], version: number): Node
  /** Starts to free nodes and then to write trees, with the helper if it accepts. Throws like `write`. */
  begin(writes: readonly TreeWrite[], version: number, freed: Int32Array, helper: TreeHelper | undefined): Writing
  free(nodes: Int32Array): void
}

export function createTreeWrites(memory: TreeMemory, program: TreeProgram): TreeWrites {
  function write(root: Node, changes: readonly KeyChange[], version: number): Node {
    let tree = root
    for (let from = 0; from < changes.length; ) {
      const count = putChanges(memory, emptyBatch(), changes, from)
      tree = program.writeAll(tree, 0, count, version)
      from += count
    }
    return tree
  }

  function writeHashed({ root, changes }: TreeWrite, version: number): Node {
    const tree = write(root, changes, version)
    if (tree !== NONE) program.ensureHash(tree)
    return tree
  }

  /**
   * Copies trees and their changes to the program's memory. Returns the number of changes, or undefined if they do not
   * fit.
   */
  function putWrites(writes: readonly TreeWrite[]): number | undefined {
    if (writes.length > MAX_WRITES) return undefined
    const batch = emptyBatch()
    const cells = new Int32Array(memory.buffer, regions.WRITES, writes.length * 3)
    for (const [i, { root, changes }] of writes.entries()) {
      const first = batch.count
      if (putChanges(memory, batch, changes, 0) < changes.length) return undefined
      cells.set([root, first, changes.length], i * 3)
    }
    return batch.count
  }

  /** Copies nodes for the next call to free, and frees those that do not fit now. Returns the number of copied nodes. */
  function putFreed(nodes: Int32Array): number {
    const cells = new Int32Array(memory.buffer, regions.FREED)
    let from = 0
    for (; nodes.length - from > MAX_FREED; from += MAX_FREED) {
      cells.set(nodes.subarray(from, from + MAX_FREED))
      program.freeNodes(MAX_FREED)
    }
    cells.set(nodes.subarray(from))
    return nodes.length - from
  }

  const free = (nodes: Int32Array) => program.freeNodes(putFreed(nodes))

  return {
    write,
    begin(writes, version, freed, helper) {
      const count = putWrites(writes)
      if (count === undefined) {
        free(freed)
        return { finish: () => writes.map((one) => writeHashed(one, version)), abort() {} }
      }
      const work: Parameters<TreeProgram['writeTrees']> = [writes.length, version, putFreed(freed)]
      const offeredTo = helper?.offer(work, count) ? helper : undefined
      return {
        finish() {
          if (!offeredTo?.finish()) program.writeTrees(...work)
          const cells = new Int32Array(memory.buffer, regions.WRITES)
          return writes.map((_, i) => cells[i * 3]!)
        },
        abort: () => offeredTo?.cancel(),
      }
    },
    free,
  }
}
