/** Entry point of the API workers of this build. */
import { runApiWorker } from './api-worker.ts'

runApiWorker()
