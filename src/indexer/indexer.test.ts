import { expect, test } from 'vitest'
import type { BlockHeader, EvmTx, StoredBlock } from '../app/records.ts'
import { EMPTY, equal, fromKey, hex, toKey, utf8 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import type { Range, Tables, TableWrite } from '../store/types.ts'
import { openBlockIndex } from './block-index.ts'
import {
  decodeBlockBody,
  decodeBlockHeader,
  decodeReceipts,
  decodeResults,
  encodeBlockBody,
  encodeReceipts,
  encodeResults,
} from './encoding.ts'
import { rebuild } from './rebuild.ts'
import { rollbackRows } from './rollback.ts'
import { FRESH_TERMS, SEGMENT_PAGES, SEGMENTS } from './tables.ts'
import type { BlockIndex, FoundLog, LogQuery } from './types.ts'
import { openIndexer, validatorRow } from './writer.ts'

/** Creates tables in plain maps. */
function memoryTables(): Tables & { write(rows: readonly TableWrite[]): void; dump(): string[] } {
  const tables = new Map<string, Map<string, Uint8Array>>()
  const rowsOf = (table: string) => tables.get(table) ?? tables.set(table, new Map()).get(table)!
  return {
    get: (table, key) => rowsOf(table).get(toKey(key)),
    *iterate(table, { start, end, reverse }: Range = {}) {
      const keys = [...rowsOf(table).keys()]
        .filter((key) => (!start || key >= toKey(start)) && (!end || key < toKey(end)))
        .sort((a, b) => (a < b ? -1 : 1))
      for (const key of reverse ? keys.reverse() : keys) {
        const value = rowsOf(table).get(key)
        if (value) yield [fromKey(key), value]
      }
    },
    write(rows) {
      for (const { table, key, value } of rows) {
        if (value) rowsOf(table).set(toKey(key), value)
        else rowsOf(table).delete(toKey(key))
      }
    },
    dump() {
      const lines: string[] = []
      for (const [table, rows] of tables)
        for (const [key, value] of rows) lines.push(`${table} ${toKey(utf8(key))} ${toKey(value)}`)
      return lines.sort()
    },
  }
}

const token = hex('11'.repeat(20))
const other = hex('22'.repeat(20))
const transfer = sha256(utf8('Transfer'))
const topicOf = (n: number) => sha256(utf8(`account ${n}`))

function header(height: bigint): BlockHeader {
  return {
    chainId: 'almanac-localnet-1',
    height,
    timeNs: 1_700_000_000_000_000_001n + height,
    lastBlockId: { hash: EMPTY, partsTotal: 0, partsHash: EMPTY },
    lastCommitHash: sha256(utf8('commit')),
    dataHash: EMPTY,
    validatorsHash: sha256(utf8('v')),
    nextValidatorsHash: sha256(utf8('n')),
    consensusHash: sha256(utf8('c')),
    appHash: sha256(utf8(`app ${height}`)),
    lastResultsHash: EMPTY,
    evidenceHash: EMPTY,
    proposer: hex('33'.repeat(20)),
  }
}

/** Creates a block with `count` transactions. Transaction i writes a log of `token`, or of `other` if i is odd. */
function block(height: bigint, count: number): StoredBlock {
  const txs = Array.from({ length: count }, (_, i) => utf8(`tx ${height} ${i}`))
  const blockId = { hash: sha256(utf8(`block ${height}`)), partsTotal: 1, partsHash: sha256(utf8('parts')) }
  const evmTxs = txs.map((tx, i): EvmTx => {
    const logs = [{ address: i % 2 ? other : token, topics: [transfer, topicOf(Number(height))], data: utf8('data') }]
    return {
      hash: sha256(utf8(`evm ${height} ${i}`)),
      raw: tx,
      txIndex: i,
      evmIndex: i,
      from: token,
      to: i === 0 ? undefined : other,
      contractAddress: i === 0 ? token : undefined,
      status: 1,
      gasUsed: 21_000n,
      cumulativeGasUsed: 21_000n * BigInt(i + 1),
      effectiveGasPrice: 2n ** 100n + 7n,
      type: 2,
      bloom: new Uint8Array(256).fill(i),
      firstLogIndex: i,
      logs,
    }
  })
  return {
    header: header(height),
    hash: blockId.hash,
    blockId,
    txs,
    results: txs.map((_, i) => ({
      code: i % 3,
      codespace: i % 3 ? 'sdk' : '',
      log: '',
      info: 'ünïcode',
      data: utf8('data'),
      gasWanted: -1n,
      gasUsed: 2n ** 63n - 1n,
      events: [
        {
          type: 'transfer',
          attributes: [
            { key: 'recipient', value: `chain1${i}` },
            { key: 'sender', value: 'chain1s' },
          ],
        },
        { type: 'chain.evm.v1.EventTransfer', attributes: [{ key: 'amount', value: `"${height}"` }] },
      ],
    })),
    lastCommit: height === 1n ? undefined : { height: height - 1n, round: 0, blockId, signatures: [] },
    commit: {
      height,
      round: 0,
      blockId,
      signatures: [{ flag: 2, validator: token, timeNs: height, signature: new Uint8Array(64).fill(9) }],
    },
    blockEvents: [{ type: 'mint', attributes: [{ key: 'amount', value: '5' }] }],
    evmTxs,
    evmGasUsed: 5n,
    baseFeeWei: 10n ** 12n,
    gasLimit: 60_000_000n,
    coinbase: other,
    nextAppHash: sha256(utf8('next')),
  }
}

function filled(heights: number, limits: { entries: number; blocks: number }, count = (h: number) => h % 4) {
  const tables = memoryTables()
  const indexer = openIndexer(tables, limits)
  for (let h = 1; h <= heights; h++) tables.write(indexer.rows(block(BigInt(h), count(h))))
  return { tables, index: openBlockIndex(tables) }
}

const logsOf = (index: BlockIndex, query: LogQuery): FoundLog[] =>
  [...index.logs(query)].filter((step) => typeof step !== 'bigint')

const noSource = (): never => {
  throw new Error('no logs were left out')
}

test('a block record decodes to the encoded block', () => {
  const whole = block(7n, 5)
  const { results, blockEvents, evmTxs, ...body } = whole
  expect(decodeBlockBody(encodeBlockBody(whole))).toEqual(body)
  expect(decodeResults(encodeResults(whole), noSource)).toEqual({ results, blockEvents })
  expect(decodeReceipts(encodeReceipts(evmTxs))).toEqual(evmTxs)
  const first = block(1n, 0)
  expect(decodeBlockBody(encodeBlockBody(first)).lastCommit).toBeUndefined()
})

test('a record has the positions of messages in the log of a success, and older records have the text', () => {
  const { results, blockEvents } = block(2n, 3)
  const [first, second, third] = results
  const mixed = [
    { ...first!, log: [0, 1] },
    { ...second!, log: 'why it failed' },
    { ...third!, log: [1] },
  ]
  expect(decodeResults(encodeResults({ results: mixed, blockEvents }), noSource)).toEqual({
    results: mixed,
    blockEvents,
  })
  const texts = results.map((result) => ({ ...result, log: '[{"msg_index":0,"events":[]}]' }))
  const bytes = encodeResults({ results: texts, blockEvents })
  const addedLength = 1 + texts.length
  expect(decodeResults(bytes.subarray(0, -addedLength), noSource)).toEqual({ results: texts, blockEvents })
})

test('long rows are compressed, and the header is read without the transactions', () => {
  const txs = Array.from({ length: 200 }, (_, i) => utf8(`transaction ${i}`))
  const long = { ...block(7n, 200), txs, prevRandao: sha256(utf8('random')) }
  const { results, blockEvents, evmTxs, ...body } = long
  const rows = [encodeBlockBody(long), encodeResults(long), encodeReceipts(evmTxs)] as const
  expect(rows.map(([form]) => form)).toEqual([2, 2, 2])
  expect(rows.map(({ length }) => length < 20_000)).toEqual([true, true, true])
  expect(decodeBlockBody(rows[0])).toEqual(body)
  expect(decodeBlockHeader(rows[0])).toEqual({ header: body.header, hash: body.hash })
  expect(decodeResults(rows[1], noSource)).toEqual({ results, blockEvents })
  expect(decodeReceipts(rows[2])).toEqual(evmTxs)
  // Bytes that no compression shortens are stored as they are.
  const random = Array.from({ length: 100 }, (_, i) => sha256(utf8(`${i}`)))
  expect(encodeBlockBody({ ...body, txs: random })[0]).toBe(1)
})

test('a header keeps the version of its application, in a short and in a long row', () => {
  const { results: _, blockEvents: __, evmTxs: ___, ...plain } = block(5n, 3)
  for (const txs of [plain.txs, Array.from({ length: 50 }, () => new Uint8Array(400).fill(3))]) {
    for (const appVersion of [1n, 2n ** 63n]) {
      const body = { ...plain, txs, header: { ...plain.header, appVersion } }
      const row = encodeBlockBody(body)
      expect(decodeBlockBody(row)).toEqual(body)
      expect(decodeBlockHeader(row)).toEqual({ header: body.header, hash: body.hash })
    }
  }
})

test('a record of a newer build is refused', () => {
  expect(() => decodeReceipts(Uint8Array.of(4, 0))).toThrow('block record of form 4: this build reads forms 1 to 3')
})

test('transactions are found by both hashes, blocks by their hash, and unknown hashes find nothing', () => {
  const { index } = filled(10, { entries: 20, blocks: 100 })
  expect(index.tx(sha256(utf8('tx 6 1')))).toEqual({ height: 6n, index: 1 })
  expect(index.evmTx(sha256(utf8('evm 7 2')))).toEqual({ height: 7n, evmIndex: 2 })
  expect(index.heightOfHash(sha256(utf8('block 9')))).toBe(9n)
  expect(index.tx(sha256(utf8('tx 6 2')))).toBeUndefined()
  expect(index.evmTx(sha256(utf8('evm 8 0')))).toBeUndefined()
  expect(index.heightOfHash(sha256(utf8('block 99')))).toBeUndefined()
  expect(index.block(7n)).toEqual(block(7n, 3))
  expect(index.header(7n)).toEqual({ header: header(7n), hash: sha256(utf8('block 7')) })
  expect([index.earliestHeight(), index.latestHeight(), index.block(11n)]).toEqual([1n, 10n, undefined])
})

test('the header of a committed block is not read again, until blocks above a height are evicted', () => {
  const tables = memoryTables()
  const asked: string[] = []
  const index = openBlockIndex({
    ...tables,
    get(table, key) {
      asked.push(table)
      return tables.get(table, key)
    },
  })
  index.learn(block(7n, 3))
  expect(index.header(7n)).toEqual({ header: header(7n), hash: sha256(utf8('block 7')) })
  expect(asked).toEqual([])
  index.evictAbove(6n)
  expect(index.header(7n)).toBeUndefined()
})

test('logs are found in order, in segments and outside', () => {
  const { tables, index } = filled(50, { entries: 60, blocks: 100 })
  expect([...tables.iterate(SEGMENTS)].length).toBeGreaterThan(2)
  expect([...tables.iterate(FRESH_TERMS)].length).toBeGreaterThan(0)
  const all: string[] = []
  for (let h = 1; h <= 50; h++) for (let i = 0; i < h % 4; i++) all.push(`${h}/${i}`)
  const find = (query: Parameters<typeof index.logs>[0]) =>
    logsOf(index, query).map(({ height, logIndex }) => `${height}/${logIndex}`)
  const range = { fromHeight: 0n, toHeight: 1000n }
  expect(find(range)).toEqual(all)
  expect(find({ ...range, topics: [[transfer]] })).toEqual(all)
  expect(find({ ...range, addresses: [other] })).toEqual(all.filter((place) => place.endsWith('/1')))
  expect(find({ ...range, addresses: [token, other], limit: 5 })).toEqual(all.slice(0, 5))
  expect(find({ ...range, topics: [undefined, [topicOf(7), topicOf(46)]] })).toEqual([
    '7/0',
    '7/1',
    '7/2',
    '46/0',
    '46/1',
  ])
  expect(find({ ...range, addresses: [other], topics: [[transfer], [topicOf(47)]] })).toEqual(['47/1'])
  expect(find({ ...range, topics: [[topicOf(7)]] })).toEqual([])
  expect(find({ fromHeight: 9n, toHeight: 10n, addresses: [token] })).toEqual(['9/0', '10/0'])
})

test('a search for many addresses and topics finds the same logs as a full scan', () => {
  const { tables, index } = filled(300, { entries: 1500, blocks: 1000 })
  expect([...tables.iterate(SEGMENT_PAGES)].length).toBeGreaterThan([...tables.iterate(SEGMENTS)].length)
  const strangers = Array.from({ length: 500 }, (_, i) => sha256(utf8(`stranger ${i}`)))
  const some = Array.from({ length: 60 }, (_, i) => topicOf(i * 5))
  const range = { fromHeight: 3n, toHeight: 290n }
  const all = logsOf(index, range)
  const has = (list: readonly Uint8Array[], bytes: Uint8Array) => list.some((one) => equal(one, bytes))
  for (const [addresses, topics] of [
    [strangers, []],
    [[...strangers, other], []],
    [[], [[], [...strangers, ...some]]],
    [[token], [[transfer, ...strangers], some]],
    [
      [...strangers, token, other],
      [[transfer], [...some, ...strangers]],
    ],
  ] as const) {
    const expected = all.filter(
      (log) =>
        (addresses.length === 0 || has(addresses, log.address)) &&
        topics.every((wanted: readonly Uint8Array[], i) => wanted.length === 0 || has(wanted, log.topics[i]!)),
    )
    expect(logsOf(index, { ...range, addresses, topics })).toEqual(expected)
  }
})

test('a log with fewer topics than the conditions have positions does not match', () => {
  const { index } = filled(10, { entries: 20, blocks: 100 })
  const range = { fromHeight: 0n, toHeight: 10n }
  const topics = new Set(logsOf(index, range).map((log) => log.topics.length))
  expect([...topics]).toEqual([2])
  expect(logsOf(index, { ...range, topics: [undefined, []] })).toEqual(logsOf(index, range))
  expect(logsOf(index, { ...range, topics: [undefined, [], undefined] })).toEqual([])
})

test('a search yields each height before its logs, in order', () => {
  const { index } = filled(50, { entries: 60, blocks: 100 })
  for (const query of [{}, { addresses: [other] }]) {
    let last = 0n
    for (const step of index.logs({ fromHeight: 1n, toHeight: 50n, ...query })) {
      if (typeof step !== 'bigint') expect(step.height).toBe(last)
      else {
        expect(step).toBeGreaterThanOrEqual(last)
        last = step
      }
    }
    expect(last).toBeGreaterThan(40n)
  }
})

test('the heights with EVM transactions are found in both directions, each end included', () => {
  const { index } = filled(50, { entries: 60, blocks: 100 })
  const expected = Array.from({ length: 50 }, (_, i) => BigInt(i + 1)).filter(
    (height) => index.block(height)!.evmTxs.length,
  )
  expect(expected.length).toBeLessThan(50)
  const heights = (from: bigint, to: bigint, reverse: boolean) => [...index.evmHeights({ from, to, reverse })]
  expect(heights(0n, 99n, false)).toEqual(expected)
  expect(heights(0n, 99n, true)).toEqual(expected.toReversed())
  const [low, high] = [expected[3]!, expected[9]!]
  expect(heights(low, high, true)).toEqual(expected.slice(3, 10).reverse())
  expect(heights(high, low, false)).toEqual([])
})

test('transactions are found by event, forwards and backwards, and in a range', () => {
  const { index } = filled(50, { entries: 60, blocks: 100 })
  const places = (reverse: boolean, from?: bigint, to?: bigint) =>
    [...index.txsByEvent('transfer.recipient', 'chain12', { reverse, ...(from && { from }), ...(to && { to }) })].map(
      ({ height, index: at }) => `${height}/${at}`,
    )
  const expected = Array.from({ length: 12 }, (_, n) => `${n * 4 + 3}/2`)
  expect(places(false)).toEqual(expected)
  expect(places(true)).toEqual([...expected].reverse())
  expect(places(true, 8n, 20n)).toEqual(['19/2', '15/2', '11/2'])
  expect([...index.txsByEvent('chain.evm.v1.EventTransfer.amount', '"46"')]).toEqual([
    { height: 46n, index: 0 },
    { height: 46n, index: 1 },
  ])
  expect([...index.txsByEvent('transfer.recipient', 'chain19')]).toEqual([])
})

test('a reopened indexer continues after the last indexed block', () => {
  const once = filled(30, { entries: 60, blocks: 100 })
  const tables = memoryTables()
  for (let h = 1; h <= 30; h++)
    tables.write(openIndexer(tables, { entries: 60, blocks: 100 }).rows(block(BigInt(h), h % 4)))
  expect(tables.dump()).toEqual(once.tables.dump())
})

test('a rebuild from the blocks restores the same tables', () => {
  const { tables } = filled(30, { entries: 32_768, blocks: 8 })
  const before = tables.dump()
  tables.write([{ table: 'tx', key: utf8('a row that no block has'), value: utf8('x') }])
  const progress: [number, number][] = []
  for (const batch of rebuild(tables, 50, (done, total) => progress.push([done, total]))) tables.write(batch)
  expect([progress[0], progress.at(-1), progress.length]).toEqual([[1, 30], [30, 30], 30])
  const fresh = openBlockIndex(tables)
  expect(fresh.tx(sha256(utf8('tx 6 1')))).toEqual({ height: 6n, index: 1 })
  expect(logsOf(fresh, { fromHeight: 1n, toHeight: 30n, addresses: [other] }).length).toBe(15)
  const derived = (lines: string[]) => lines.filter((line) => !line.includes('segment') && !line.startsWith('fresh'))
  expect(derived(tables.dump())).toEqual(derived(before))
})

test('a validator set is in force until the next', () => {
  const tables = memoryTables()
  const set = [{ address: token, publicKey: sha256(utf8('key')), power: 10n }]
  tables.write([validatorRow(1n, set), validatorRow(5n, [])])
  const index = openBlockIndex(tables)
  expect([0n, 1n, 4n, 5n, 9n].map((height) => index.validators(height)?.length)).toEqual([undefined, 1, 1, 0, 0])
})

test('a rollback restores the tables, even if segments contain the removed blocks', () => {
  const limits = { entries: 40, blocks: 6 }
  const answers = (tables: Tables) => {
    const blocks = openBlockIndex(tables)
    const places = Array.from({ length: 41 }, (_, h) => [
      blocks.header(BigInt(h))?.hash,
      blocks.heightOfHash(sha256(utf8(`block ${h}`))),
      blocks.tx(sha256(utf8(`tx ${h} 0`))),
      blocks.evmTx(sha256(utf8(`evm ${h} 0`))),
    ])
    const range = { fromHeight: 1n, toHeight: 100n }
    const logs = logsOf(blocks, { ...range, addresses: [other] }).map(({ height, logIndex }) => [height, logIndex])
    const events = [...blocks.txsByEvent('transfer.sender', 'chain1s')]
    return [blocks.latestHeight(), places, logs, events, blocks.validators(100n)]
  }
  for (const height of [1, 6, 13, 27, 38, 40]) {
    const { tables } = filled(40, limits)
    tables.write([validatorRow(41n, [])])
    tables.write(rollbackRows(tables, BigInt(height)))
    const { tables: never } = filled(height, limits)
    if (height >= 39) never.write([validatorRow(41n, [])])
    expect(answers(tables)).toEqual(answers(never))
    // Indexing continues from there.
    const indexer = openIndexer(tables, limits)
    for (let h = height + 1; h <= 40; h++) tables.write(indexer.rows(block(BigInt(h), h % 4)))
    const { tables: whole } = filled(40, limits)
    if (height >= 39) whole.write([validatorRow(41n, [])])
    expect(answers(tables)).toEqual(answers(whole))
  }
})
