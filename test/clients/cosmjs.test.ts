import { makeCosmoshubPath, Secp256k1HdWallet } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { GasPrice, SigningStargateClient, StargateClient } from '@cosmjs/stargate'
import { Comet38Client, HttpBatchClient } from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClientNode, startClientNode } from '../support/client-node.ts'

const mnemonic = 'test test test test test test test test test test test junk'
const options = { prefix: 'chain', hdPaths: [makeCosmoshubPath(0), makeCosmoshubPath(1)] }
const gasPrice = GasPrice.fromString('0.025unative')

let node: ClientNode

beforeAll(async () => {
  node = await startClientNode()
})
afterAll(() => node.stop())

test('CosmJS reads the chain, an account and its balances', async () => {
  const client = await StargateClient.connect(node.urls.comet)
  const [account] = await (await DirectSecp256k1HdWallet.fromMnemonic(mnemonic, options)).getAccounts()
  expect(await client.getChainId()).toBe(node.chainId)
  expect(await client.getHeight()).toBeGreaterThan(0)
  expect(await client.getBalance(account!.address, 'unative')).toEqual({ denom: 'unative', amount: '1000000000000' })
  expect((await client.getAccount(account!.address))?.sequence).toBe(0)
  expect(await client.getAccount('chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57')).toBeNull()
  client.disconnect()
})

test('CosmJS asks in batches of its own size', async () => {
  const client = Comet38Client.create(new HttpBatchClient(node.urls.comet))
  const commits = await Promise.all(Array.from({ length: 30 }, () => client.commit(1)))
  expect(commits.map(({ header }) => header.height)).toEqual(Array(30).fill(1))
  client.disconnect()
})

for (const [mode, fromMnemonic] of [
  ['direct', DirectSecp256k1HdWallet.fromMnemonic],
  ['amino', Secp256k1HdWallet.fromMnemonic],
] as const) {
  test(`CosmJS sends coins signed in ${mode} mode, and REST shows them`, async () => {
    const wallet = await fromMnemonic(mnemonic, options)
    const [from, to] = await wallet.getAccounts()
    const client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
      gasPrice,
      broadcastPollIntervalMs: 20,
    })
    const before = BigInt((await client.getBalance(to!.address, 'unative')).amount)
    const sent = await client.sendTokens(from!.address, to!.address, [{ denom: 'unative', amount: '12345' }], 'auto')
    expect([sent.code, sent.rawLog]).toEqual([0, expect.any(String)])
    const response = await fetch(`${node.urls.rest}/cosmos/bank/v1beta1/balances/${to!.address}/by_denom?denom=unative`)
    const { balance } = (await response.json()) as { balance: { amount: string } }
    expect(BigInt(balance.amount)).toBe(before + 12_345n)
    const found = await client.getTx(sent.transactionHash)
    expect([found?.height, found?.code]).toEqual([sent.height, 0])
    client.disconnect()
  })
}

test('CosmJS reports that an account cannot pay', async () => {
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(mnemonic, options)
  const [from, to] = await wallet.getAccounts()
  const client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
    gasPrice,
    broadcastPollIntervalMs: 20,
  })
  const all = [{ denom: 'unative', amount: '99999999999999' }]
  await expect(client.sendTokens(from!.address, to!.address, all, 'auto')).rejects.toThrow(/insufficient funds/)
  client.disconnect()
})
