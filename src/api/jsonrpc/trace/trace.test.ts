import { afterAll, beforeAll, expect, test } from 'vitest'
import { FACTORY, FORWARDER, REVERTER, wordOf } from '../../../../test/support/small-contracts.ts'
import { startNode } from '../../../node/start.ts'

type Json = Record<string, unknown>

const DEAD = '0x000000000000000000000000000000000000dead'
const FRESH = `0x${'f5'.repeat(20)}`
const PRICE = '0xe8d4a51000'

const chain = () => startNode({ ports: false })
let node: Awaited<ReturnType<typeof chain>>
const made = { forwarder: '', factory: '', reverter: '' }

const ask = <T = Json>(method: string, ...params: readonly unknown[]): Promise<T> =>
  node.rpc(method, ...params) as Promise<T>
const from = (index: number): string => node.accounts[index]!.address.toLowerCase()

interface Receipt {
  readonly transactionHash: string
  readonly blockNumber: string
  readonly blockHash: string
  readonly contractAddress: string
  readonly gasUsed: string
}

async function send(index: number, tx: object): Promise<Receipt> {
  const hash = await node.rpc('eth_sendTransaction', { from: from(index), gas: '0x30d40', gasPrice: PRICE, ...tx })
  return ask<Receipt>('eth_getTransactionReceipt', hash)
}

/** Two transactions in one block: one that forwards a value, and one that reverts. */
let busy: Receipt[]

beforeAll(async () => {
  node = await chain()
  for (const [name, data] of Object.entries({ forwarder: FORWARDER, factory: FACTORY, reverter: REVERTER })) {
    made[name as keyof typeof made] = (await send(0, { data })).contractAddress
  }
  await node.rpc('evm_setAutomine', false)
  const rich = { gas: '0x30d40', gasPrice: '0x1d1a94a2000' }
  const hashes = [
    await node.rpc('eth_sendTransaction', {
      from: from(1),
      to: made.forwarder,
      value: '0x7',
      data: wordOf(DEAD),
      ...rich,
    }),
    await node.rpc('eth_sendTransaction', {
      from: from(2),
      to: made.reverter,
      data: '0x1234',
      gas: '0x30d40',
      gasPrice: PRICE,
    }),
  ]
  await node.rpc('evm_mine')
  await node.rpc('evm_setAutomine', true)
  busy = await Promise.all(hashes.map((hash) => ask<Receipt>('eth_getTransactionReceipt', hash)))
})
afterAll(() => node.stop())

test('a block and a transaction have their calls with their place; one call is read by its path', async () => {
  const [paid, refused] = busy as [Receipt, Receipt]
  const traces = await ask<Json[]>('trace_block', paid.blockNumber)
  const place = { blockHash: paid.blockHash, blockNumber: Number(paid.blockNumber) }
  const first = { ...place, transactionHash: paid.transactionHash, transactionPosition: 0 }
  expect(traces).toEqual([
    {
      ...first,
      action: {
        callType: 'call',
        from: from(1),
        gas: expect.any(String),
        input: wordOf(DEAD),
        to: made.forwarder,
        value: '0x7',
      },
      result: { gasUsed: expect.any(String), output: '0x' },
      subtraces: 1,
      traceAddress: [],
      type: 'call',
    },
    {
      ...first,
      action: { callType: 'call', from: made.forwarder, gas: expect.any(String), input: '0x', to: DEAD, value: '0x7' },
      result: { gasUsed: '0x0', output: '0x' },
      subtraces: 0,
      traceAddress: [0],
      type: 'call',
    },
    {
      ...place,
      transactionHash: refused.transactionHash,
      transactionPosition: 1,
      action: expect.objectContaining({ from: from(2), to: made.reverter }),
      error: 'Reverted',
      result: expect.objectContaining({ output: '0x1234' }),
      subtraces: 0,
      traceAddress: [],
      type: 'call',
    },
  ])
  expect(await ask('trace_block', { blockHash: paid.blockHash })).toEqual(traces)
  expect(await ask('trace_transaction', paid.transactionHash)).toEqual(traces.slice(0, 2))
  expect(await ask('trace_get', paid.transactionHash, ['0x0'])).toEqual(traces[1])
  expect(await ask('trace_get', paid.transactionHash, [])).toEqual(traces[0])
  expect(await ask('trace_get', paid.transactionHash, [0, 3])).toBeNull()
  await expect(ask('trace_get', paid.transactionHash, [-1])).rejects.toThrow('invalid argument 1')
  expect(await ask('trace_transaction', `0x${'0'.repeat(64)}`)).toBeNull()
  expect(await ask('trace_block', '0xffffff')).toBeNull()
  expect(await ask('trace_block', '0x0')).toEqual([])
})

test('a replay of a transaction tells the balances before and after it', async () => {
  const [paid] = busy as [Receipt]
  const before = `0x${(BigInt(paid.blockNumber) - 1n).toString(16)}`
  const changed = async (who: string) => ({
    '*': { from: await ask('eth_getBalance', who, before), to: await ask('eth_getBalance', who, paid.blockNumber) },
  })
  const { stateDiff, trace, vmTrace, output } = await ask('trace_replayTransaction', paid.transactionHash, [
    'stateDiff',
    'trace',
  ])
  expect(stateDiff).toEqual({
    [from(1)]: { balance: await changed(from(1)), code: '=', nonce: { '*': { from: '0x0', to: '0x1' } }, storage: {} },
    [DEAD]: { balance: { '+': '0x7' }, code: { '+': '0x' }, nonce: { '+': '0x0' }, storage: {} },
  })
  expect(trace).toHaveLength(2)
  expect((trace as Json[])[0]).not.toHaveProperty('transactionHash')
  expect([vmTrace, output]).toEqual([null, '0x'])
  const block = await ask<Json[]>('trace_replayBlockTransactions', paid.blockNumber, ['vmTrace'])
  expect(block.map((one) => one['transactionHash'])).toEqual(busy.map((one) => one.transactionHash))
  expect(block[1]).toMatchObject({ output: '0x1234', stateDiff: null, trace: [], vmTrace: { ops: expect.any(Array) } })
  const { code, ops } = block[0]!['vmTrace'] as { code: string; ops: Json[] }
  expect(code).toBe(await ask('eth_getCode', made.forwarder, 'latest'))
  expect(ops.map(({ op }) => op)).toContain('CALL')
  await expect(ask('trace_replayTransaction', `0x${'0'.repeat(64)}`, [])).rejects.toThrow('not found')
})

test('a call is traced without being sent, with overrides, and calls in a row see each other', async () => {
  const args = { from: from(3), to: made.forwarder, value: '0x9', data: wordOf(FRESH) }
  const { trace, stateDiff } = await ask('trace_call', args, ['trace', 'stateDiff'], 'latest')
  expect(trace).toMatchObject([{ subtraces: 1 }, { action: { to: FRESH, value: '0x9' } }])
  expect(stateDiff).toMatchObject({ [FRESH]: { balance: { '+': '0x9' } } })
  expect(await ask('eth_getBalance', FRESH, 'latest')).toBe('0x0')
  const replaced = await ask('trace_call', { to: made.forwarder }, [], 'latest', {
    [made.forwarder]: { code: '0x602a5f5260205ff3' },
  })
  expect(replaced).toEqual({ output: `0x${'2a'.padStart(64, '0')}`, stateDiff: null, trace: [], vmTrace: null })
  const reverted = await ask('trace_call', { to: made.reverter, data: '0xabcd' }, ['trace'])
  expect(reverted).toMatchObject({ output: '0xabcd', trace: [{ error: 'Reverted' }] })

  const plain = { from: from(3), to: FRESH, value: '0x1' }
  const many = await ask<Json[]>(
    'trace_callMany',
    [
      [plain, ['stateDiff']],
      [plain, ['stateDiff']],
      [plain, ['trace']],
    ],
    'latest',
  )
  const diffs = many.map((one) => one['stateDiff'] as Json | null)
  expect(diffs[0]![FRESH]).toMatchObject({ balance: { '+': '0x1' } })
  expect(diffs[1]![FRESH]).toMatchObject({ balance: { '*': { from: '0x1', to: '0x2' } } })
  expect(many[2]).toMatchObject({ stateDiff: null, trace: [{ action: { to: FRESH } }] })
  await expect(ask('trace_call', args, ['everything'])).rejects.toThrow(
    '"everything" is not one of trace, stateDiff, vmTrace',
  )
  await expect(ask('trace_callMany', [[args]])).rejects.toThrow('call 0 is not a pair')
})

test('a signed transaction is traced without being sent', async () => {
  const tx = { from: from(4), to: made.factory, gas: '0x30d40', gasPrice: PRICE, nonce: '0x0' }
  const { raw } = await ask<{ raw: string }>('eth_signTransaction', tx)
  const { trace, stateDiff } = await ask('trace_rawTransaction', raw, ['trace', 'stateDiff'])
  expect(trace).toMatchObject([{ action: { from: from(4) } }, { type: 'create', action: { creationMethod: 'create' } }])
  const created = ((trace as Json[])[1]!['result'] as { address: string }).address
  expect(stateDiff).toMatchObject({ [created]: { code: { '+': '0x00' }, nonce: { '+': '0x1' } } })
  expect(await ask('eth_getTransactionCount', from(4), 'pending')).toBe('0x0')
})

test('traces are found by account in a range, counted, and passed over', async () => {
  const paths = async (filter: Json) =>
    (await ask<Json[]>('trace_filter', filter)).map((one) => [one['transactionHash'], one['traceAddress']])
  const [paid, refused] = busy.map((one) => one.transactionHash) as [string, string]
  expect(await paths({ toAddress: [DEAD] })).toEqual([[paid, [0]]])
  expect(await paths({ fromAddress: [from(1), from(2)] })).toEqual([
    [paid, []],
    [refused, []],
  ])
  expect(await paths({ fromAddress: [from(2)], toAddress: [DEAD] })).toEqual([
    [paid, [0]],
    [refused, []],
  ])
  expect(await paths({ fromAddress: [from(2)], toAddress: [DEAD], mode: 'intersection' })).toEqual([])
  const block = busy[0]!.blockNumber
  const within = { fromBlock: block, toBlock: block }
  expect(await paths(within)).toHaveLength(3)
  expect(await paths({ ...within, after: 1, count: 1 })).toEqual([[paid, [0]]])
  expect(await paths({ ...within, count: '0x0' })).toEqual([])
  expect(await paths({ fromBlock: '0xffff', toBlock: '0xfffff' })).toEqual([])
  await expect(ask('trace_filter', { fromBlock: 'latest', toBlock: '0x1' })).rejects.toThrow(
    'invalid block range params',
  )
  await expect(ask('trace_filter', { mode: 'both' })).rejects.toThrow('mode "both" is neither')
})

test('a search that takes too long names the range that it covered', async () => {
  await using slow = await startNode({ ports: false, evm: { timeout: '1ms' } })
  const { address } = slow.accounts[0]!
  for (let i = 0; i < 3; i++) await slow.rpc('eth_sendTransaction', { from: address, data: FACTORY, gas: '0x30d40' })
  await expect(slow.rpc('trace_filter', {})).rejects.toThrow(
    /query timed out(\. Try with this block range| in block 0x)/,
  )
})
