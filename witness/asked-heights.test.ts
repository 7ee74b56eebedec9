import { expect, test } from 'vitest'
import { lowestOfCall, lowestOfPath } from './asked-heights.ts'

const BLOCK = 'ab'.repeat(32)
const places = new Map([[BLOCK, 41]])
const call = (method: string, ...params: readonly unknown[]) => lowestOfCall({ id: 1, method, params }, places)

test('a request of state is about its height, and one of a block about the state before it', () => {
  expect(lowestOfPath({ path: '/sdk/bank/v1beta1/supply', header: '17' }, places)).toBe(17)
  expect(lowestOfPath({ path: '/sdk/bank/v1beta1/supply' }, places)).toBeUndefined()
  expect(lowestOfPath({ path: '/sdk/bank/v1beta1/supply', header: '0' }, places)).toBeUndefined()
  expect(lowestOfPath({ path: '/sdk/base/tendermint/v1beta1/blocks/12' }, places)).toBe(11)
  expect(lowestOfPath({ path: '/sdk/base/tendermint/v1beta1/blocks/latest' }, places)).toBeUndefined()
  expect(call('eth_getBalance', '0x01', '0x11')).toBe(17)
  expect(call('eth_getStorageAt', '0x01', '0x5', 'latest')).toBeUndefined()
  expect(call('eth_getBlockByNumber', '0x11', false)).toBe(16)
  expect(call('eth_getBlockByNumber', 'pending', false)).toBeUndefined()
  expect(call('eth_getBalance', '0x01', 'earliest')).toBe(0)
})

test('a hash stands for the height of its block or transaction, and an unknown one for none', () => {
  expect(lowestOfPath({ path: `/sdk/tx/v1beta1/txs/${BLOCK.toUpperCase()}` }, places)).toBe(40)
  expect(lowestOfPath({ path: `/trace_tx?msg.hash=0x${BLOCK}`, header: '90' }, places)).toBe(40)
  expect(call('debug_traceTransaction', `0x${BLOCK}`, { tracer: 'callTracer' })).toBe(40)
  expect(call('eth_getTransactionByHash', `0x${'11'.repeat(32)}`)).toBeUndefined()
})

test('a range of logs is about its first block', () => {
  expect(call('eth_getLogs', { fromBlock: '0x5', toBlock: '0x20' })).toBe(4)
  expect(call('eth_getLogs', { blockHash: `0x${BLOCK}` })).toBe(40)
  expect(call('eth_getLogs', { fromBlock: 'latest' })).toBeUndefined()
})

test('a batch is about the lowest height of its calls', () => {
  const batch = [
    { id: 1, method: 'eth_getBalance', params: ['0x01', '0x9'] },
    { id: 2, method: 'eth_chainId', params: [] },
    { id: 3, method: 'eth_getBalance', params: ['0x01', '0x7'] },
  ]
  expect(lowestOfCall(batch as never, places)).toBe(7)
})
