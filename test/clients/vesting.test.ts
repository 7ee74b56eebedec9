/** Messages that create vesting accounts, as CosmJS sends them, and the accounts as it reads them. */
import { makeCosmoshubPath, Secp256k1HdWallet } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet, Registry } from '@cosmjs/proto-signing'
import {
  AminoTypes,
  BroadcastTxError,
  createDefaultAminoConverters,
  defaultRegistryTypes,
  SigningStargateClient,
} from '@cosmjs/stargate'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { messagesOf } from '../../src/messages/index.ts'
import { formatBech32 } from '../../src/primitives/address.ts'

const mnemonic = 'test test test test test test test test test test test junk'
const options = { prefix: 'chain', hdPaths: [makeCosmoshubPath(0)] }
const { registryTypes, aminoConverters } = messagesOf('almanac')
const registry = new Registry([...defaultRegistryTypes, ...registryTypes])
const aminoTypes = new AminoTypes({ ...createDefaultAminoConverters(), ...aminoConverters })
const fee = { amount: [{ denom: 'unative', amount: '25000' }], gas: '1000000' }
const amount = [{ denom: 'unative', amount: '1000' }]
/** The year 2100, which CosmJS's own type cannot encode. */
const FAR = 4_102_444_800n

let node: Awaited<ReturnType<typeof startNode>>
let lastAddress = 0

beforeAll(async () => {
  node = await startNode()
})
afterAll(() => node.stop())

const freshAddress = (): string => formatBech32('chain', new Uint8Array(20).fill(++lastAddress))

async function accountAt(address: string): Promise<Record<string, unknown>> {
  const response = await fetch(`${node.urls.rest}/cosmos/auth/v1beta1/accounts/${address}`)
  return ((await response.json()) as { account: Record<string, unknown> }).account
}

for (const [mode, fromMnemonic] of [
  ['direct', DirectSecp256k1HdWallet.fromMnemonic],
  ['amino', Secp256k1HdWallet.fromMnemonic],
] as const) {
  test(`CosmJS creates accounts of every schedule, signed in ${mode} mode`, async () => {
    const wallet = await fromMnemonic(mnemonic, options)
    const [{ address: fromAddress }] = (await wallet.getAccounts()) as unknown as [{ address: string }]
    const client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
      registry,
      aminoTypes,
      broadcastPollIntervalMs: 10,
    })
    const [continuous, delayed, permanent, periodic] = [freshAddress(), freshAddress(), freshAddress(), freshAddress()]
    const message = (name: string, value: object) => ({
      typeUrl: `/cosmos.vesting.v1beta1.MsgCreate${name}`,
      value: { fromAddress, ...value },
    })
    const vestingPeriods = [
      { length: 60n, amount },
      { length: 3600n, amount: [{ denom: 'unative', amount: '7' }] },
    ]
    const sent = await client.signAndBroadcast(
      fromAddress,
      [
        message('VestingAccount', { toAddress: continuous, amount, endTime: FAR, delayed: false }),
        message('VestingAccount', { toAddress: delayed, amount, endTime: FAR, delayed: true }),
        message('PermanentLockedAccount', { toAddress: permanent, amount }),
        message('PeriodicVestingAccount', { toAddress: periodic, startTime: FAR, vestingPeriods }),
      ],
      fee,
    )
    expect([sent.code, sent.rawLog]).toEqual([0, expect.any(String)])
    const types = await Promise.all([continuous, delayed, permanent, periodic].map(accountAt))
    expect(types.map((account) => account['@type'])).toEqual([
      '/cosmos.vesting.v1beta1.ContinuousVestingAccount',
      '/cosmos.vesting.v1beta1.DelayedVestingAccount',
      '/cosmos.vesting.v1beta1.PermanentLockedAccount',
      '/cosmos.vesting.v1beta1.PeriodicVestingAccount',
    ])
    expect(types[3]).toMatchObject({
      base_vesting_account: { end_time: String(FAR + 3660n), original_vesting: [{ amount: '1007' }] },
      start_time: String(FAR),
      vesting_periods: [{ length: '60' }, { length: '3600' }],
    })
    expect(await client.getBalance(permanent, 'unative')).toEqual({ denom: 'unative', amount: '1000' })
    expect(await client.getAccount(periodic)).toMatchObject({ address: periodic, sequence: 0 })
    const spendable = await fetch(`${node.urls.rest}/cosmos/bank/v1beta1/spendable_balances/${continuous}`)
    expect(await spendable.json()).toMatchObject({ balances: [{ amount: '0', denom: 'unative' }] })
    // The account exists now.
    const again = await client.signAndBroadcast(
      fromAddress,
      [message('PermanentLockedAccount', { toAddress: permanent, amount })],
      fee,
    )
    expect([again.code, again.rawLog]).toEqual([18, expect.stringContaining(`account ${permanent} already exists`)])
    client.disconnect()
  })
}

test('the names of nibiru do not include these messages, as on the real chain', async () => {
  await using own = await startNode({ chain: { profile: 'nibiru' } })
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(mnemonic, { ...options, prefix: 'nibi' })
  const [{ address: fromAddress }] = (await wallet.getAccounts()) as unknown as [{ address: string }]
  const client = await SigningStargateClient.connectWithSigner(own.urls.comet, wallet, { registry })
  const coins = [{ denom: 'unibi', amount: '1' }]
  const toAddress = formatBech32('nibi', new Uint8Array(20).fill(9))
  const value = { fromAddress, toAddress, amount: coins, endTime: FAR, delayed: true }
  const typeUrl = '/cosmos.vesting.v1beta1.MsgCreateVestingAccount'
  const refused = client.signAndBroadcast(fromAddress, [{ typeUrl, value }], {
    amount: [{ denom: 'unibi', amount: '25000' }],
    gas: '1000000',
  })
  const error = await refused.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(BroadcastTxError)
  expect(error).toMatchObject({
    codespace: 'sdk',
    code: 2,
    log: `unable to resolve type URL ${typeUrl}: tx parse error`,
  })
  client.disconnect()
})
