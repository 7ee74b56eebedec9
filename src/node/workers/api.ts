/** Entry of an API worker of this build. */
import { runApiWorker } from './api-worker.ts'

runApiWorker()
