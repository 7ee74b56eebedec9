import { expect, test } from 'vitest'
import { createMetrics } from './metrics.ts'
import { createRequestCounts } from './request-counts.ts'
import { createRequestDurations } from './request-durations.ts'

const OK = { status: 'ok' } as const

test('each operation counts in the kind of its work', () => {
  const kindOf = (operation: string) => {
    const durations = createRequestDurations(() => 5)
    durations.add({ gateway: 'jsonrpc', operation, startedMs: 0, ...OK })
    return durations.take()[0]?.kind
  }
  const names = {
    read: ['eth_getBalance', 'eth_blockNumber', 'net_version', 'status', 'abci_query', '/chain.evm.v1.Query/Params'],
    call: ['eth_call', 'eth_callMany', 'eth_estimateGas', 'eth_simulateV1', '/chain.evm.v1.Query/EthCall'],
    trace: ['debug_traceTransaction', 'trace_block', 'ots_getTransactionError', '/chain.evm.v1.Query/TraceTx'],
    send: ['eth_sendRawTransaction', 'broadcast_tx_sync', '/sdk.tx.v1beta1.Service/BroadcastTx'],
    search: ['eth_getLogs', 'tx_search', 'block_search', '/sdk.tx.v1beta1.Service/GetTxsEvent'],
    development: ['evm_mine', 'anvil_setBalance', 'hardhat_mine'],
  }
  for (const [kind, operations] of Object.entries(names))
    expect(operations.map((operation) => [operation, kindOf(operation)])).toEqual(operations.map((one) => [one, kind]))
  expect(kindOf('')).toBeUndefined()
})

test('a duration falls into the first bucket that holds it, and a request that was refused unread is not timed', () => {
  const durations = createRequestDurations(() => 20_000)
  const read = { gateway: 'rest', operation: '/chain.evm.v1.Query/Params', ...OK } as const
  for (const startedMs of [19_999, 19_998.5, 0]) durations.add({ ...read, startedMs })
  durations.add(read)
  const [row, ...more] = durations.take()
  expect(more).toEqual([])
  expect(row).toMatchObject({ gateway: 'rest', kind: 'read', sumSeconds: 20.0025 })
  expect(row!.counts).toEqual([0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  expect(durations.take()).toEqual([])
})

test('the counts of workers and of the process itself add up in one histogram', async () => {
  const metrics = createMetrics()
  const worker = createRequestCounts()
  const call = { gateway: 'jsonrpc', operation: 'eth_call', ...OK } as const
  const add = () => worker.observe({ ...call, startedMs: performance.now() - 700 })
  add()
  metrics.requests(worker.take())
  add()
  metrics.requests(worker.take())
  metrics.requests(worker.take())
  metrics.request({ ...call, startedMs: performance.now() - 700 })
  const text = await metrics.render({
    chainId: 'test-1',
    height: 1n,
    earliestHeight: 1n,
    tipTimeSeconds: 0,
    isHalted: false,
    isCatchingUp: false,
    follow: undefined,
    mempool: { count: 0, sizeBytes: 0 },
    compute: { waiting: 0, running: 0, done: 0, refused: 0, kills: 0 },
    workers: [],
    databaseBytes: undefined,
    diskFreeBytes: undefined,
  })
  const lines = text.split('\n')
  const name = 'almanac_request_duration_seconds'
  for (const line of [
    `# TYPE ${name} histogram`,
    `${name}_bucket{le="0.5",gateway="jsonrpc",kind="call"} 0`,
    `${name}_bucket{le="+Inf",gateway="jsonrpc",kind="call"} 3`,
    `${name}_count{gateway="jsonrpc",kind="call"} 3`,
    'almanac_requests_total{operation="eth_call",status="ok"} 3',
  ]) {
    expect(lines).toContain(line)
  }
})
