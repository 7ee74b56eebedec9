import { expect, test } from 'vitest'
import type { ChainStatus, FollowStatus, Halted } from '../consensus/driver.ts'
import { resolveConfig } from './config.ts'
import { createMonitorServer, networkTiming, readiness, timingOf } from './health.ts'
import { createMetrics, type MetricReadings } from './metrics.ts'

const READINGS: MetricReadings = {
  chainId: 'test-1',
  height: 7n,
  earliestHeight: 2n,
  tipTimeSeconds: 1_700_000_000.5,
  isHalted: true,
  isCatchingUp: false,
  follow: undefined,
  mempool: { count: 2, sizeBytes: 300 },
  compute: { waiting: 1, running: 1, done: 5, refused: 0, kills: 3 },
  workers: [{ residentBytes: 1000, cpuSeconds: 2.5 }],
  databaseBytes: 4096,
  diskFreeBytes: undefined,
}

test('block times fall into cumulative buckets, requests are counted by operation and status', async () => {
  const counted = createMetrics()
  counted.block({ intervalMs: undefined, executeMs: 3, commitMs: 1 })
  counted.block({ intervalMs: 500, executeMs: 3000, commitMs: 1 })
  for (let i = 0; i < 2; i++)
    counted.request({ gateway: 'rest', operation: '/chain.evm.v1.Query/Params', status: 'ok' })
  counted.request({ gateway: 'rest', operation: '/chain.evm.v1.Query/Balance', status: 'notFound' })
  await counted.render(READINGS)
  const lines = (await counted.render(READINGS)).split('\n')
  for (const line of [
    'almanac_height 7',
    'almanac_halted 1',
    'almanac_block_interval_seconds_count 1',
    'almanac_block_interval_seconds_bucket{le="0.2"} 0',
    'almanac_block_interval_seconds_bucket{le="0.5"} 1',
    'almanac_block_execute_seconds_bucket{le="0.005"} 1',
    'almanac_block_execute_seconds_bucket{le="1"} 1',
    'almanac_block_execute_seconds_bucket{le="+Inf"} 2',
    'almanac_requests_total{operation="/chain.evm.v1.Query/Params",status="ok"} 2',
    'almanac_requests_total{operation="/chain.evm.v1.Query/Balance",status="notFound"} 1',
    'almanac_earliest_height 2',
    'almanac_tip_timestamp_seconds 1700000000.5',
    'almanac_worker_resident_memory_bytes{worker="1"} 1000',
    'almanac_worker_cpu_seconds_total{worker="1"} 2.5',
    'almanac_compute_kills_total 3',
    'almanac_database_bytes 4096',
  ]) {
    expect(lines).toContain(line)
  }
})

test('a node is ready unless it is halted, before its first block, or behind its clock', () => {
  const at = (status: { halted?: Halted; latestHeight?: bigint }, ageMs: number, intervalMs?: number) =>
    readiness(
      { status: () => ({ catchingUp: false, latestHeight: 5n, latestTimeNs: 1_000_000_000_000n, ...status }) },
      intervalMs === undefined ? { mode: 'arrival' } : { mode: 'interval', intervalMs },
      1_000_000 + ageMs,
    )
  expect(at({}, 3_600_000)).toEqual({
    status: 200,
    body: { ready: true, height: '5', tip_age_seconds: 3600, catching_up: false, halted: false },
  })
  expect(at({}, 20_000, 2000)).toMatchObject({ status: 503, body: { reasons: ['the last block is 20 s old'] } })
  expect(at({}, 4000, 500).status).toBe(200)
  const halted = { reason: 'upgrade "v2" is needed', next: 'start its build', height: 6n, upgrade: 'v2' }
  expect(at({ halted }, 0)).toEqual({
    status: 503,
    body: {
      ready: false,
      height: '5',
      tip_age_seconds: 0,
      catching_up: false,
      halted: true,
      reasons: ['halted: upgrade "v2" is needed'],
      next: 'start its build',
      upgrade: { name: 'v2', height: '6' },
    },
  })
  expect(at({ latestHeight: 0n }, 0)).toMatchObject({ status: 503, body: { reasons: ['no block yet'] } })
  const network = networkTiming(resolveConfig({ flags: { consensus: 'cometbft' } }).config)
  expect(network).toEqual({ mode: 'interval', intervalMs: 10_000 })
  expect(networkTiming(resolveConfig({}).config)).toBeUndefined()
})

test('a replica is ready while it is at most as far behind as it may, and goes on', () => {
  const follow = { nodeHeight: 9n, lagBlocks: 4n, lagSeconds: 12.5, verifiedHeight: 5n, confirmedHeight: 4n, queue: 3n }
  const status = { catchingUp: false, latestHeight: 5n, latestTimeNs: 1_000_000_000_000n, follow }
  const ready = (now: Partial<ChainStatus>) =>
    readiness(
      { status: () => ({ ...status, ...now }) },
      timingOf(resolveConfig({ flags: { consensus: 'follow' } }).config),
      9e9,
    )
  expect(ready({})).toMatchObject({
    status: 200,
    body: {
      follow: {
        node_height: '9',
        lag_blocks: '4',
        lag_seconds: 12.5,
        verified_height: '5',
        confirmed_height: '4',
        queue: '3',
      },
    },
  })
  expect(ready({ catchingUp: true })).toMatchObject({ status: 503, body: { reasons: ['12.5 s behind the node'] } })
  const silent = { ...follow, nodeHeight: undefined, lagBlocks: undefined }
  expect(ready({ catchingUp: true, follow: silent })).toMatchObject({
    status: 503,
    body: {
      reasons: ['12.5 s behind the node, which does not answer'],
      follow: { node_height: null, lag_blocks: null },
    },
  })
  const halted = { reason: 'block 6 of the node is not verified', next: 'see the log', height: 6n }
  expect(ready({ halted, follow: { ...follow, stopped: halted.reason } })).toMatchObject({
    status: 503,
    body: { reasons: ['halted: block 6 of the node is not verified'], next: 'see the log' },
  })
})

test('the metrics of a replica have a value while it is known, and only in a replica', async () => {
  const metrics = createMetrics()
  const valuesWith = async (follow: FollowStatus | undefined) =>
    (await metrics.render({ ...READINGS, follow })).split('\n').filter((line) => line.startsWith('almanac_replica_'))
  expect(await valuesWith(undefined)).toEqual([])
  const follow = { nodeHeight: 9n, lagBlocks: 4n, lagSeconds: 12.5, verifiedHeight: 5n, confirmedHeight: 4n, queue: 3n }
  expect(await valuesWith({ ...follow, stopped: 'why' })).toEqual([
    'almanac_replica_node_height 9',
    'almanac_replica_lag_blocks 4',
    'almanac_replica_lag_seconds 12.5',
    'almanac_replica_verified_height 5',
    'almanac_replica_confirmed_height 4',
    'almanac_replica_queue_blocks 3',
    'almanac_replica_stopped 1',
  ])
  expect(await valuesWith({ ...follow, nodeHeight: undefined, lagBlocks: undefined })).toEqual([
    'almanac_replica_lag_seconds 12.5',
    'almanac_replica_verified_height 5',
    'almanac_replica_confirmed_height 4',
    'almanac_replica_queue_blocks 3',
    'almanac_replica_stopped 0',
  ])
})

test('the monitor answers its three paths and refuses all others', async () => {
  const server = createMonitorServer(
    () => createMetrics().render(READINGS),
    () => ({ status: 503, body: { ready: false } }),
  )
  const { port } = await server.listen(0, '127.0.0.1')
  const ask = async (path: string, method = 'GET') => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method })
    return [response.status, (await response.text()).slice(0, 20)]
  }
  expect(await ask('/healthz')).toEqual([200, '{"ok":true}\n'])
  expect(await ask('/readyz')).toEqual([503, '{"ready":false}\n'])
  expect((await ask('/metrics'))[0]).toBe(200)
  expect((await ask('/other'))[0]).toBe(404)
  expect((await ask('/metrics', 'POST'))[0]).toBe(405)
  await server.close()
})
