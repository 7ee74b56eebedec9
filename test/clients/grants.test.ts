/** Grants with CosmJS: messages on behalf of a granter, and fees that a granter pays. */
import { makeCosmoshubPath } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet, type EncodeObject } from '@cosmjs/proto-signing'
import {
  assertIsDeliverTxSuccess,
  QueryClient,
  SigningStargateClient,
  setupAuthzExtension,
  setupFeegrantExtension,
} from '@cosmjs/stargate'
import { connectComet } from '@cosmjs/tendermint-rpc'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

const mnemonic = 'test test test test test test test test test test test junk'
const FEE = { amount: [{ denom: 'unative', amount: '5000' }], gas: '200000' }

let node: Awaited<ReturnType<typeof startNode>>
let client: SigningStargateClient
let [granter, grantee, stranger] = ['', '', '']

beforeAll(async () => {
  node = await startNode()
  const hdPaths = [0, 1, 2].map(makeCosmoshubPath)
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(mnemonic, { prefix: 'chain', hdPaths })
  ;[granter, grantee, stranger] = (await wallet.getAccounts()).map(({ address }) => address) as [string, string, string]
  client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
    broadcastPollIntervalMs: 20,
  })
})
afterAll(async () => {
  client?.disconnect()
  await node?.stop()
})

const packed = (typeUrl: string, value: Record<string, unknown>) => {
  const { registry } = client
  return { typeUrl, value: registry.encode({ typeUrl, value }) }
}
const coins = (amount: number) => [{ denom: 'unative', amount: String(amount) }]
const sendTo = (fromAddress: string, amount: number) => ({ fromAddress, toAddress: stranger, amount: coins(amount) })
const balance = async (of: string) => BigInt((await client.getBalance(of, 'unative')).amount)

/** Signs one message. Returns its code, and its log if it failed. */
async function send(from: string, message: EncodeObject, fee: typeof FEE & { granter?: string } = FEE) {
  const { code, rawLog } = await client.signAndBroadcast(from, [message], fee)
  return code === 0 ? 'ok' : `${code} ${rawLog}`
}

const authz = (name: string, value: Record<string, unknown>) => ({ typeUrl: `/cosmos.authz.v1beta1.Msg${name}`, value })
const feegrant = (name: string, value: Record<string, unknown>) => ({
  typeUrl: `/cosmos.feegrant.v1beta1.Msg${name}`,
  value,
})
const exec = (amount: number) =>
  authz('Exec', { grantee, msgs: [packed('/cosmos.bank.v1beta1.MsgSend', sendTo(granter, amount))] })

test('CosmJS grants a spend limit, uses it on behalf of the granter, and revokes it', async () => {
  // SendAuthorization{spend_limit: [1000unative]}
  const limit = Uint8Array.from([10, 15, 10, 7, ...Buffer.from('unative'), 18, 4, ...Buffer.from('1000')])
  const authorization = { typeUrl: '/cosmos.bank.v1beta1.SendAuthorization', value: limit }
  const seconds = BigInt(Math.floor(Date.now() / 1000) + 3600)
  const grant = { authorization, expiration: { seconds, nanos: 0 } }
  expect(await send(grantee, exec(1))).toContain('authorization not found')
  expect(await send(granter, authz('Grant', { granter, grantee, grant }))).toBe('ok')
  const before = await balance(stranger)
  expect(await send(grantee, exec(600))).toBe('ok')
  expect(await send(grantee, exec(600))).toContain('requested amount is more than spend limit')
  expect((await balance(stranger)) - before).toBe(600n)

  const query = QueryClient.withExtensions(await connectComet(node.urls.comet), setupAuthzExtension)
  const { grants } = await query.authz.grants(granter, grantee, '')
  expect(grants.map((one) => one.authorization?.typeUrl)).toEqual(['/cosmos.bank.v1beta1.SendAuthorization'])
  expect((await query.authz.granteeGrants(grantee)).grants.map((one) => one.granter)).toEqual([granter])
  const rest = await fetch(`${node.urls.rest}/sdk/authz/v1beta1/grants/granter/${granter}`)
  expect(await rest.json()).toMatchObject({
    grants: [{ granter, grantee, authorization: { spend_limit: coins(400) } }],
    pagination: { next_key: null, total: '1' },
  })
  const msgTypeUrl = '/cosmos.bank.v1beta1.MsgSend'
  expect(await send(granter, authz('Revoke', { granter, grantee, msgTypeUrl }))).toBe('ok')
  expect(await send(grantee, exec(1))).toContain('authorization not found')
})

test('CosmJS lets a granter pay the fees of a grantee, up to the allowance', async () => {
  // BasicAllowance{spend_limit: [12000unative]}
  const limit = Uint8Array.from([10, 16, 10, 7, ...Buffer.from('unative'), 18, 5, ...Buffer.from('12000')])
  const allowance = { typeUrl: '/cosmos.feegrant.v1beta1.BasicAllowance', value: limit }
  expect(await send(granter, feegrant('GrantAllowance', { granter, grantee, allowance }))).toBe('ok')
  const paying = { ...FEE, granter }
  const message = { typeUrl: '/cosmos.bank.v1beta1.MsgSend', value: sendTo(grantee, 7) }
  const before = { granter: await balance(granter), grantee: await balance(grantee) }
  const sent = await client.signAndBroadcast(grantee, [message], paying)
  assertIsDeliverTxSuccess(sent)
  expect(sent.events.filter(({ type }) => type.endsWith('_feegrant')).map(({ type }) => type)).toEqual([
    'use_feegrant',
    'update_feegrant',
  ])
  expect(before.granter - (await balance(granter))).toBe(5000n)
  expect(before.grantee - (await balance(grantee))).toBe(7n)

  const query = QueryClient.withExtensions(await connectComet(node.urls.comet), setupFeegrantExtension)
  expect((await query.feegrant.allowance(granter, grantee)).allowance).toMatchObject({ granter, grantee })
  expect((await query.feegrant.allowances(grantee)).allowances).toHaveLength(1)
  const rest = await fetch(`${node.urls.rest}/cosmos/feegrant/v1beta1/issued/${granter}`)
  expect(await rest.json()).toMatchObject({ allowances: [{ allowance: { spend_limit: coins(7000) } }] })

  expect(await send(grantee, message, paying)).toBe('ok')
  await expect(client.signAndBroadcast(grantee, [message], paying)).rejects.toThrow(
    `${granter} does not allow to pay fees for ${grantee}: basic allowance: 5000unative of 2000unative`,
  )
  expect(await send(granter, feegrant('RevokeAllowance', { granter, grantee }))).toBe('ok')
  await expect(client.signAndBroadcast(grantee, [message], paying)).rejects.toThrow('fee-grant not found')
})
