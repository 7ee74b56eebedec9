import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { forwardedMethods } from './forwarded.ts'
import type { RpcCall } from './method.ts'
import { chainMethods, optionalMethods } from './methods.ts'
import { DISCOVER, moduleMethods } from './modules.ts'

const page = readFileSync(new URL('../../../docs/json-rpc.md', import.meta.url), 'utf8')
const inCode = (text: string): string[] => [...text.matchAll(/`([A-Za-z0-9_]+)`/g)].map(([, name]) => name!)
const [everywhere, development] = page.split('## A development chain') as [string, string]

test('the page on JSON-RPC names every method of every chain, and no other', () => {
  const tables = { ...chainMethods, ...moduleMethods(chainMethods) }
  const namespaces = new Set(Object.keys(tables).map((name) => name.split(/[_.]/)[0]!))
  const named = inCode(everywhere).filter(
    (name) => /^[a-z0-9]+_[a-zA-Z]/.test(name) && namespaces.has(name.split('_')[0]!),
  )
  // Settings have a dot too, so that its name is looked up by itself.
  expect(everywhere).toContain(`\`${DISCOVER}\``)
  expect([...new Set(named), DISCOVER].sort()).toEqual(Object.keys(tables).sort())
})

test('the page names every method of a development chain, and no other', () => {
  const names = Object.keys(optionalMethods.development)
  const prefixed = /^(anvil|hardhat|evm)_/
  const rows = development.split('\n').filter((line) => line.startsWith('| ') && !line.startsWith('| What '))
  expect([...new Set(rows.flatMap(inCode))].sort()).toEqual(
    [...new Set(names.filter((name) => prefixed.test(name)).map((name) => name.replace(prefixed, '')))].sort(),
  )
  const own = inCode(development).filter((name) => /^(eth|personal|tenderly|miner|debug|almanac)_[a-zA-Z]/.test(name))
  // Methods of every chain, where the text refers to them.
  const called = own.filter((name) => !Object.hasOwn(chainMethods, name) && name !== 'eth_accounts')
  expect([...new Set(called)].sort()).toEqual(names.filter((name) => !prefixed.test(name)).sort())
})

test('a worker forwards the methods of the pool, filters, keys and the development chain, and no other', () => {
  const names = Object.keys(forwardedMethods(() => Promise.reject(new Error('not asked')), true))
  const development = new Set(Object.keys(optionalMethods.development))
  expect(names.filter((name) => !development.has(name)).sort()).toEqual([
    'debug_getRawTransaction',
    'erigon_getHeaderByNumber',
    'eth_accounts',
    'eth_call',
    'eth_createAccessList',
    'eth_estimateGas',
    'eth_fillTransaction',
    'eth_getAccountInfo',
    'eth_getBalance',
    'eth_getBlockByNumber',
    'eth_getBlockTransactionCountByNumber',
    'eth_getCode',
    'eth_getFilterChanges',
    'eth_getFilterLogs',
    'eth_getHeaderByNumber',
    'eth_getPendingTransactions',
    'eth_getRawTransactionByBlockNumberAndIndex',
    'eth_getRawTransactionByHash',
    'eth_getStorageAt',
    'eth_getStorageValues',
    'eth_getTransactionByBlockNumberAndIndex',
    'eth_getTransactionByHash',
    'eth_getTransactionBySenderAndNonce',
    'eth_getTransactionCount',
    'eth_newBlockFilter',
    'eth_newFilter',
    'eth_newPendingTransactionFilter',
    'eth_pendingTransactions',
    'eth_requestAccounts',
    'eth_uninstallFilter',
    'ots_hasCode',
    'txpool_content',
    'txpool_contentFrom',
    'txpool_inspect',
    'txpool_status',
  ])
  expect([...development].filter((name) => !names.includes(name))).toEqual([])
})

test('a worker forwards a method of a block only at the block that the pool determines', async () => {
  const asked: unknown[] = []
  const { eth_call: call, eth_getBalance: balance } = forwardedMethods(
    async (_, params) => JSON.stringify(asked.push(params)),
    false,
  )
  const here = { signal: () => new AbortController().signal } as RpcCall
  await call!.run(here, [{}, 'pending'])
  await balance!.run(here, ['0x', { blockNumber: 'pending' }])
  expect(() => balance!.run(here, ['0x', 'latest'])).toThrow('invalid argument 0')
  expect(asked).toEqual([
    [{}, 'pending'],
    ['0x', { blockNumber: 'pending' }],
  ])
})
