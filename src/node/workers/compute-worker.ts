/** A compute worker: opens the chain for reading and runs one job after another. */
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { createApplication } from '../../app/application.ts'
import { createJobs, type JobBudget } from '../../app/jobs.ts'
import { isIsolated } from '../../app/trace-jobs.ts'
import type { Application } from '../../app/types.ts'
import type { ScriptEngine } from '../../evm/tracers/javascript/sandbox.ts'
import { createIdentity, evmChainIdOf } from '../../identity/identity.ts'
import type { Identity } from '../../identity/types.ts'
import { openBlockIndex } from '../../indexer/block-index.ts'
import { queryError } from '../../primitives/errors.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import type { Build } from '../build.ts'
import { runJob } from '../inline-compute.ts'
import { openLmdb } from '../lmdb.ts'
import { storeOptionsOf } from '../profile.ts'
import { createStateReader, type WithContext } from '../state-reader.ts'
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
import { loadScriptEngine } from './script-engine.ts'

const NICENESS = 5

/** Serves the thread's port until it is ended. `build`: the state machine, where not that of this build. */
export function runComputeWorker(build?: Build): void {
  const { dataPath, state, profile, chainId, minGasPrices, cancelled, taken, slots } = workerData as WorkerSetup
  const port = parentPort!
  const cancelFlag = new Int32Array(cancelled)
  const takenCount = new Int32Array(taken)
  const identity = createIdentity(profile)
  // Blocks come before calls. Linux has priorities for threads, and 0 is this one; elsewhere the whole process would be meant.
  if (process.platform === 'linux') setPriority(0, NICENESS)
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
  const withContext = state ? openRemoteState(state, app) : openLocalState(dataPath!, identity, app)

  let handed = 0

  /** Hands bytes on in parts, and waits while every slot has one that is not taken: the pool says when nobody takes them any more. */
  function handOn(id: number, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += PART_BYTES) {
      for (;;) {
        const count = Atomics.load(takenCount, 0)
        if (handed - count < PART_SLOTS) break
        if (Atomics.load(cancelFlag, 0) === id) throw queryError('deadlineExceeded', 'the answer was not taken in time')
        Atomics.wait(takenCount, 0, count, 20)
      }
      const piece = bytes.subarray(at, at + PART_BYTES)
      const slot = handed++ % PART_SLOTS
      new Uint8Array(slots, slot * PART_BYTES).set(piece)
      port.postMessage({ id, slot, length: piece.length } satisfies JobPart)
    }
  }

  function run({ id, job, payload, height, timeoutMs }: JobRequest, begun: number, scripts?: ScriptEngine): void {
    const deadline = begun + timeoutMs
    const shouldStop = () => performance.now() >= deadline || Atomics.load(cancelFlag, 0) === id
    const budget: JobBudget = {
      shouldStop,
      write: (part) => handOn(id, part),
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

  /** Runs a job with an engine for its scripts. An engine that was full or failed is not used again. */
  async function runWithScripts(request: JobRequest, begun: number): Promise<void> {
    run(request, begun, await loadScriptEngine())
  }

  /** Present while a job waits for its engine: those behind it stay behind it. */
  let tail: Promise<void> | undefined

  port.on('message', (request: JobRequest) => {
    const begun = performance.now()
    const scripted = isScripted(request)
    if (!tail && !scripted) return run(request, begun)
    const mine = (tail ?? Promise.resolve()).then(() =>
      scripted ? runWithScripts(request, begun) : run(request, begun),
    )
    tail = mine
    void mine.then(() => {
      if (tail === mine) tail = undefined
    })
  })
  port.postMessage({ ready: true } satisfies ReadyMessage)
}

function openLocalState(path: string, identity: Identity, app: Application): WithContext {
  const backend = openLmdb(path, { readOnly: true })
  const store = openVersionedStore(backend, storeOptionsOf(identity))
  return createStateReader(store, openBlockIndex(backend), app)
}

function isScripted({ job, payload }: JobRequest): boolean {
  try {
    return isIsolated(job, payload)
  } catch {
    // A tracer that there is not: the job says so itself.
    return false
  }
}
