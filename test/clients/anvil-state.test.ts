/** Dumps of anvil 1.7.1 in this chain, and dumps of this chain in the form that anvil reads. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { createTestClient, custom, publicActions, walletActions } from 'viem'
import { expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { type Json, recorded } from '../support/anvil/recorded.ts'

const RECIPIENT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const IMPERSONATED = '0x00000000000000000000000000000000000000bb'

async function open(initialHeight = 1n) {
  const node = await startNode({ ports: false, chain: { evmChainId: 31_337n, initialHeight } })
  const client = createTestClient({ mode: 'anvil', transport: custom(node.provider), cacheTime: 0 })
    .extend(publicActions)
    .extend(walletActions)
  return { node, client, [Symbol.asyncDispose]: () => node.stop() }
}

const pack = (state: unknown): string => `0x${gzipSync(JSON.stringify(state)).toString('hex')}`
const unpack = (dump: unknown) =>
  JSON.parse(gunzipSync(Buffer.from((dump as string).slice(2), 'hex')).toString()) as typeof recorded.state

/** Returns an object without some of its fields. */
const without = (object: unknown, ...names: readonly string[]): Json =>
  Object.fromEntries(Object.entries(object as Json).filter(([name]) => !names.includes(name)))

/** The signature of an impersonated sender: zeros in anvil, the sender here. */
const SIGNATURE = ['r', 's']

test('a dump of anvil is loaded with its blocks, transactions, receipts, logs and the states of each block', async () => {
  await using chain = await open()
  const { node } = chain
  await node.nextBlock()
  expect(await node.rpc('anvil_loadState', pack(recorded.state))).toBe(true)
  expect(await node.rpc('eth_blockNumber')).toBe('0x8')
  for (const block of recorded.blocks) {
    const own = await node.rpc<Json>('eth_getBlockByNumber', block.number, true)
    // State roots and sizes are those of this chain's records, and block 0 is its own.
    const differing = ['stateRoot', 'size', 'transactions', ...(block.number === '0x1' ? ['parentHash'] : [])]
    const isImpersonated = block.number === '0x8'
    if (isImpersonated) differing.push('transactionsRoot')
    expect(without(own, ...differing)).toEqual(without(block, ...differing))
    const [tx] = block.transactions
    const dropped = isImpersonated ? SIGNATURE : []
    const mined = await node.rpc('eth_getTransactionByHash', tx!.hash)
    expect(without(mined, ...dropped)).toEqual(without(tx, ...dropped))
    expect(await node.rpc('eth_getBlockByHash', block.hash, false)).toMatchObject({ transactions: [tx!.hash] })
  }
  for (const receipt of recorded.receipts) {
    const own = await node.rpc('eth_getTransactionReceipt', receipt.transactionHash)
    expect(own).toEqual(without(receipt, 'blobGasPrice', 'blockTimestamp'))
  }
  expect(await node.rpc('eth_getLogs', { fromBlock: '0x0' })).toEqual(recorded.logs)
  for (const [address, balances] of Object.entries(recorded.balances)) {
    const own = await Promise.all(
      balances.map((_, i) => node.rpc('eth_getBalance', address, `0x${(i + 1).toString(16)}`)),
    )
    expect(own).toEqual(balances)
  }
})

test('a chain goes on after a dump: it is searched, built on, and returned to', async () => {
  await using chain = await open()
  const { node, client } = chain
  await node.rpc('anvil_loadState', pack({ ...recorded.state, historical_states: null }))
  const id = await client.snapshot()
  const hash = await client.sendTransaction({
    account: node.accounts[0]!.address as `0x${string}`,
    to: RECIPIENT,
    value: 1n,
    chain: null,
  })
  const { blockNumber, status } = await client.getTransactionReceipt({ hash })
  expect([blockNumber, status]).toEqual([9n, 'success'])
  // BLOCKHASH of a loaded block: PUSH1 5 BLOCKHASH PUSH1 0 MSTORE PUSH1 32 PUSH1 0 RETURN.
  const code = await client.call({ data: '0x60054060005260206000f3' })
  expect(code.data).toBe(recorded.blocks[4]!.hash)
  const failed = recorded.receipts.find((receipt) => receipt['status'] === '0x0')!
  const found = await node.query(
    `/sdk/tx/v1beta1/txs?query=${encodeURIComponent(`chain.evm.v1.EventEthereumTx.eth_hash='"${failed.transactionHash}"'`)}`,
  )
  expect(found).toMatchObject({ total: '1', tx_responses: [{ height: '6' }] })
  await client.revert({ id })
  expect(await client.getBlockNumber()).toBe(8n)
  await node.rpc('anvil_reset')
  expect(await client.getBlockNumber()).toBe(1n)
  expect(
    await client.getTransactionReceipt({ hash: recorded.receipts[0]!.transactionHash as `0x${string}` }),
  ).toMatchObject({ blockNumber: 1n })
})

test('a dump of this chain is loaded with its hashes, and only the blocks that differ change', async () => {
  await using first = await open()
  await using second = await open()
  const { client, node } = first
  const account = node.accounts[0]!.address as `0x${string}`
  await client.impersonateAccount({ address: IMPERSONATED })
  await client.setBalance({ address: IMPERSONATED, value: 10n ** 18n })
  const sent = [
    await client.sendTransaction({ account, to: RECIPIENT, value: 1n, chain: null }),
    await client.sendTransaction({ account: IMPERSONATED, to: RECIPIENT, value: 2n, chain: null, gas: 100_000n }),
    // The creation reverts with two bytes.
    await client.sendTransaction({
      account,
      data: '0x61beef6000526002601efd',
      chain: null,
      gas: 200_000n,
    }),
  ]
  const dump = (await node.rpc('anvil_dumpState')) as string
  await second.node.rpc('hardhat_loadState', dump)
  for (const hash of sent) {
    const ask = (from: typeof first) => from.node.rpc('eth_getTransactionReceipt', hash)
    expect(await ask(second)).toEqual(await ask(first))
  }
  const latest = await client.getBlockNumber()
  expect(await second.client.getBlockNumber()).toBe(latest)
  // Later blocks go, and those of the dump stay as they are.
  const kept = await client.getBlock({ blockNumber: latest })
  await client.sendTransaction({ account, to: RECIPIENT, value: 5n, chain: null })
  await node.rpc('anvil_loadState', dump)
  expect(await client.getBlock()).toEqual(kept)
  expect(await client.getTransactionCount({ address: account })).toBe(2)
})

test('blocks before those of a dump are empty, but not very many', async () => {
  await using later = await open(50n)
  await using far = await open(20_000n)
  await using chain = await open()
  const account = later.node.accounts[0]!.address as `0x${string}`
  const hash = await later.client.sendTransaction({ account, to: RECIPIENT, value: 7n, chain: null })
  await chain.node.rpc('anvil_loadState', await later.node.rpc('anvil_dumpState'))
  expect(await chain.client.getBlockNumber()).toBe(51n)
  expect((await chain.client.getBlock({ blockNumber: 30n })).transactions).toEqual([])
  expect(await chain.client.getTransactionReceipt({ hash })).toEqual(await later.client.getTransactionReceipt({ hash }))
  await expect(chain.node.rpc('anvil_loadState', await far.node.rpc('anvil_dumpState'))).rejects.toThrow(
    'the blocks of the state begin at 20000, and this chain is at 51: start a chain at that height (almanac dev --number 20000)',
  )
})

test('a dump with the states of older blocks has them in the form of anvil, and restores them', async () => {
  await using first = await open()
  await using second = await open()
  await first.node.rpc('anvil_loadState', pack(recorded.state))
  const dump = await first.node.rpc('anvil_dumpState', true)
  const own = unpack(dump).historical_states as readonly (readonly [string, HistoricalState])[]
  const theirs = recorded.state.historical_states as readonly (readonly [string, HistoricalState])[]
  // Block 0 has no state of its own here, and the newest is in `accounts`.
  expect(own).toHaveLength(7)
  const [, wanted] = theirs.find(([hash]) => hash === recorded.blocks[6]!.hash)!
  for (const [address, account] of Object.entries(wanted.accounts)) {
    expect(codeOf(own[6]![1].accounts[address])).toEqual(codeOf(account))
  }
  const sent = recorded.state.accounts[RECIPIENT.toLowerCase()] as { code: string }
  expect(sent.code).toMatch(/^0xef0100/)
  await second.node.rpc('anvil_loadState', dump)
  for (const [address, balances] of Object.entries(recorded.balances)) {
    for (const [i, balance] of balances.entries()) {
      expect(await second.node.rpc('eth_getBalance', address, `0x${(i + 1).toString(16)}`)).toBe(balance)
    }
  }
})

test('blocks of a dump are traced if it has the states before them, and refused with the reason otherwise', async () => {
  await using whole = await open()
  await whole.node.rpc('anvil_loadState', pack(recorded.state))
  await using bare = await open()
  await bare.node.rpc('anvil_loadState', pack({ ...recorded.state, historical_states: null }))
  for (const { transactionHash, gasUsed } of recorded.receipts.slice(1, 7)) {
    const traced = await whole.node.rpc('debug_traceTransaction', transactionHash, { tracer: 'callTracer' })
    expect(traced).toMatchObject({ gasUsed })
    for (const [method, ...options] of [['debug_traceTransaction', {}], ['trace_transaction']] as const) {
      await expect(bare.node.rpc(method, transactionHash, ...options)).rejects.toThrow(
        /^block \d+ comes from a loaded dump and does not run again on the state before it: only a dump made with --pres/,
      )
    }
  }
  const { transactionHash: ofImpersonated, from, gasUsed } = recorded.receipts[7]!
  const again = await whole.node.rpc('debug_traceTransaction', ofImpersonated, { tracer: 'callTracer' })
  expect(again).toMatchObject({ from, gasUsed })
  await expect(whole.node.rpc('eth_sendTransaction', { from, to: RECIPIENT })).rejects.toThrow('unknown account')
  const { transactionHash: first } = recorded.receipts[0]!
  for (const [method, ...params] of [
    ['debug_traceTransaction', first],
    ['trace_transaction', first],
    ['ots_traceTransaction', first],
    ['trace_block', '0x1'],
    ['trace_filter', {}],
  ] as const) {
    await expect(whole.node.rpc(method, ...params)).rejects.toThrow(
      'block 1 comes from a loaded dump, and this chain has no state before it',
    )
  }
  expect(await whole.node.rpc('trace_filter', { fromBlock: '0x2' })).not.toEqual([])
})

interface HistoricalState {
  readonly accounts: Readonly<Record<string, Json>>
}

/** Returns an account of a historical state with its code as far as it counts: anvil pads it as needed, this chain always. */
function codeOf(account: Json | undefined): Json {
  const { LegacyAnalyzed: analysed, ...other } = account!['code'] as { LegacyAnalyzed?: Json }
  if (!analysed) return { ...account, code: other }
  const {
    bytecode,
    original_len: length,
    jump_table: table,
  } = analysed as {
    bytecode: string
    original_len: number
    jump_table: Json
  }
  return { ...account, code: { bytes: bytecode.slice(0, 2 + 2 * length), length, table } }
}

/** Returns the paths of all fields of a value; items of lists and keys that are hashes or addresses count once. */
function fieldsOf(value: unknown, path = ''): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, inner]) => fieldsOf(inner, `${path}.${name.replace(/^0x.*/, '*')}`))
}

test('a dump of this chain has the fields of anvil, and restores the transactions of an impersonated sender for it', async () => {
  await using chain = await open()
  const { node } = chain
  await node.rpc('anvil_loadState', pack({ ...recorded.state, historical_states: null }))
  const own = unpack(await node.rpc('anvil_dumpState'))
  const wanted = { ...recorded.state, historical_states: null }
  const present = new Set(fieldsOf(own))
  expect(fieldsOf(wanted).filter((path) => !present.has(path))).toEqual([])
  const byHash = (state: typeof own) =>
    new Map(state.transactions.map((one) => [(one['info'] as Json)['transaction_hash'] as string, one]))
  const ours = byHash(own)
  for (const [hash, theirs] of byHash(wanted)) {
    const { info, receipt } = ours.get(hash)! as { info: Json; receipt: Json }
    expect(receipt).toEqual(theirs['receipt'])
    expect(without(info, 'traces', 'out')).toEqual(without(theirs['info'], 'traces', 'out'))
  }
  const bodies = (state: typeof own) =>
    state.blocks
      .flatMap(({ transactions }) => transactions.map((tx) => JSON.stringify(without(tx['transaction'], 'hash'))))
      .sort()
  const sorted = (state: typeof own) => bodies(state).map((text) => Object.entries(JSON.parse(text) as Json).sort())
  expect(sorted(own)).toEqual(sorted(wanted))
  expect(own.accounts).toMatchObject({ [RECIPIENT.toLowerCase()]: wanted.accounts[RECIPIENT.toLowerCase()] })
})

test.each<readonly [string, (state: Json) => unknown, string]>([
  [
    'no accounts',
    (state) => without(state, 'accounts'),
    'accounts is absent: it must be an object of accounts by address',
  ],
  [
    'a wrong balance',
    (state) => ({ ...state, accounts: { [RECIPIENT]: { balance: '-1' } } }),
    `accounts.${RECIPIENT}.balance is "-1": it must be a number of at most 256 bits`,
  ],
  [
    'a blob transaction',
    (state) => {
      const [block, ...others] = recorded.state.blocks.filter(({ transactions }) => transactions.length > 0)
      const [tx] = block!.transactions
      const blob = { ...tx, transaction: { ...(tx!['transaction'] as Json), type: '0x3' } }
      const genesis = recorded.state.blocks.filter(({ transactions }) => transactions.length === 0)
      return { ...state, blocks: [{ ...block, transactions: [blob] }, ...others, ...genesis] }
    },
    'blocks[0].transactions[0].transaction.type is "0x3": it must be 0x0, 0x1, 0x2 or 0x4: this chain has no other types, such as blob transactions',
  ],
  [
    'a best block that is not there',
    (state) => ({ ...state, best_block_number: 99 }),
    'best_block_number is 99: it must be the number of one of the blocks',
  ],
])('%s: the error names the field, and nothing changes', async (_, change, message) => {
  await using chain = await open()
  const { node } = chain
  const before = await node.rpc('eth_getBlockByNumber', 'latest', false)
  await expect(node.rpc('anvil_loadState', pack(change(recorded.state)))).rejects.toThrow(message)
  expect(await node.rpc('eth_getBlockByNumber', 'latest', false)).toEqual(before)
})
