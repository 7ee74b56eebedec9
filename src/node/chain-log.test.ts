import { coins, DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { SigningStargateClient } from '@cosmjs/stargate'
import { expect, test } from 'vitest'
import type { NodeLogs } from './log-records.ts'
import { startNode } from './start.ts'

const RECIPIENT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
/** Reverts with `Error("too low")`. */
const REVERTS = `0x${[
  '7f08c379a000000000000000000000000000000000000000000000000000000000600052', // the selector
  '60206004526007602452', // offset and length of the text
  '7f746f6f206c6f77000000000000000000000000000000000000000000000000006044526064', // the text
  '6000fd',
].join('')}`
/** Reverts with four bytes, the selector of a custom error. */
const REVERTS_CUSTOM = '0x63deadbeef60e01b60005260046000fd'

const open = (requests = false) => startNode({ ports: false, log: { chain: true, requests } })

const records = (logs: NodeLogs, ...messages: readonly string[]) =>
  logs.recent.filter(({ message }) => messages.includes(message)).map(({ message, fields }) => ({ message, ...fields }))

test('each transaction and each block is one record', async () => {
  await using node = await open()
  const from = node.accounts[0]!.address
  const send = (call: object) => node.rpc<string>('eth_sendTransaction', { from, gas: '0x30000', ...call })
  const transfer = await send({ to: RECIPIENT, value: '0x1' })
  const creation = await send({ data: '0x600a600c600039600a6000f3' })
  const failed = await send({ data: REVERTS })
  const custom = await send({ data: REVERTS_CUSTOM })
  const receipt = await node.rpc<{ contractAddress: string }>('eth_getTransactionReceipt', creation)
  const seen = records(node.logs, 'transaction', 'block')
  const transactions = seen.filter(({ message }) => message === 'transaction')
  expect(transactions).toEqual([
    { message: 'transaction', hash: transfer, from, to: RECIPIENT, gas: 21_000n, block: 2n },
    expect.objectContaining({ hash: creation, block: 3n }),
    expect.objectContaining({ hash: failed, failed: 'execution reverted: too low', block: 4n }),
    expect.objectContaining({ hash: custom, failed: 'execution reverted: custom error 0xdeadbeef', block: 5n }),
  ])
  const { created } = transactions[1] as unknown as { created: string }
  expect(created.toLowerCase()).toBe(receipt.contractAddress)
  const { hash } = await node.rpc<{ hash: string }>('eth_getBlockByNumber', '0x2', false)
  expect(seen[1]).toEqual({ message: 'block', height: 2n, hash, txs: 1, gas: 21_000n })
})

test('a transaction of the chain has its messages, and the text of its failure', async () => {
  await using node = await startNode({ ports: false, log: { chain: true }, feeder: { enabled: true } })
  await expect
    .poll(() => records(node.logs, 'transaction').map((one) => String((one as { messages?: unknown }).messages)))
    .toContain('/chain.oracle.v1beta1.MsgAggregateExchangeRatePrevote')
  await node.stop()
  // A block has the gas of all its transactions.
  const seen = records(node.logs, 'transaction', 'block') as { message: string; gas: bigint; block?: bigint }[]
  const [first] = seen.filter(({ message }) => message === 'transaction')
  const together = seen.filter(({ block }) => block === first!.block).reduce((sum, { gas }) => sum + gas, 0n)
  expect(seen).toContainEqual(expect.objectContaining({ message: 'block', height: first!.block, gas: together }))
  expect(together).toBeGreaterThan(0n)
})

test('a transaction that fails in its block has the messages that were sent', async () => {
  await using node = await startNode({ log: { chain: true } })
  const { accounts, urls, mnemonic } = node
  const { bech32: from } = accounts.find(({ kind }) => kind === 'cosmos')!
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(mnemonic, { prefix: 'chain' })
  const client = await SigningStargateClient.connectWithSigner(urls.comet!, wallet, { broadcastPollIntervalMs: 50 })
  const fee = { amount: coins(200_000, 'unative'), gas: '200000' }
  const { code } = await client.sendTokens(from, accounts[0]!.bech32, coins('9000000000000', 'unative'), fee)
  client.disconnect()
  expect(code).toBe(5)
  expect(records(node.logs, 'transaction')).toEqual([
    expect.objectContaining({ from, messages: '/cosmos.bank.v1beta1.MsgSend', code: 5, codespace: 'sdk' }),
  ])
})

test('each request is one record, with the status of a failure', async () => {
  await using node = await open(true)
  await node.query('/chain/evm/v1/params')
  await node.query('/chain/evm/v1/nothing').catch(() => undefined)
  await node.rpc('eth_blockNumber')
  await node.rpc('eth_nothing').catch(() => undefined)
  await node.rpc('eth_getBalance', 'nobody').catch(() => undefined)
  expect(records(node.logs, 'request')).toEqual([
    { message: 'request', method: '/chain.evm.v1.Query/Params' },
    { message: 'request', method: 'unknown', status: 'notFound' },
    { message: 'request', method: 'eth_blockNumber' },
    { message: 'request', method: 'eth_nothing', status: 'unimplemented' },
    { message: 'request', method: 'eth_getBalance', status: 'invalidArgument' },
  ])
})

test('by default the log has neither', async () => {
  await using node = await startNode({ ports: false })
  await node.nextBlock()
  await node.rpc('eth_blockNumber')
  expect(records(node.logs, 'transaction', 'block', 'request')).toEqual([])
})

test('the blocks of a loaded state are not in the log', async () => {
  await using first = await open()
  for (let i = 0; i < 3; i++) await first.nextBlock()
  await using second = await open()
  await second.rpc('anvil_loadState', await first.rpc('anvil_dumpState'))
  expect(second.height).toBe(4n)
  expect(records(second.logs, 'block')).toEqual([])
})
