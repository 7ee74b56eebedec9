/** Durations of answered requests, in buckets by gateway and kind of work, as a histogram of Prometheus. */
import type { Answered } from '../api/gateway.ts'

/** Upper bounds in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * Kinds of work: `read` is an answer from the store; `call` runs the EVM or a transaction without a block, `trace` runs a block again,
 * `search` reads many blocks, `send` admits a transaction or waits for its block, `development` changes a development chain.
 */
type Kind = 'read' | 'call' | 'trace' | 'search' | 'send' | 'development'

/** The first pattern that an operation matches decides. Only a method that exists has a name here. */
const KINDS: readonly (readonly [Kind, RegExp])[] = [
  ['trace', /^(debug|trace|ots)_|\/Trace\w+$/],
  ['call', /^eth_(call\w*|estimateGas|createAccessList|simulateV1)$|\/(EthCall|EstimateGas|Simulate)$/],
  ['send', /^eth_send|^broadcast_|\/Broadcast\w*$/],
  ['search', /^eth_get(Logs|FilterLogs)$|^(tx|block)_search$|\/GetTxsEvent$/],
  ['development', /^(anvil|evm|hardhat|almanac|ganache)_/],
]

function kindOf(operation: string): Kind {
  return KINDS.find(([, pattern]) => pattern.test(operation))?.[0] ?? 'read'
}

/** Requests of one gateway and kind. */
export interface DurationCount {
  readonly gateway: Answered['gateway']
  readonly kind: Kind
  /** Requests in each bucket, the last one beyond all bounds. */
  readonly counts: readonly number[]
  readonly sumSeconds: number
}

interface Row {
  gateway: Answered['gateway']
  kind: Kind
  counts: number[]
  sumSeconds: number
}

export interface RequestDurations {
  /** Adds a request that ends now. One whose operation does not exist, or that was refused unread, has no duration. */
  add(answered: Answered): void
  /** Adds the requests of another process. */
  merge(counts: readonly DurationCount[]): void
  /** Returns all requests, and forgets them. */
  take(): readonly DurationCount[]
  /** Returns the histogram in the form of `prom-client`. */
  metric(): object
}

/** Creates the durations of a process. `now` is a clock in milliseconds, that of `startedMs`. */
export function createRequestDurations(now: () => number): RequestDurations {
  const kinds = new Map<string, Kind>()
  const rows = new Map<string, Row>()

  function rowOf(gateway: Answered['gateway'], kind: Kind): Row {
    const key = `${gateway} ${kind}`
    const known = rows.get(key)
    if (known) return known
    const made = { gateway, kind, counts: Array<number>(BOUNDS.length + 1).fill(0), sumSeconds: 0 }
    rows.set(key, made)
    return made
  }

  /** Operations are those of tables, so the map is bounded. */
  function knownKind(operation: string): Kind {
    const known = kinds.get(operation)
    if (known) return known
    const kind = kindOf(operation)
    kinds.set(operation, kind)
    return kind
  }

  return {
    add({ gateway, operation, startedMs }) {
      if (operation === '' || startedMs === undefined) return
      const seconds = (now() - startedMs) / 1000
      const row = rowOf(gateway, knownKind(operation))
      const bucket = BOUNDS.findIndex((bound) => seconds <= bound)
      row.counts[bucket < 0 ? BOUNDS.length : bucket]!++
      row.sumSeconds += seconds
    },
    merge(counts) {
      for (const { gateway, kind, counts: added, sumSeconds } of counts) {
        const row = rowOf(gateway, kind)
        for (const [i, count] of added.entries()) row.counts[i]! += count
        row.sumSeconds += sumSeconds
      }
    },
    take() {
      const taken = [...rows.values()]
      rows.clear()
      return taken
    },
    metric: () => histogramOf([...rows.values()]),
  }
}

const NAME = 'almanac_request_duration_seconds'

function histogramOf(rows: readonly DurationCount[]): object {
  const values = rows.flatMap(({ gateway, kind, counts, sumSeconds }) => {
    const labels = { gateway, kind }
    let total = 0
    const buckets = counts.map((count, i) => {
      total += count
      return { metricName: `${NAME}_bucket`, labels: { le: BOUNDS[i] ?? '+Inf', ...labels }, value: total }
    })
    return [
      ...buckets,
      { metricName: `${NAME}_sum`, labels, value: sumSeconds },
      { metricName: `${NAME}_count`, labels, value: total },
    ]
  })
  return { name: NAME, help: 'Time from a request to its answer.', type: 'histogram', values, aggregator: 'sum' }
}
