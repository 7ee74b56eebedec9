import { create, toBinary } from '@bufbuild/protobuf'
import { expect, test } from 'vitest'
import { executeCreations } from '../app/evm/testing.ts'
import type { EvmTx, TxResult } from '../app/records.ts'
import { MsgEthereumTxResponseSchema } from '../gen/chain/evm/v1/tx_pb.ts'
import { TxMsgDataSchema } from '../gen/sdk/base/abci/v1beta1/abci_pb.ts'
import { identityOf } from '../identity/profiles.ts'
import { EMPTY, hex } from '../primitives/bytes.ts'
import { decodeResults, encodeResults } from './encoding.ts'
import { omitLogs, restoreLogs } from './log-references.ts'

/** LOG2 of 300 bytes, LOG0 without data, then 32 bytes of output. */
const LOGGING = hex('60ff60aa61012c5fa25f5fa060205ff3')

test.each(['almanac', 'nibiru'])('results under %s are stored without the logs that their receipts have', (profile) => {
  const identity = identityOf(profile)
  const { results, source } = executeCreations(identity, [LOGGING, hex('5f5ff3'), LOGGING])
  expect(source.evmTxs.map(({ logs }) => logs.length)).toEqual([2, 0, 2])
  const short = omitLogs(results, source)
  expect(short.references).toMatchObject([
    { result: 0, evmTx: 0, attribute: [expect.any(Number), 0], isDataCut: true },
    { result: 2, evmTx: 2, isDataCut: true },
  ])
  expect(short.results[1]).toBe(results[1])
  expect(short.results[0]!.data.length).toBeLessThan(250)
  expect(JSON.stringify(short.results[0]!.events)).not.toContain('block_hash')
  expect(restoreLogs(short.results, short.references, source)).toEqual(results)
  const bytes = encodeResults({ results, blockEvents: [] }, source)
  // Rows of earlier builds have the logs.
  const whole = encodeResults({ results, blockEvents: [] })
  expect(decodeResults(whole, () => expect.fail('no logs were left out')).results).toEqual(results)
  expect(decodeResults(bytes, () => source)).toEqual({ results, blockEvents: [] })
})

const source = { height: 300n, hash: new Uint8Array(32).fill(0xb1) }
const logs = [
  { address: new Uint8Array(20).fill(0xaa), topics: [], data: EMPTY },
  { address: new Uint8Array(20).fill(0xbb), topics: [new Uint8Array(32).fill(1)], data: new Uint8Array(200).fill(7) },
]
const evmTx = {
  hash: new Uint8Array(32).fill(9),
  txIndex: 1,
  evmIndex: 0,
  firstLogIndex: 127,
  logs,
} as unknown as EvmTx
const other: TxResult = {
  code: 0,
  codespace: '',
  log: [0],
  info: '',
  data: EMPTY,
  gasWanted: 1n,
  gasUsed: 1n,
  events: [{ type: 'message', attributes: [{ key: 'action', value: 'x' }] }],
}

test.each([
  ['a hash without logs', { hash: '0x1', ret: hex('0102'), gasUsed: 5n }],
  ['logs in another form', { hash: '0x1', logs: [{ address: '0xAA' }], gasUsed: 5n }],
  ['no hash', { logs: [], gasUsed: 5n }],
])('a result that has %s is stored whole', (_, response) => {
  const value = toBinary(MsgEthereumTxResponseSchema, create(MsgEthereumTxResponseSchema, response))
  const data = toBinary(TxMsgDataSchema, create(TxMsgDataSchema, { msgResponses: [{ typeUrl: '/x', value }] }))
  const results = [other, { ...other, data }]
  expect(omitLogs(results, { ...source, evmTxs: [evmTx] })).toEqual({ results, references: [] })
})

test.each([EMPTY, hex('12'), hex('1280'), hex('12ff01'), hex('12020a05'), hex('12030a0178'), hex('0a0112')])(
  'data %# of another kind is stored whole',
  (data) => {
    const results = [other, { ...other, data }]
    expect(omitLogs(results, { ...source, evmTxs: [evmTx] }).references).toEqual([])
  },
)

test('a block that was removed while it is read is an error', () => {
  const reference = { result: 1, evmTx: 0, attribute: undefined, isDataCut: false }
  expect(() => restoreLogs([other, other], [reference], { ...source, evmTxs: [] })).toThrow('rolled back')
})
