/** The thread that writes trees beside the one that owns them: built to `build/trees-worker.cjs`, and started by `tree-helper.ts`. */
import { workerData } from 'node:worker_threads'
import { sha256 } from '../../primitives/hash.ts'
import { createTreeProgram } from '../../store/tree/tree-program.ts'
import {
  ASKING,
  DONE,
  FAILED,
  FREED,
  IS_UP,
  OFFERED,
  pass,
  QUESTION,
  READ_PAGE,
  REFUSED,
  seeGrowth,
  TAKE_LISTS,
  TAKEN,
  TREES,
  type TreeWorkerData,
  TURN,
  VERSION,
} from './turns.ts'

const { module, memory, cells, errors } = workerData as TreeWorkerData

function ask(question: number, ...numbers: readonly number[]): void {
  cells.set([question, ...numbers], QUESTION)
  pass(cells, memory, ASKING)
  Atomics.wait(cells, TURN, ASKING)
  seeGrowth(cells, memory)
  // The owner of the trees knows why.
  if (Atomics.load(cells, TURN) === REFUSED) throw new Error('there is no answer')
}

const program = createTreeProgram(
  { module, memory },
  {
    readPage: (node) => ask(READ_PAGE, node),
    takeLists: (replaced, dropped, pagesEnd) => ask(TAKE_LISTS, replaced, dropped, pagesEnd),
    nextPage() {
      throw new Error('pages are written by the owner of the trees')
    },
  },
  sha256,
)

function write(): typeof DONE | typeof FAILED {
  seeGrowth(cells, memory)
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
  if (Atomics.compareExchange(cells, TURN, OFFERED, TAKEN) === OFFERED) pass(cells, memory, write())
  else Atomics.wait(cells, TURN, Atomics.load(cells, TURN))
}
