/** The compute worker of the build that `TEST_BUILD` names. */
import { runComputeWorker } from '../../../src/node/workers/compute-worker.ts'
import { buildOfProcess } from './builds.ts'

runComputeWorker(buildOfProcess())
