/** Threads that write trees, for tests: they start with the first block, however small, and count their writes. */
import { setTimeout } from 'node:timers/promises'
import { NONE, type TreeHost, type TreeRuntime } from '../../../store/tree/tree-program.ts'
import type { TreeStore } from '../../../store/tree/tree-store.ts'
import type { TreeHelper } from '../../../store/tree/tree-writes.ts'
import { createTreeHelper } from '../tree-helper.ts'

export interface TreeHelpers extends AsyncDisposable {
  createHelper(runtime: TreeRuntime, host: TreeHost): TreeHelper
  readonly maxPagesRead: number
  /** Returns how often a thread wrote the offered trees. */
  count(): number
  /** Waits until the thread of an empty tree store is ready. */
  up(treeStore: TreeStore): Promise<void>
}

/** Creates helpers that pause after each offer, so that the thread wakes before the owner writes the trees itself. */
export function createHelpers(pauseMs = 1): TreeHelpers {
  const helpers: TreeHelper[] = []
  const asleep = new Int32Array(new SharedArrayBuffer(4))
  let count = 0
  return {
    maxPagesRead: Number.POSITIVE_INFINITY,
    createHelper(runtime, host) {
      const helper = createTreeHelper(runtime, host, { parallelism: 2, minChanges: 1, blocksBefore: 1 })
      helpers.push(helper)
      return {
        ...helper,
        offer(work, changes) {
          const isOffered = helper.offer(work, changes)
          if (isOffered && pauseMs > 0) Atomics.wait(asleep, 0, 0, pauseMs)
          return isOffered
        },
        finish() {
          const isDone = helper.finish()
          if (isDone) count++
          return isDone
        },
      }
    },
    count: () => count,
    async up(treeStore) {
      const changes = [{ key: new Uint8Array(1), value: new Uint8Array(1) }]
      while (count === 0) {
        const writing = treeStore.begin([{ root: NONE, changes }], 1)
        await setTimeout(1)
        writing.finish()
        treeStore.clear()
      }
      count = 0
    },
    async [Symbol.asyncDispose]() {
      for (const helper of helpers) await helper.close()
    },
  }
}
