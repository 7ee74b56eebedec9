/** A compute worker: it opens the chain for reading and runs one job after another. */
import { getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createApplication } from '../../app/application.ts'
import { createJobs, type JobBudget } from '../../app/jobs.ts'
import { isIsolated } from '../../app/trace-jobs.ts'
import type { ScriptEngine } from '../../evm/tracers/javascript/sandbox.ts'
import { createIdentity, evmChainIdOf } from '../../identity/identity.ts'
import { queryError } from '../../primitives/errors.ts'
import type { Build } from '../build.ts'
import { openDisk } from '../disk.ts'
import { runJob } from '../inline-compute.ts'
import { openReader } from '../open-reader.ts'
import {
  type JobAnswer,
  type JobPart,
  type JobRequest,
  PART_BYTES,
  PART_SLOTS,
  packError,
  type ReadyMessage,
  type WorkerSetup,
} from './messages.ts'
import { openRemoteState } from './remote-state.ts'
import { createEngineLoader } from './script-engine.ts'

/** Niceness of a compute thread above that of its process. */
const NICENESS = 5
/** The highest niceness of the system. */
const MAX_NICENESS = 19

/** Runs jobs until the thread is terminated. `build` replaces the state machine of this build. */
export function runComputeWorker(build?: Build): void {
  const { dataPath, turns, state, profile, chainId, minGasPrices, cancelled, taken, slots } = workerData as WorkerSetup
  const port = parentPort!
  const cancelFlag = new Int32Array(cancelled)
  const takenCount = new Int32Array(taken)
  const identity = createIdentity(profile)
  // Blocks precede calls. On Linux the id 0 means this thread; on other systems it means the whole process.
  if (process.platform === 'linux') setPriority(0, Math.min(MAX_NICENESS, getPriority() + NICENESS))
  const app = createApplication({
    identity,
    chainId,
    evmChainId: evmChainIdOf(identity, chainId),
    settings: { minGasPrices },
    onBug: (error) => {
      throw error
    },
    ...build,
  })
  const jobs = createJobs(app)
  const withContext = state
    ? openRemoteState(state, app)
    : openReader(openDisk(dataPath!, { readOnly: true, turns }), identity, app).withContext

  let sentParts = 0

  /** Sends bytes in parts. Waits while every slot is in use, until the pool cancels the job. */
  function sendParts(id: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      for (;;) {
        const count = Atomics.load(takenCount, 0)
        if (sentParts - count < PART_SLOTS) break
        if (Atomics.load(cancelFlag, 0) === id)
          throw queryError('deadlineExceeded', 'the client did not read the answer in time')
        Atomics.wait(takenCount, 0, count, 20)
      }
      const part = bytes.subarray(at, at + PART_BYTES)
      const slot = sentParts++ % PART_SLOTS
      new Uint8Array(slots, slot * PART_BYTES).set(part)
      port.postMessage({ id, slot, length: part.length } satisfies JobPart)
    }
  }

  function run({ id, job, payload, height, timeoutMs }: JobRequest, startedMs: number, scripts?: ScriptEngine): void {
    const deadline = startedMs + timeoutMs
    const shouldStop = () => performance.now() >= deadline || Atomics.load(cancelFlag, 0) === id
    const budget: JobBudget = {
      shouldStop,
      write: (part) => sendParts(id, part),
      outputBytes: Number.POSITIVE_INFINITY,
      scripts,
    }
    let answer: JobAnswer
    try {
      answer = { id, ok: true, result: withContext(height, (ctx) => runJob(jobs, job, ctx, payload, budget)) }
    } catch (error) {
      answer = { id, ok: false, error: packError(error) }
    }
    port.postMessage(answer)
  }

  const loadEngine = createEngineLoader()
  /** Runs a job with a new script engine, since a script can fill or break the memory of its engine. */
  async function runWithScripts(request: JobRequest, startedMs: number): Promise<void> {
    run(request, startedMs, await loadEngine())
  }

  /** Present while a job waits for its engine; later jobs run after it. */
  let tail: Promise<void> | undefined

  port.on('message', (request: JobRequest) => {
    const startedMs = performance.now()
    const scripted = isScripted(request)
    if (!tail && !scripted) return run(request, startedMs)
    const current = (tail ?? Promise.resolve()).then(() =>
      scripted ? runWithScripts(request, startedMs) : run(request, startedMs),
    )
    tail = current
    void current.then(() => {
      if (tail === current) tail = undefined
    })
  })
  port.postMessage({ ready: true } satisfies ReadyMessage)
}

function isScripted({ job, payload }: JobRequest): boolean {
  try {
    return isIsolated(job, payload)
  } catch {
    // The tracer is unknown: the job reports it.
    return false
  }
}
