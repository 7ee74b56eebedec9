/** Entry of a compute worker: opens the chain for reading and runs one job after another. */
import { parentPort, workerData } from 'node:worker_threads'
import { createApplication } from '../../app/application.ts'
import { createJobs } from '../../app/jobs.ts'
import { createIdentity, evmChainIdOf } from '../../identity/identity.ts'
import { openBlockIndex } from '../../indexer/block-index.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import { runJob } from '../inline-compute.ts'
import { openLmdb } from '../lmdb.ts'
import { storeOptionsOf } from '../profile.ts'
import { createStateReader } from '../state-reader.ts'
import { type JobAnswer, type JobRequest, packError, type ReadyMessage, type WorkerSetup } from './messages.ts'

const { dataPath, profile, chainId, minGasPrices, cancelled } = workerData as WorkerSetup
const port = parentPort!
const cancelFlag = new Int32Array(cancelled)
const identity = createIdentity(profile)
const backend = openLmdb(dataPath, { readOnly: true })
const store = openVersionedStore(backend, storeOptionsOf(identity))
const app = createApplication({
  identity,
  chainId,
  evmChainId: evmChainIdOf(identity, chainId),
  settings: { minGasPrices },
  onBug: (error) => {
    throw error
  },
})
const jobs = createJobs(app)
const withContext = createStateReader(store, openBlockIndex(backend), app)

port.on('message', ({ id, job, payload, height, timeoutMs }: JobRequest) => {
  const deadline = performance.now() + timeoutMs
  const budget = { shouldStop: () => performance.now() >= deadline || Atomics.load(cancelFlag, 0) === id }
  let answer: JobAnswer
  try {
    answer = { id, ok: true, result: withContext(height, (ctx) => runJob(jobs, job, ctx, payload, budget)) }
  } catch (error) {
    answer = { id, ok: false, error: packError(error) }
  }
  port.postMessage(answer)
})
port.postMessage({ ready: true } satisfies ReadyMessage)
