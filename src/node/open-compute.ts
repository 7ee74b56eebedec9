/** The compute pool of a node: worker threads with light calls in this thread, or this thread alone. */
import type { GatewayNode } from '../api/gateway.ts'
import type { Jobs } from '../app/jobs.ts'
import type { Profile } from '../identity/profiles/profile.ts'
import type { Build } from './build.ts'
import { parseMemory, parseMilliseconds } from './config.ts'
import { createInlineCompute } from './inline-compute.ts'
import { isolateScripts } from './isolated-compute.ts'
import { withLightCalls } from './light-compute.ts'
import { type Log, moduleLog } from './log.ts'
import type { Config } from './settings.ts'
import { workerEntry } from './worker-programs.ts'
import { type ComputePool, createComputePool } from './workers/pool.ts'

export function openCompute(parts: {
  readonly config: Config
  readonly dataPath: string | undefined
  /** Present in a process that only reads the database. */
  readonly turns?: SharedArrayBuffer
  readonly profile: Profile
  readonly chainId: string
  readonly withContext: GatewayNode['withContext']
  readonly jobs: Jobs
  readonly log: Log
  readonly elapsed: () => number
  readonly build: Build | undefined
  /** Whether the threads start with the first job only, because other processes have their own. */
  readonly idle?: boolean
}): ComputePool {
  const { config, dataPath, profile, chainId, withContext, jobs, elapsed, build, idle = false } = parts
  const log = moduleLog(parts.log, 'compute')
  const timeoutMs = parseMilliseconds(config.evm.timeout)!
  const pool = (workers: number): ComputePool =>
    createComputePool({
      workers,
      idle,
      entry: workerEntry('compute', build),
      setup: { dataPath, turns: parts.turns, profile, chainId, minGasPrices: config.api.minGasPrice },
      withContext: dataPath === undefined ? withContext : undefined,
      memoryBytes: parseMemory(config.compute.memory)!,
      queue: config.compute.queue,
      timeoutMs,
      log,
      elapsed,
    })
  const { workers } = config.compute
  if (workers > 0 && dataPath !== undefined) {
    const usual = isolateScripts(pool(workers), () => pool(1))
    return withLightCalls(usual, { jobs, withContext, elapsed })
  }
  return isolateScripts(createInlineCompute({ jobs, withContext, timeoutMs, log, elapsed }), () => pool(1))
}
