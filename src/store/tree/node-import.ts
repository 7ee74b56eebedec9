/** Nodes of a tree from elsewhere, handed to the tree program in batches. */
import { type Batch, emptyBatch, type KeyChange, putChanges } from './batch.ts'
import * as regions from './layout.ts'
import { MAX_WAITING, type Node, type TreeMemory, type TreeProgram } from './tree-program.ts'

/** A node of an exported tree. A leaf has height 0 and a value. */
export interface ImportedNode extends KeyChange {
  readonly version: number
  readonly height: number
}

/** The import of one tree. Meanwhile its tree store may only be used to save the tree. */
export interface NodeImport {
  /** Adds a node in post-order. Order and heights must have been checked. Copies key and value. */
  add(node: ImportedNode): void
  /** Returns the subtrees that wait for their parents. */
  waiting(): readonly Node[]
  /** Replaces them, after the tree store was cleared. */
  resume(waiting: readonly Node[]): void
}

/** Creates the function that begins imports. */
export function createNodeImports(memory: TreeMemory, program: Pick<TreeProgram, 'importNodes'>): () => NodeImport {
  return () => {
    let nodes: readonly Node[] = []
    let batch: Batch = emptyBatch()
    /** Kept, since each access to a buffer of a memory costs. */
    let facts: Int32Array = new Int32Array(0)

    function flush(): void {
      if (batch.count === 0) return
      new Int32Array(memory.buffer, regions.WRITES, MAX_WAITING).set(nodes)
      const left = program.importNodes(batch.count, nodes.length)
      nodes = Array.from(new Int32Array(memory.buffer, regions.WRITES, left))
      batch = emptyBatch()
    }

    return {
      add(node) {
        const one = [node]
        if (putChanges(memory, batch, one, 0) === 0) {
          flush()
          putChanges(memory, batch, one, 0)
        }
        if (facts.buffer !== memory.buffer) facts = new Int32Array(memory.buffer)
        const at = regions.FREED / 4 + (batch.count - 1) * 2
        facts[at] = node.height
        facts[at + 1] = node.version
      },
      waiting() {
        flush()
        return nodes
      },
      resume(waiting) {
        nodes = waiting
      },
    }
  }
}
