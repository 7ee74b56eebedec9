/** The metrics of a node, in the text format of Prometheus (docs/metrics.md). Names and units follow its guide. */
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Answered } from '../api/gateway.ts'
import type { FollowStatus } from '../consensus/driver.ts'
import type { RequestCounts } from './request-counts.ts'
import { createRequestDurations } from './request-durations.ts'
import { VERSION } from './version.ts'
import type { WorkerUsage } from './workers/messages.ts'
import type { PoolStats } from './workers/pool-stats.ts'

export interface Metrics {
  /**
   * Records a committed block; times in milliseconds. `intervalMs` is undefined for the first block since the start, `executeMs`
   * for a block that another node executed.
   */
  block(times: {
    readonly intervalMs: number | undefined
    readonly executeMs: number | undefined
    readonly commitMs: number
  }): void
  /** Counts an answered request. */
  request(answered: Answered): void
  /** Counts the answered requests of another process. */
  requests(counts: RequestCounts): void
  /** Resolves with the text of `/metrics`. */
  render(readings: MetricReadings): Promise<string>
}

/** Current values of the node. */
export interface MetricReadings {
  readonly chainId: string
  readonly height: bigint
  /** The first height that can be read. */
  readonly earliestHeight: bigint
  /** Time of the latest block, Unix seconds. */
  readonly tipTimeSeconds: number
  /** Whether no further block is made. */
  readonly isHalted: boolean
  /** Whether blocks of the network are missing. */
  readonly isCatchingUp: boolean
  /** Undefined unless the node is a replica. */
  readonly follow: FollowStatus | undefined
  readonly mempool: { readonly count: number; readonly sizeBytes: number }
  readonly compute: PoolStats
  /** Memory and processor time of each API worker. */
  readonly workers: readonly WorkerUsage[]
  /** Bytes on disk; undefined for a chain in memory. */
  readonly databaseBytes: number | undefined
  /** Free bytes on its disk; undefined if the system does not say. */
  readonly diskFreeBytes: number | undefined
}

const BLOCK_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
const WORK_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

/** Creates the metrics of one node, with those that every program of Node.js has about its process. */
export function createMetrics(): Metrics {
  const register = new Registry()
  const registers = [register]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  const histogram = (name: string, help: string, buckets: number[]) => new Histogram({ name, help, buckets, registers })
  collectDefaultMetrics({ register })

  const build = new Gauge({
    name: 'almanac_build_info',
    help: 'Version of the program and id of the chain; always 1.',
    labelNames: ['version', 'chain_id'],
    registers,
  })
  const height = gauge('almanac_height', 'Latest committed height.')
  const earliest = gauge('almanac_earliest_height', 'First height that answers queries.')
  const tip = gauge('almanac_tip_timestamp_seconds', 'Time of the latest block, Unix time.')
  const halted = gauge('almanac_halted', '1 when no further block is made.')
  const catchingUp = gauge('almanac_catching_up', '1 while blocks of the network are missing.')
  const interval = histogram('almanac_block_interval_seconds', 'Time between two commits.', BLOCK_SECONDS)
  const execute = histogram('almanac_block_execute_seconds', 'Time to execute a block.', WORK_SECONDS)
  const commit = histogram('almanac_block_commit_seconds', 'Time to hash and commit a block.', WORK_SECONDS)
  const waitingTxs = gauge('almanac_mempool_transactions', 'Waiting transactions.')
  const waitingBytes = gauge('almanac_mempool_bytes', 'Bytes of waiting transactions.')
  const requests = new Counter({
    name: 'almanac_requests_total',
    help: 'Answered requests of all processes.',
    labelNames: ['operation', 'status'],
    registers,
  })
  const durations = createRequestDurations(() => performance.now())
  const waiting = gauge('almanac_compute_waiting', 'Jobs that wait for a thread.')
  const running = gauge('almanac_compute_running', 'Jobs that run.')
  const done = counter('almanac_compute_done_total', 'Jobs that ended.')
  const refused = counter('almanac_compute_refused_total', 'Jobs refused by a full queue.')
  const kills = counter('almanac_compute_kills_total', 'Threads that were ended because a job exceeded its budget.')
  const workers = { labelNames: ['worker'], registers } as const
  const workerMemory = new Gauge({
    name: 'almanac_worker_resident_memory_bytes',
    help: 'Resident memory of an API worker.',
    ...workers,
  })
  const workerCpu = new Counter({
    name: 'almanac_worker_cpu_seconds_total',
    help: 'Processor time of an API worker since its start.',
    ...workers,
  })
  const database = gauge('almanac_database_bytes', 'Size of the database on disk.')
  const diskFree = gauge('almanac_disk_free_bytes', 'Free space on the disk of the database.')
  const replica = {
    nodeHeight: gauge(
      'almanac_replica_node_height',
      'Latest height of the followed node; absent while it does not answer.',
    ),
    lagBlocks: gauge('almanac_replica_lag_blocks', 'Blocks behind the followed node; absent while it does not answer.'),
    lagSeconds: gauge('almanac_replica_lag_seconds', 'Time from the latest block here to that of the followed node.'),
    verifiedHeight: gauge(
      'almanac_replica_verified_height',
      'Latest height whose app hash is that of the followed node.',
    ),
    confirmedHeight: gauge('almanac_replica_confirmed_height', 'Latest height whose app hash is in a signed header.'),
    queue: gauge('almanac_replica_queue_blocks', 'Blocks of the stream that wait.'),
    stopped: gauge('almanac_replica_stopped', '1 while the replica does not go on, because a block is not verified.'),
  }

  /** Sets the metrics of a replica. Those that are not known have no value. */
  function setReplica(follow: FollowStatus | undefined): void {
    const set = (to: Gauge, value: bigint | number | undefined) =>
      value === undefined ? to.remove() : to.set(Number(value))
    set(replica.nodeHeight, follow?.nodeHeight)
    set(replica.lagBlocks, follow?.lagBlocks)
    set(replica.lagSeconds, follow?.lagSeconds)
    set(replica.verifiedHeight, follow?.verifiedHeight)
    set(replica.confirmedHeight, follow?.confirmedHeight)
    set(replica.queue, follow?.queue)
    set(replica.stopped, follow && (follow.stopped === undefined ? 0 : 1))
  }

  /** Sets a counter whose value another part counts. */
  function setCounter(to: Counter, value: number): void {
    to.reset()
    to.inc(value)
  }

  function setWorkers(usages: readonly WorkerUsage[]): void {
    workerMemory.reset()
    workerCpu.reset()
    for (const [index, { residentBytes, cpuSeconds }] of usages.entries()) {
      const worker = String(index + 1)
      workerMemory.set({ worker }, residentBytes)
      workerCpu.inc({ worker }, cpuSeconds)
    }
  }

  return {
    block({ intervalMs, executeMs, commitMs }) {
      if (intervalMs !== undefined) interval.observe(intervalMs / 1000)
      if (executeMs !== undefined) execute.observe(executeMs / 1000)
      commit.observe(commitMs / 1000)
    },
    request(answered) {
      const { operation, status } = answered
      requests.inc({ operation, status })
      durations.add(answered)
    },
    requests(counts) {
      for (const { operation, status, times } of counts.answers) requests.inc({ operation, status }, times)
      durations.merge(counts.durations)
    },
    async render(readings) {
      build.set({ version: VERSION, chain_id: readings.chainId }, 1)
      height.set(Number(readings.height))
      earliest.set(Number(readings.earliestHeight))
      tip.set(readings.tipTimeSeconds)
      halted.set(readings.isHalted ? 1 : 0)
      catchingUp.set(readings.isCatchingUp ? 1 : 0)
      setReplica(readings.follow)
      waitingTxs.set(readings.mempool.count)
      waitingBytes.set(readings.mempool.sizeBytes)
      waiting.set(readings.compute.waiting)
      running.set(readings.compute.running)
      setCounter(done, readings.compute.done)
      setCounter(refused, readings.compute.refused)
      setCounter(kills, readings.compute.kills)
      setWorkers(readings.workers)
      database.set(readings.databaseBytes ?? 0)
      diskFree.set(readings.diskFreeBytes ?? 0)
      if (readings.databaseBytes === undefined) register.removeSingleMetric('almanac_database_bytes')
      if (readings.diskFreeBytes === undefined) register.removeSingleMetric('almanac_disk_free_bytes')
      const timed = AggregatorRegistry.aggregate([[durations.metric()]])
      return `${await register.metrics()}\n${await timed.metrics()}`
    },
  }
}
