import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recorded } from '../../../../test/support/anvil/recorded.ts'
import { FACTORY, FORWARDER, REVERTER, wordOf } from '../../../../test/support/small-contracts.ts'
import { createAddress } from '../../../evm/contract-address.ts'
import { startNode } from '../../../node/start.ts'
import { formatHex0x, hex } from '../../../primitives/bytes.ts'

type Json = Record<string, never>

const DEAD = '0x000000000000000000000000000000000000dead'
const FRESH = '0x00000000000000000000000000000000f4e54000'

const chain = () => startNode({ ports: false })
let node: Awaited<ReturnType<typeof chain>>
const made: Record<'forwarder' | 'factory' | 'reverter', string> = { forwarder: '', factory: '', reverter: '' }

const ask = <T = Json>(method: string, ...params: readonly unknown[]): Promise<T> =>
  node.rpc(method, ...params) as Promise<T>
const from = (index: number): string => node.accounts[index]!.address.toLowerCase()

async function send(index: number, tx: object): Promise<{ hash: string; receipt: Record<string, string> }> {
  const hash = (await node.rpc('eth_sendTransaction', { from: from(index), gas: '0x30d40', ...tx })) as string
  return { hash, receipt: await ask('eth_getTransactionReceipt', hash) }
}

beforeAll(async () => {
  node = await chain()
  for (const [name, data] of Object.entries({ forwarder: FORWARDER, factory: FACTORY, reverter: REVERTER })) {
    made[name as keyof typeof made] = (await send(0, { data })).receipt['contractAddress']!
  }
})
afterAll(() => node.stop())

test('the level and the header with which Otterscan begins, and whether an address has code', async () => {
  expect(await ask('ots_getApiLevel')).toBe(8)
  expect(await ask('erigon_getHeaderByNumber', 1)).toEqual(await ask('eth_getHeaderByNumber', '0x1'))
  expect(await ask('ots_hasCode', made.factory, 'latest')).toBe(true)
  expect(await ask('ots_hasCode', made.factory, 1)).toBe(false)
  expect(await ask('ots_hasCode', from(0), 'latest')).toBe(false)
})

test('a transaction has its calls, its internal operations and its error', async () => {
  const paid = await send(1, { to: made.forwarder, value: '0x7', data: wordOf(DEAD) })
  expect(await ask('ots_traceTransaction', paid.hash)).toEqual([
    { type: 'CALL', depth: 0, from: from(1), to: made.forwarder, value: '0x7', input: wordOf(DEAD), output: '0x' },
    { type: 'CALL', depth: 1, from: made.forwarder, to: DEAD, value: '0x7', input: '0x', output: '0x' },
  ])
  expect(await ask('ots_getInternalOperations', paid.hash)).toEqual([
    { type: 0, from: made.forwarder, to: DEAD, value: '0x7' },
  ])
  expect(await ask('ots_getTransactionError', paid.hash)).toBe('0x')
  const refused = await send(1, { to: made.reverter, data: '0x08c379a0' })
  expect(refused.receipt['status']).toBe('0x0')
  expect(await ask('ots_getTransactionError', refused.hash)).toBe('0x08c379a0')
  expect(await ask('ots_getInternalOperations', refused.hash)).toEqual([])
  await expect(ask('ots_traceTransaction', `0x${'0'.repeat(64)}`)).rejects.toThrow('not found')
})

test('a block has its fees and its transactions page by page, without long fields', async () => {
  const first = await send(2, { to: DEAD, value: '0x1', data: '0x1122334455' })
  const { blockNumber, blockHash, gasUsed, effectiveGasPrice } = first.receipt as Record<string, string>
  const whole = await ask('eth_getBlockByNumber', blockNumber, false)
  const details = await ask('ots_getBlockDetails', blockNumber)
  const { transactions: _, ...fields } = whole
  expect(details).toEqual({
    block: { ...fields, logsBloom: null, transactionCount: '0x1' },
    issuance: { blockReward: '0x0', uncleReward: '0x0', issuance: '0x0' },
    totalFees: `0x${(BigInt(gasUsed!) * BigInt(effectiveGasPrice!)).toString(16)}`,
  })
  expect(await ask('ots_getBlockDetailsByHash', blockHash)).toEqual(details)
  expect(await ask('ots_getBlockDetails', '0xffffff')).toBeNull()
  const page = await ask('ots_getBlockTransactions', Number(blockNumber), 0, 10)
  expect(page['fullblock']).toMatchObject({
    transactionCount: '0x1',
    transactions: [{ hash: first.hash, input: '0x11223344' }],
  })
  expect(page['receipts']).toMatchObject([{ transactionHash: first.hash, logs: null, logsBloom: null, status: '0x1' }])
  expect(await ask('ots_getBlockTransactions', blockNumber, 1, 10)).toMatchObject({ receipts: [] })
  await expect(ask('ots_getBlockTransactions', blockNumber, 0, 5000)).rejects.toThrow(
    'a page has 1 to 1000 transactions',
  )
})

test('pages of a block begin with its last transactions', async () => {
  await node.rpc('evm_setAutomine', false)
  const hashes: unknown[] = []
  for (let nonce = 0; nonce < 5; nonce++) {
    hashes.push(
      await node.rpc('eth_sendTransaction', {
        from: from(3),
        to: DEAD,
        value: '0x1',
        gas: '0x5208',
        nonce: `0x${nonce}`,
      }),
    )
  }
  await node.rpc('evm_mine')
  await node.rpc('evm_setAutomine', true)
  const pageOf = async (page: number) => {
    const { fullblock } = await ask<{ fullblock: { transactions: Json[] } }>(
      'ots_getBlockTransactions',
      'latest',
      page,
      2,
    )
    return fullblock.transactions.map(({ hash }) => hash)
  }
  expect([await pageOf(0), await pageOf(1), await pageOf(2), await pageOf(3)]).toEqual([
    hashes.slice(3),
    hashes.slice(1, 3),
    hashes.slice(0, 1),
    [],
  ])
})

interface Page {
  readonly txs: readonly { readonly hash: string; readonly blockNumber: string }[]
  readonly receipts: readonly { readonly transactionHash: string; readonly timestamp: string }[]
  readonly firstPage: boolean
  readonly lastPage: boolean
}
const search = (direction: 'Before' | 'After', who: string, block: number, size: number) =>
  ask<Page>(`ots_searchTransactions${direction}`, who, block, size)

test('an account is found as sender, receiver and inside other calls, in pages of both directions', async () => {
  const sent: string[] = []
  for (let i = 0; i < 3; i++) {
    sent.push((await send(4, { to: made.forwarder, value: '0x1', data: wordOf(FRESH) })).hash)
    await send(5, { to: DEAD, value: '0x1' })
  }
  sent.push((await send(6, { to: FRESH, value: '0x1' })).hash)
  const newest = sent.toReversed()
  const all = await search('Before', FRESH, 0, 25)
  expect(all.txs.map(({ hash }) => hash)).toEqual(newest)
  expect(all.receipts.map(({ transactionHash }) => transactionHash)).toEqual(newest)
  expect(all.receipts[0]!.timestamp).toMatch(/^0x/)
  expect(all).toMatchObject({ firstPage: true, lastPage: true })

  const second = await search('Before', FRESH, Number(all.txs[1]!.blockNumber), 1)
  expect(second.txs.map(({ hash }) => hash)).toEqual([newest[2]])
  expect(second).toMatchObject({ firstPage: false, lastPage: false })
  const oldest = await search('After', FRESH, 0, 2)
  expect(oldest.txs.map(({ hash }) => hash)).toEqual([sent[1], sent[0]])
  expect(oldest).toMatchObject({ firstPage: false, lastPage: true })
  const later = await search('After', FRESH, Number(oldest.txs[0]!.blockNumber), 25)
  expect(later.txs.map(({ hash }) => hash)).toEqual([sent[3], sent[2]])
  expect(later).toMatchObject({ firstPage: true, lastPage: false })
  expect((await search('Before', from(4), 0, 25)).txs).toHaveLength(3)
  expect(await search('Before', `0x${'77'.repeat(20)}`, 0, 25)).toEqual({
    txs: [],
    receipts: [],
    firstPage: true,
    lastPage: true,
  })
})

test('a transaction is found by sender and nonce, and a contract by its creation, also inside a call', async () => {
  const { hash } = await send(7, { to: made.factory })
  expect(await ask('ots_getTransactionBySenderAndNonce', from(7), 0)).toBe(hash)
  expect(await ask('ots_getTransactionBySenderAndNonce', from(7), 1)).toBeNull()
  const inner = formatHex0x(createAddress(hex(made.factory.slice(2)), 1n))
  await send(7, { to: made.factory })
  expect(await ask('ots_getContractCreator', inner)).toEqual({ hash, creator: made.factory })
  expect(await ask('ots_getContractCreator', made.factory)).toMatchObject({ creator: from(0) })
  expect(await ask('ots_getContractCreator', from(7))).toBeNull()
})

test('a search that runs out of time without a match names the block to go on with', async () => {
  await using slow = await startNode({ ports: false, evm: { timeout: '1ms' } })
  const { address } = slow.accounts[0]!
  for (let i = 0; i < 3; i++) await slow.rpc('eth_sendTransaction', { from: address, data: FACTORY, gas: '0x30d40' })
  await expect(slow.rpc('ots_searchTransactionsBefore', FRESH, 0, 5)).rejects.toThrow(
    /the time ended at block \d+; no transaction was found in the blocks above it\. Go on with block \d+/,
  )
})

test('in blocks of a loaded dump, which this chain did not execute, senders and receivers are found', async () => {
  await using loaded = await startNode({ ports: false, chain: { evmChainId: 31_337n } })
  await loaded.rpc('anvil_loadState', `0x${gzipSync(JSON.stringify(recorded.state)).toString('hex')}`)
  const sent = recorded.blocks.map(({ transactions: [tx] }) => tx as unknown as { from: string; hash: string })
  const { from: sender } = sent[0]!
  const wanted = sent.filter((tx) => tx.from === sender).map(({ hash }) => hash)
  const { txs, lastPage } = (await loaded.rpc('ots_searchTransactionsBefore', sender, 0, 25)) as Page
  expect(txs.map(({ hash }) => hash)).toEqual(wanted.toReversed())
  expect(lastPage).toBe(true)
  for (const [i, hash] of wanted.entries()) {
    expect(await loaded.rpc('ots_getTransactionBySenderAndNonce', sender, i)).toBe(hash)
  }
})
