/** Threads that write trees, for tests: they begin with the first block, however small, and say how often they did the work. */
import { setTimeout } from 'node:timers/promises'
import { NONE, type TreeGround, type TreeHost } from '../../../store/tree/tree-program.ts'
import type { Forest } from '../../../store/tree/tree-store.ts'
import type { TreeHelper } from '../../../store/tree/tree-writes.ts'
import { createTreeHelper } from '../tree-helper.ts'

export interface TreeHelpers extends AsyncDisposable {
  createHelper(ground: TreeGround, host: TreeHost): TreeHelper
  readonly fewPages: number
  /** How many times a thread has written what was offered. */
  count(): number
  /** Waits until the thread of an empty forest has come up. */
  up(forest: Forest): Promise<void>
}

/** Between an offer and what follows lie some milliseconds: what is asked for at once is not worth waking for. */
export function createHelpers(pauseMs = 1): TreeHelpers {
  const helpers: TreeHelper[] = []
  const asleep = new Int32Array(new SharedArrayBuffer(4))
  let count = 0
  return {
    fewPages: Number.POSITIVE_INFINITY,
    createHelper(ground, host) {
      const helper = createTreeHelper(ground, host, { parallelism: 2, leastChanges: 1, blocksBefore: 1 })
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
    async up(forest) {
      const changes = [{ key: new Uint8Array(1), value: new Uint8Array(1) }]
      while (count === 0) {
        const writing = forest.begin([{ root: NONE, changes }], 1)
        await setTimeout(1)
        writing.finish()
        forest.clear()
      }
      count = 0
    },
    async [Symbol.asyncDispose]() {
      for (const helper of helpers) await helper.close()
    },
  }
}
