/** The metrics of a node, in the text format of Prometheus. */

export interface Metrics {
  /** Records a committed block; times in milliseconds. `intervalMs` is undefined for the first block since the start. */
  block(times: { readonly intervalMs: number | undefined; readonly executeMs: number; readonly commitMs: number }): void
  /** Counts answered requests of an operation, empty if none was found, by `ok` or the name of their status. */
  request(operation: string, status: string, times?: number): void
  /** Returns the text of `/metrics`. */
  render(readings: MetricReadings): string
}

/** Current values of the node. */
export interface MetricReadings {
  readonly height: bigint
  /** Whether no further block is made. */
  readonly isHalted: boolean
  readonly mempool: { readonly count: number; readonly sizeBytes: number }
  readonly compute: {
    readonly waiting: number
    readonly running: number
    readonly done: number
    readonly refused: number
    readonly kills: number
  }
  /** Bytes on disk; undefined for a chain in memory. */
  readonly databaseBytes: number | undefined
}

interface Histogram {
  readonly bounds: readonly number[]
  readonly counts: number[]
  sum: number
  count: number
}

const BLOCK_SECONDS = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10]
const WORK_SECONDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1]

const histogram = (bounds: readonly number[]): Histogram => ({
  bounds,
  counts: bounds.map(() => 0),
  sum: 0,
  count: 0,
})

function observe(into: Histogram, value: number): void {
  into.sum += value
  into.count++
  const index = into.bounds.findIndex((bound) => value <= bound)
  if (index >= 0) into.counts[index]!++
}

function head(name: string, type: string, help: string): string {
  return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`
}

function renderHistogram(name: string, help: string, { bounds, counts, sum, count }: Histogram): string {
  let below = 0
  const buckets = bounds.map((bound, i) => {
    below += counts[i]!
    return `${name}_bucket{le="${bound}"} ${below}\n`
  })
  return `${head(name, 'histogram', help)}${buckets.join('')}${name}_bucket{le="+Inf"} ${count}\n${name}_sum ${sum}\n${name}_count ${count}\n`
}

const renderValue = (name: string, type: string, help: string, value: number | bigint): string =>
  `${head(name, type, help)}${name} ${value}\n`

const escapeLabel = (text: string): string => text.replace(/[\\"\n]/g, (mark) => (mark === '\n' ? '\\n' : `\\${mark}`))

export function createMetrics(): Metrics {
  const interval = histogram(BLOCK_SECONDS)
  const execute = histogram(WORK_SECONDS)
  const commit = histogram(WORK_SECONDS)
  /** Number of answers by operation and status. */
  const requests = new Map<string, { operation: string; status: string; count: number }>()

  return {
    block({ intervalMs, executeMs, commitMs }) {
      if (intervalMs !== undefined) observe(interval, intervalMs / 1000)
      observe(execute, executeMs / 1000)
      observe(commit, commitMs / 1000)
    },
    request(operation, status, times = 1) {
      const key = `${operation} ${status}`
      const known = requests.get(key)
      if (known) known.count += times
      else requests.set(key, { operation, status, count: times })
    },
    render({ height, isHalted, mempool: { count, sizeBytes }, compute, databaseBytes }) {
      const answered = [...requests.values()].map(
        ({ operation, status, count }) =>
          `almanac_requests_total{operation="${escapeLabel(operation)}",status="${escapeLabel(status)}"} ${count}\n`,
      )
      return [
        renderValue('almanac_height', 'gauge', 'Latest committed height.', height),
        renderValue('almanac_halted', 'gauge', '1 when no further block is made.', isHalted ? 1 : 0),
        renderHistogram('almanac_block_interval_seconds', 'Time between two commits.', interval),
        renderHistogram('almanac_block_execute_seconds', 'Time to execute a block.', execute),
        renderHistogram('almanac_block_commit_seconds', 'Time to hash and commit a block.', commit),
        renderValue('almanac_mempool_transactions', 'gauge', 'Waiting transactions.', count),
        renderValue('almanac_mempool_bytes', 'gauge', 'Bytes of waiting transactions.', sizeBytes),
        `${head('almanac_requests_total', 'counter', 'Answered requests.')}${answered.join('')}`,
        renderValue('almanac_compute_waiting', 'gauge', 'Jobs that wait for a thread.', compute.waiting),
        renderValue('almanac_compute_running', 'gauge', 'Jobs that run.', compute.running),
        renderValue('almanac_compute_done_total', 'counter', 'Jobs that ended.', compute.done),
        renderValue('almanac_compute_refused_total', 'counter', 'Jobs refused by a full queue.', compute.refused),
        renderValue(
          'almanac_compute_kills_total',
          'counter',
          'Threads that were ended because a job exceeded its budget.',
          compute.kills,
        ),
        ...(databaseBytes === undefined
          ? []
          : [renderValue('almanac_database_bytes', 'gauge', 'Size of the database on disk.', databaseBytes)]),
        renderValue('process_resident_memory_bytes', 'gauge', 'Resident memory.', process.memoryUsage.rss()),
      ].join('')
    },
  }
}
