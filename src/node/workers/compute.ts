/** Entry point of the compute workers of this build. */
import { runComputeWorker } from './compute-worker.ts'

runComputeWorker()
