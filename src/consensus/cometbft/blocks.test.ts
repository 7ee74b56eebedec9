import { expect, test, vi } from 'vitest'
import { localnetGenesis } from '../../app/localnet.ts'
import { ALMANAC_STORES } from '../../app/stores.ts'
import { testApplication } from '../../app/testing.ts'
import type { BlockFacts } from '../../app/types.ts'
import { almanac } from '../../identity/profiles/almanac.ts'
import { EMPTY, encodeUint64, utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import { openMemory } from '../../store/backend/memory.ts'
import { readTip } from '../../store/history/heights.ts'
import { withHeldWrites } from '../../store/journal/held-backend.ts'
import type { TableWrite } from '../../store/types.ts'
import { openVersionedStore } from '../../store/versioned.ts'
import { createExecutor } from '../executor.ts'
import type { HoldLimits } from '../holding.ts'
import { createEngineBlocks } from './blocks.ts'
import { createKnownTxs } from './known-txs.ts'

const publicKey = sha256(utf8('validator'))
const genesis = localnetGenesis({
  identity: almanac,
  chainId: 'almanac-localnet-1',
  genesisTime: '2024-01-01T00:00:00Z',
  accounts: [{ address: new Uint8Array(20).fill(1), balanceUnative: 1_000_000n }],
  validators: [{ publicKey }],
})

const factsOf = (height: bigint): BlockFacts => ({
  height,
  timeNs: 1_704_067_200_000_000_000n + height,
  proposer: publicKey.slice(0, 20),
  hash: sha256(encodeUint64(height)),
  lastCommitHash: EMPTY,
  lastCommitVotes: [],
  evidence: [],
})

const EACH_DURABLE: HoldLimits = { blocks: 1, ms: Number.POSITIVE_INFINITY }

function setUp(limits: HoldLimits = EACH_DURABLE) {
  const memory = openMemory()
  let isFull = false
  const disk = {
    ...memory,
    write(rows: Iterable<TableWrite>) {
      if (isFull) throw new Error('no space left')
      memory.write(rows)
    },
  }
  const backend = withHeldWrites(disk, [1, 2])
  const store = openVersionedStore(backend, ALMANAC_STORES)
  const executor = createExecutor({
    app: testApplication(),
    store,
    elapsed: () => 0,
    onHalt: () => undefined,
    onListenerFailure: () => undefined,
  })
  executor.begin(genesis)
  const included: number[] = []
  const blocks = createEngineBlocks({
    executor,
    known: createKnownTxs({ ofHash: () => undefined }),
    limits,
    elapsed: () => 0,
    settle: (_, hashes) => included.push(hashes.length),
  })
  const make = (height: bigint, txs: readonly Uint8Array[] = []) => {
    blocks.begin(factsOf(height))
    for (const tx of txs) blocks.deliver(tx)
    blocks.end()
    return blocks.appHash()
  }
  return {
    ...{ executor, blocks, included, make, store },
    /** The rows that survive a crash. */
    disk: { latestHeight: () => BigInt(readTip(disk).height) },
    fill() {
      isFull = true
    },
  }
}

test('a block can be begun again after each of its steps, and has the same hash', () => {
  const { blocks, executor, make } = setUp()
  const first = make(1n)
  expect(make(1n)).toEqual(first)
  blocks.begin(factsOf(1n))
  blocks.deliver(utf8('no transaction'))
  expect(make(1n)).toEqual(first)
  expect(executor.committedHeight()).toBe(0n)
  expect(blocks.commit().nextAppHash).toEqual(first)
  expect(executor.committedHeight()).toBe(1n)
})

test('the hashes of a block are told before its commit, failed transactions included', () => {
  const { blocks, included, make } = setUp()
  make(1n, [utf8('no transaction'), utf8('neither')])
  expect(included).toEqual([])
  expect(blocks.commit().results.map(({ code }) => code)).toEqual([2, 2])
  expect(included).toEqual([2])
})

test('a block that cannot be made durable halts the chain with the reason', () => {
  const { blocks, executor, make, fill } = setUp()
  make(1n)
  blocks.commit()
  make(2n)
  fill()
  expect(() => blocks.commit()).toThrow('no space left')
  expect(executor.status().halted).toMatchObject({ reason: 'no space left', height: 2n })
  expect(() => blocks.begin(factsOf(2n))).toThrow('the chain has halted: no space left')
})

test('steps out of order halt the chain, and so does a height that does not follow', () => {
  for (const [step, reason] of [
    [(blocks) => blocks.begin(factsOf(3n)), 'the engine begins block 3, and the next block is 2'],
    [(blocks) => blocks.deliver(EMPTY), 'no block has begun'],
    [(blocks) => blocks.end(), 'no block has begun'],
    [(blocks) => blocks.commit(), 'no block has ended'],
  ] satisfies [(blocks: ReturnType<typeof setUp>['blocks']) => unknown, string][]) {
    const { blocks, executor, make } = setUp()
    make(1n)
    blocks.commit()
    expect(() => step(blocks)).toThrow(reason)
    expect(executor.status().halted?.reason).toBe(reason)
  }
})

test('blocks that the engine replays are durable together, and told then', () => {
  const { blocks, executor, included, make, disk } = setUp({ blocks: 3, ms: 1000 })
  const told: bigint[] = []
  executor.onBlock(({ header }) => told.push(header.height))
  const commit = (height: bigint) => {
    make(height)
    blocks.commit()
    return disk.latestHeight()
  }
  expect([commit(1n), commit(2n)]).toEqual([0n, 0n])
  expect([executor.committedHeight(), executor.heldCount(), told]).toEqual([2n, 2, []])
  expect([commit(3n), told, included]).toEqual([3n, [1n, 2n, 3n], [0, 0, 0]])
  expect(commit(4n)).toBe(3n)
  blocks.flush()
  expect([disk.latestHeight(), told]).toEqual([4n, [1n, 2n, 3n, 4n]])
  commit(5n)
  blocks.goLive()
  expect(disk.latestHeight()).toBe(5n)
  expect(commit(6n)).toBe(6n)
  expect(commit(7n)).toBe(6n)
})

test('held blocks are durable after a time without further ones, and with a reader of the state', () => {
  vi.useFakeTimers()
  try {
    const { blocks, executor, make, disk, store } = setUp({ blocks: 100, ms: 200 })
    make(1n)
    blocks.commit()
    vi.advanceTimersByTime(199)
    expect(disk.latestHeight()).toBe(0n)
    vi.advanceTimersByTime(1)
    expect([disk.latestHeight(), executor.heldCount()]).toEqual([1n, 0])
    make(2n)
    blocks.commit()
    executor.state().close()
    expect(disk.latestHeight()).toBe(1n)
    // Another thread may read on at the height of a snapshot.
    store.at().close()
    expect(disk.latestHeight()).toBe(2n)
  } finally {
    vi.useRealTimers()
  }
})

test('a disk that is full when held blocks should become durable halts the chain, also by the timer', () => {
  vi.useFakeTimers()
  try {
    const { blocks, executor, make, fill, disk } = setUp({ blocks: 100, ms: 200 })
    make(1n)
    blocks.commit()
    fill()
    vi.advanceTimersByTime(200)
    expect(executor.status().halted).toBeDefined()
    expect(() => blocks.flush()).toThrow('no space left')
    expect(disk.latestHeight()).toBe(0n)
  } finally {
    vi.useRealTimers()
  }
})
