/** The script of the thread that writes trees, built to `build/trees-worker.cjs` and started by `tree-helper.ts`. */
import { workerData } from 'node:worker_threads'
import { sha256 } from '../../primitives/hash.ts'
import { createTreeProgram } from '../../store/tree/tree-program.ts'
import {
  ASKING,
  DONE,
  FAILED,
  FREED,
  handOver,
  IS_UP,
  OFFERED,
  QUESTION,
  READ_PAGE,
  RECEIVE_LISTS,
  REFUSED,
  refreshMemory,
  STATE,
  TAKEN,
  TREES,
  type TreeWorkerData,
  VERSION,
} from './hand-over.ts'

const { module, memory, cells, errors } = workerData as TreeWorkerData

function ask(question: number, ...numbers: readonly number[]): void {
  cells.set([question, ...numbers], QUESTION)
  handOver(cells, memory, ASKING)
  Atomics.wait(cells, STATE, ASKING)
  refreshMemory(cells, memory)
  // The owner of the trees reports the error.
  if (Atomics.load(cells, STATE) === REFUSED) throw new Error('the owner of the trees could not answer')
}

const program = createTreeProgram(
  { module, memory },
  {
    readPage: (node) => ask(READ_PAGE, node),
    receiveLists: (replaced, dropped, pagesEnd) => ask(RECEIVE_LISTS, replaced, dropped, pagesEnd),
    nextPage() {
      throw new Error('only the owner of the trees writes pages')
    },
  },
  sha256,
)

function write(): typeof DONE | typeof FAILED {
  refreshMemory(cells, memory)
  try {
    program.writeTrees(cells[TREES]!, cells[VERSION]!, cells[FREED]!)
    return DONE
  } catch (error) {
    errors.postMessage(error)
    return FAILED
  }
}

Atomics.store(cells, IS_UP, 1)
for (;;) {
  if (Atomics.compareExchange(cells, STATE, OFFERED, TAKEN) === OFFERED) handOver(cells, memory, write())
  else Atomics.wait(cells, STATE, Atomics.load(cells, STATE))
}
