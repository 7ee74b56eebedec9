import { create, type MessageInitShape } from '@bufbuild/protobuf'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { parseConsensusParams } from '../../app/genesis-params.ts'
import { localnetGenesis } from '../../app/localnet.ts'
import { ALMANAC_STORES } from '../../app/stores.ts'
import { testApplication } from '../../app/testing.ts'
import { type Request, RequestSchema, type Response } from '../../gen/tendermint/abci/types_pb.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { utf8 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { toTimestamp } from '../../primitives/time.ts'
import { openMemory } from '../../store/backend/memory.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import { createExecutor } from '../executor.ts'
import type { Application } from './application.ts'
import { type Comet, startComet } from './comet.ts'
import { NO_JOURNAL } from './kept-txs.ts'
import { STALLED_MS } from './stall-watch.ts'

const GENESIS_NS = 1_704_067_200_000_000_000n
const publicKey = sha256(utf8('validator'))
const genesis = localnetGenesis({
  identity: almanac,
  chainId: 'almanac-localnet-1',
  genesisTime: '2024-01-01T00:00:00Z',
  accounts: [{ address: new Uint8Array(20).fill(1), balanceUnative: 1_000_000n }],
  validators: [{ publicKey }],
})

const started: Comet[] = []
afterEach(async () => {
  for (const comet of started.splice(0)) await comet.stop()
})

type Init = NonNullable<MessageInitShape<typeof RequestSchema>['value']>

function setUp(query: () => Promise<object> = async () => ({}), elapsed = () => 0) {
  let application: Application | undefined
  const failures: string[] = []
  const executor = createExecutor({
    app: testApplication(),
    store: openVersionedStore(openMemory(), ALMANAC_STORES),
    elapsed: () => 0,
    onHalt: () => undefined,
    onListenerFailure: () => undefined,
  })
  const comet = startComet({
    executor,
    genesis,
    socket: {
      attach(attached) {
        application = attached
      },
    },
    rpc: { broadcast: async () => [], isCatchingUp: async () => false },
    journal: NO_JOURNAL,
    name: 'almanac',
    version: '1',
    keepHeights: 0,
    hasWholeHeaders: false,
    limits: { maxTxs: 10, maxBytes: 1000, maxTxBytes: 1000, slotsPerSender: 10 },
    query,
    onInfo: () => undefined,
    now: () => 0,
    elapsed,
    onFailure: (what) => failures.push(what),
  })
  started.push(comet)
  const call = async (value: Init): Promise<Response['value']> =>
    (await application!((create(RequestSchema, { value }) as Request).value)).value
  return { comet, executor, failures, call }
}

const initChain = (chainId = genesis.chain_id): Init => ({
  case: 'initChain',
  value: {
    chainId,
    time: toTimestamp(GENESIS_NS),
    consensusParams: parseConsensusParams(genesis.consensus_params as Parameters<typeof parseConsensusParams>[0]),
    appStateBytes: utf8(JSON.stringify(genesis.app_state)),
  },
})

const finalize = (height: bigint): Init => ({
  case: 'finalizeBlock',
  value: { height, time: toTimestamp(GENESIS_NS + height), hash: sha256(utf8(String(height))) },
})

test('a query that fails is an answer with a code, and the engine goes on', async () => {
  const early = setUp(async () => {
    throw queryError('unavailable', 'the node is starting')
  })
  const answer = await early.call({ case: 'query', value: { path: '/app/version' } })
  expect(answer).toMatchObject({ case: 'query', value: { code: 1, log: 'the node is starting' } })
  expect(early.failures).toEqual([])
  const broken = setUp(async () => {
    throw new TypeError('x is undefined')
  })
  const other = await broken.call({ case: 'query', value: {} })
  expect(other).toMatchObject({ case: 'query', value: { code: 1, log: 'internal error' } })
  expect(broken.failures).toEqual(['a query of the engine failed'])
})

test('a chain begins at each InitChain until its first block is durable, and then no more', async () => {
  const { call, executor } = setUp()
  const first = await call(initChain())
  expect(first).toMatchObject({ case: 'initChain', value: { validators: [{ power: 1000n }] } })
  await call(finalize(1n))
  expect(await call({ case: 'info', value: { abciVersion: '2.0.0' } })).toMatchObject({
    value: { lastBlockHeight: 0n },
  })
  expect(await call(initChain())).toEqual(first)
  await call(finalize(1n))
  await call({ case: 'commit', value: {} })
  expect(await call({ case: 'info', value: { abciVersion: '2.0.0' } })).toMatchObject({
    value: { lastBlockHeight: 1n, lastBlockAppHash: executor.tip().appHash },
  })
  await expect(call(initChain())).rejects.toThrow('the engine begins the chain, which is at height 1 here')
  expect(await call(finalize(2n))).toMatchObject({ case: 'finalizeBlock' })
})

test('a node that stops rejects those who wait for a block at once, and takes the blocks that still come', async () => {
  const { call, comet, executor } = setUp()
  await call(initChain())
  await call(finalize(1n))
  await call({ case: 'commit', value: {} })
  const waiting = comet.nextHeader(1n)
  const stops: string[] = []
  comet.onStop(() => stops.push('stops'))
  await comet.drain()
  await expect(waiting).rejects.toThrow('the node is stopping')
  await expect(comet.submit(new Uint8Array(1))).rejects.toThrow('the node is stopping')
  expect(stops).toEqual(['stops'])
  await call(finalize(2n))
  await call({ case: 'commit', value: {} })
  expect(executor.tip().height).toBe(2n)
})

test('an engine that is slow to connect is waited for, and one that never comes is reported', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  let nowMs = 0
  const { failures } = setUp(undefined, () => nowMs)
  for (; nowMs < STALLED_MS; nowMs += 1000) vi.advanceTimersByTime(1000)
  expect(failures).toEqual([])
  vi.advanceTimersByTime(1000)
  expect(failures).toEqual([expect.stringContaining('the engine decides no block')])
})

test('the genesis of another chain is refused', async () => {
  const { call } = setUp()
  await expect(call(initChain('other-1'))).rejects.toThrow("the engine begins chain other-1, and this node's is")
})
