/** The API worker of the build that `TEST_BUILD` names. */
import { runApiWorker } from '../../../src/node/workers/api-worker.ts'
import { buildOfProcess } from './builds.ts'

runApiWorker(buildOfProcess())
