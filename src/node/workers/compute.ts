/** Entry of a compute worker of this build. */
import { runComputeWorker } from './compute-worker.ts'

runComputeWorker()
