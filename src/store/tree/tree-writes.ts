/** Writing to trees, of one tree at once or of those of a block together, which somebody else may do meanwhile (ADR 0022). */
import { emptyBatch, type KeyChange, putChanges } from './batch.ts'
import {
  AT,
  MAX_FREED,
  MAX_WRITES,
  NONE,
  type Node,
  type TreeGround,
  type TreeHost,
  type TreeMemory,
  type TreeProgram,
} from './tree-program.ts'

/** A tree and its changes, sorted by key, each key once. */
export interface TreeWrite {
  readonly root: Node
  readonly changes: readonly KeyChange[]
}

/** Trees that are being written, by another thread perhaps: until the end nothing else may be asked of their program. */
export interface Writing {
  /** The trees with their changes, in order, and hashed. */
  finish(): readonly Node[]
  /** Ends without them; does nothing after `finish`. */
  giveUp(): void
}

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

export interface TreeWrites {
  /** A tree with all of the changes. Throws a `RangeError` for a key that is too long. */
  write(root: Node, changes: readonly KeyChange[], version: number): Node
  /** Begins to write trees, and to free nodes before, with the helper if there is one. Throws as `write` does. */
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

  /** Puts nodes down that the next call is to free; what there is no room for is freed now. Returns how many are put down. */
  function putFreed(nodes: Int32Array): number {
    const cells = new Int32Array(memory.buffer, AT.freed)
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
        return { finish: () => writes.map((one) => writeHashed(one, version)), giveUp() {} }
      }
      const work: Parameters<TreeProgram['writeTrees']> = [writes.length, version, putFreed(freed)]
      const offeredTo = helper?.offer(work, count) ? helper : undefined
      return {
        finish() {
          if (!offeredTo?.finish()) program.writeTrees(...work)
          const cells = new Int32Array(memory.buffer, AT.writes)
          return writes.map((_, i) => cells[i * 3]!)
        },
        giveUp: () => offeredTo?.takeBack(),
      }
    },
    free,
  }
}
