import { NibiruTxClient, newSignerFromMnemonic } from '@nibiruchain/nibijs'
import { createPublicClient, http, parseAbi } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'

const mnemonic = 'test test test test test test test test test test test junk'
const FEE = { amount: [{ denom: 'unibi', amount: '300000' }], gas: '12000000' }

let node: Awaited<ReturnType<typeof startNode>>
let client: NibiruTxClient
let sender: string

beforeAll(async () => {
  node = await startNode({ chain: { profile: 'nibiru' } })
  const signer = await newSignerFromMnemonic(mnemonic)
  sender = (await signer.getAccounts())[0]!.address
  client = await NibiruTxClient.connectWithSigner(node.urls.comet, signer, { broadcastPollIntervalMs: 20 })
})
afterAll(async () => {
  client?.disconnect()
  await node?.stop()
})

/** Signs a message with the chain's own SDK and waits for its block. Returns its code and log. */
async function send(typeUrl: string, value: Record<string, unknown>) {
  const { code, rawLog = '' } = await client.signAndBroadcast(sender, [{ typeUrl, value: { sender, ...value } }], FEE)
  return code === 0 ? 'ok' : `${code} ${rawLog}`
}

const factory = (name: string) => `/nibiru.tokenfactory.v1.Msg${name}`
const rest = async (path: string) => (await fetch(node.urls.rest + path)).json() as Promise<Record<string, never>>

test("a denom is created, minted, described, mapped and transferred in the EVM, with the chain's own SDK and viem", async () => {
  const denom = `tf/${sender}/gold`
  expect(await send(factory('CreateDenom'), { subdenom: 'gold' })).toBe('ok')
  expect(await send(factory('CreateDenom'), { subdenom: 'gold' })).toContain('already registered')
  expect(await send(factory('Mint'), { coin: { denom, amount: '1000000000' }, mintTo: sender })).toBe('ok')
  const unit = (name: string, exponent: number) => ({ denom: name, exponent, aliases: [] })
  const metadata = {
    description: '',
    denomUnits: [unit(denom, 0), unit('gold', 6)],
    base: denom,
    display: 'gold',
    name: 'Gold',
    symbol: 'GLD',
    uri: '',
    uriHash: '',
  }
  expect(await send(factory('SetDenomMetadata'), { metadata })).toBe('ok')
  expect(await rest(`/nibiru/tokenfactory/v1/denoms/${sender}`)).toEqual({ denoms: [denom] })

  const eth = (name: string) => `/eth.evm.v1.Msg${name}`
  expect(await send(eth('CreateFunToken'), { fromErc20: '', fromBankDenom: denom })).toBe('ok')
  const holder = node.accounts[1]!.address
  const bankCoin = { denom, amount: '250000000' }
  // nibijs parses the digits of the address in pairs, and treats `0x` as one of them.
  expect(await send(eth('ConvertCoinToEvm'), { toEthAddr: holder.slice(2), bankCoin })).toBe('ok')
  const { fun_token } = await rest(`/nibiru/evm/v1/funtoken/${denom}`)
  const address = (fun_token as unknown as { erc20_addr: `0x${string}` }).erc20_addr
  const reader = createPublicClient({ transport: http(node.urls.jsonrpc) })
  const abi = parseAbi([
    'function balanceOf(address) view returns (uint256)',
    'function symbol() view returns (string)',
  ])
  const read = (functionName: 'balanceOf' | 'symbol', args: readonly unknown[] = []) =>
    reader.readContract({ address, abi, functionName, args } as never)
  expect([await read('balanceOf', [holder]), await read('symbol')]).toEqual([250_000_000n, 'GLD'])

  expect(await send(factory('Burn'), { coin: { denom, amount: '1000000' }, burnFrom: sender })).toBe('ok')
  const { amount } = (await rest(`/cosmos/bank/v1beta1/supply/by_denom?denom=${denom}`)) as never
  expect(amount).toEqual({ denom, amount: '999000000' })
})

test('a denom is found with its slashes raw, encoded, and encoded twice', async () => {
  const path = `tf/${sender}/gold`
  const encoded = encodeURIComponent(path)
  const twice = encodeURIComponent(encoded)
  const forms = [path, encoded, encoded.replaceAll('%2F', '%2f'), twice, twice.replaceAll('%252F', '%252f')]
  for (const end of [...forms.map((form) => `/${form}`), `?denom=${path}`]) {
    const answer = await rest(`/nibiru/tokenfactory/v1/denom-info${end}`)
    expect(answer).toMatchObject({ admin: sender, metadata: { symbol: 'GLD' } })
  }
  for (const wrong of ['unibi', '', `${path}/`, `tf/${sender}/%2E%2E/gold`, `tf/${sender}/%zz`]) {
    expect([wrong, await rest(`/nibiru/tokenfactory/v1/denom-info/${wrong}`)]).toMatchObject([wrong, { code: 3 }])
  }
  expect(await rest(`/nibiru/tokenfactory/v1/denom-info/tf/${sender}/none`)).toMatchObject({ code: 5 })
})
