import { connect } from 'node:http2'
import { makeCosmoshubPath, Secp256k1HdWallet } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { GasPrice, SigningStargateClient, StargateClient } from '@cosmjs/stargate'
import { customAminoConverters, NibiruQuerier, NibiruTxClient, newSignerFromMnemonic } from '@nibiruchain/nibijs'
import { AminoTypes, QueryClient } from 'cosmjs-stargate-0.32'
import { connectComet } from 'cosmjs-tendermint-rpc-0.32'
import { createPublicClient, createWalletClient, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { decodeBech32 } from '../../src/primitives/address.ts'

const mnemonic = 'test test test test test test test test test test test junk'
const STRANGER = 'nibi1qfjqsfs08rfugwex7d549lecaja23p5j67zpkc'

let node: Awaited<ReturnType<typeof startNode>>

beforeAll(async () => {
  node = await startNode({ chain: { profile: 'nibiru' } })
})
afterAll(() => node.stop())

const rest = async (path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(node.urls.rest + path, { headers })
  return { status: response.status, headers: response.headers, body: (await response.json()) as Record<string, never> }
}

function bytesOf(bech32: string): Uint8Array {
  const decoded = decodeBech32(bech32)
  if ('reason' in decoded) throw new Error(decoded.reason)
  return decoded.bytes
}

/** Returns the status of a call without arguments, over a new connection. */
async function grpcStatus(method: string): Promise<string> {
  const session = connect(`http://${node.urls.grpc}`)
  const headers = { ':method': 'POST', ':path': `/${method}`, 'content-type': 'application/grpc', te: 'trailers' }
  try {
    const call = session.request(headers)
    call.end(Buffer.alloc(5))
    call.resume()
    return await new Promise((resolve, reject) => {
      const read = (trailers: Record<string, unknown>) => {
        if (trailers['grpc-status'] !== undefined) resolve(String(trailers['grpc-status']))
      }
      call.on('response', read)
      call.on('trailers', read)
      call.on('error', reject)
    })
  } finally {
    session.close()
  }
}

describe("the chain's own SDK, unmodified", () => {
  test('queries every module', async () => {
    const querier = await NibiruQuerier.connect(node.urls.comet)
    expect(await querier.getChainId()).toBe('nibiru-localnet-0')
    const [account] = await (await newSignerFromMnemonic(mnemonic)).getAccounts()
    expect(account!.address).toBe(node.accounts.find(({ kind }) => kind === 'cosmos')!.bech32)
    expect(await querier.getBalance(account!.address, 'unibi')).toEqual({ denom: 'unibi', amount: '1000000000000' })
    const { query, auth, staking } = querier.nibiruExtensions
    const { ethAddress, balanceWei } = await query.eth
      .ethAccount({ address: account!.address })
      .then(async (found) => ({
        ethAddress: found.ethAddress,
        balanceWei: found.balanceWei,
      }))
    expect([ethAddress.toLowerCase(), balanceWei]).toEqual([
      node.accounts[10]!.address.toLowerCase(),
      `1${'0'.repeat(24)}`,
    ])
    expect((await query.eth.baseFee({})).baseFeeUnibi).toBe('1')
    const { params } = await query.eth.params({})
    expect(params!.createFuntokenFee).toBe('10000000000')
    expect((await query.sudo.querySudoers()).sudoers!.root).toBe(node.accounts[0]!.bech32)
    expect((await auth.account(account!.address))!.typeUrl).toBe('/cosmos.auth.v1beta1.BaseAccount')
    const { validators } = await staking.validators('BOND_STATUS_BONDED')
    expect(validators[0]!.operatorAddress).toMatch(/^nibivaloper1/)
    expect(validators[0]!.consensusPubkey!.typeUrl).toBe('/cosmos.crypto.ed25519.PubKey')
    querier.disconnect()
  })

  test('reads epochs, inflation and the oracle', async () => {
    const querier = await NibiruQuerier.connect(node.urls.comet)
    const { epochs, inflation, oracle } = querier.nibiruExtensions.query
    const { epochs: records } = await epochs.epochsInfos()
    expect(records.map(({ identifier, currentEpoch }) => `${identifier}: ${currentEpoch}`)).toEqual([
      ...['30 min: 1', 'day: 1', 'month: 1', 'week: 1'],
    ])
    expect((await epochs.currentEpoch({ identifier: 'day' })).currentEpoch.toString()).toBe('1')
    expect((await inflation.params()).params!.epochsPerPeriod.toString()).toBe('30')
    expect((await inflation.period()).period.toString()).toBe('0')
    expect((await inflation.skippedEpochs()).skippedEpochs.toString()).toBe('0')
    expect((await inflation.epochMintProvision()).epochMintProvision).toEqual({ denom: 'unibi', amount: '0' })
    expect((await inflation.circulatingSupply()).circulatingSupply!.denom).toBe('unibi')
    expect((await inflation.inflationRate()).inflationRate).toBe('0')
    expect((await oracle.params()).params!.votePeriod.toString()).toMatch(/^\d+$/)
    expect((await oracle.exchangeRates()).exchangeRates).toEqual([])
    querier.disconnect()
  })

  test('sends coins, and finds the transaction', async () => {
    const signer = await newSignerFromMnemonic(mnemonic)
    const [from] = await signer.getAccounts()
    const client = await NibiruTxClient.connectWithSigner(node.urls.comet, signer, { broadcastPollIntervalMs: 50 })
    const sent = await client.sendTokens(from!.address, STRANGER, [{ denom: 'unibi', amount: '5' }], 'auto')
    expect([sent.code, sent.rawLog]).toEqual([0, expect.any(String)])
    const { body } = await rest(`/cosmos/bank/v1beta1/balances/${STRANGER}/by_denom?denom=unibi`)
    expect(body['balance']).toEqual({ denom: 'unibi', amount: '5' })
    const querier = await NibiruQuerier.connect(node.urls.comet)
    expect((await querier.getTxByHash(sent.transactionHash)).ok!.height).toBe(sent.height)
    querier.disconnect()
    client.disconnect()
  })

  test('converts coins for an address in text, which it sends as 21 bytes', async () => {
    const signer = await newSignerFromMnemonic(mnemonic)
    const [from] = await signer.getAccounts()
    const client = await NibiruTxClient.connectWithSigner(node.urls.comet, signer, { broadcastPollIntervalMs: 50 })
    const to = '0x00000000000000000000000000000000000021aa'
    const bankCoin = { denom: 'unibi', amount: '3' }
    const value = { sender: from!.address, toEthAddr: to, bankCoin }
    const typeUrl = '/eth.evm.v1.MsgConvertCoinToEvm'
    expect([...client.registry.encode({ typeUrl, value })].slice(0, 3)).toEqual([10, 21, 0])
    const fee = { amount: [{ denom: 'unibi', amount: '50000' }], gas: '2000000' }
    const sent = await client.signAndBroadcast(from!.address, [{ typeUrl, value }], fee)
    expect([sent.code, sent.rawLog]).toEqual([0, expect.any(String)])
    const { body } = await rest(`/nibiru/evm/v1/balances/${to}?token=WNIBI`)
    expect(JSON.stringify(body)).toContain('3000000000000')
    client.disconnect()
  })

  test('converts coins with a signature in its own amino form', async () => {
    const signer = await Secp256k1HdWallet.fromMnemonic(mnemonic, { prefix: 'nibi' })
    const [from] = await signer.getAccounts()
    const aminoTypes = new AminoTypes(customAminoConverters)
    const options = { broadcastPollIntervalMs: 50, aminoTypes }
    const client = await NibiruTxClient.connectWithSigner(node.urls.comet, signer as never, options)
    const toEthAddr = '0x00000000000000000000000000000000000021aB'
    const value = { sender: from!.address, toEthAddr, bankCoin: { denom: 'unibi', amount: '4' } }
    const fee = { amount: [{ denom: 'unibi', amount: '50000' }], gas: '2000000' }
    const message = { typeUrl: '/eth.evm.v1.MsgConvertCoinToEvm', value }
    const sent = await client.signAndBroadcast(from!.address, [message], fee)
    expect([sent.code, sent.rawLog]).toEqual([0, expect.any(String)])
    const { body } = await rest(`/nibiru/evm/v1/balances/${toEthAddr}?token=WNIBI`)
    expect(JSON.stringify(body)).toContain('4000000000000')
    client.disconnect()
  })

  test('reads the parameters of developer gas', async () => {
    const querier = await NibiruQuerier.connect(node.urls.comet)
    const { params } = await querier.nibiruExtensions.query.devgas.params({})
    expect(params).toMatchObject({ enableFeeShare: true, allowedDenoms: [] })
    querier.disconnect()
  })
})

describe('CosmJS, unmodified', () => {
  const options = { prefix: 'nibi', hdPaths: [makeCosmoshubPath(2), makeCosmoshubPath(3)] }
  const gasPrice = GasPrice.fromString('0.025unibi')
  for (const [mode, fromMnemonic] of [
    ['direct', DirectSecp256k1HdWallet.fromMnemonic],
    ['amino', Secp256k1HdWallet.fromMnemonic],
  ] as const) {
    test(`sends coins signed in ${mode} mode`, async () => {
      const wallet = await fromMnemonic(mnemonic, options)
      const [from, to] = await wallet.getAccounts()
      const client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
        gasPrice,
        broadcastPollIntervalMs: 50,
      })
      const sent = await client.sendTokens(from!.address, to!.address, [{ denom: 'unibi', amount: '7' }], 'auto')
      expect([sent.code, sent.rawLog]).toEqual([0, expect.any(String)])
      expect(sent.events.flatMap(({ attributes }) => attributes)).toContainEqual({
        key: 'action',
        value: '/cosmos.bank.v1beta1.MsgSend',
      })
      client.disconnect()
    })
  }

  test('names the type URL of an EVM account, which it does not know', async () => {
    const client = await StargateClient.connect(node.urls.comet)
    expect((await client.getAccount(node.accounts[0]!.bech32))?.sequence).toBeTypeOf('number')
    await expect(client.getAccount(STRANGER)).rejects.toThrow('/eth.types.v1.EthAccount')
    client.disconnect()
  })
})

describe('an Ethereum client', () => {
  test('sends under the EVM chain id of the chain, from an account with a Bech32 address', async () => {
    const transport = http(node.urls.jsonrpc)
    const account = mnemonicToAccount(mnemonic)
    const chain = {
      id: 6930,
      name: 'localnet',
      nativeCurrency: { name: 'NIBI', symbol: 'NIBI', decimals: 18 },
      rpcUrls: { default: { http: [] } },
    }
    const reader = createPublicClient({ transport, chain })
    expect(await reader.getChainId()).toBe(6930)
    const wallet = createWalletClient({ account, transport, chain })
    const hash = await wallet.sendTransaction({ to: '0x00000000000000000000000000000000000000aa', value: 10n ** 12n })
    expect((await reader.waitForTransactionReceipt({ hash })).status).toBe('success')
    expect(await reader.getBalance({ address: '0x00000000000000000000000000000000000000aa' })).toBe(10n ** 12n)
  })
})

describe('neutral names and names of the profile', () => {
  test('work in paths, and in fields that contain a brand', async () => {
    for (const path of ['/nibiru/evm/v1/base_fee', '/chain/evm/v1/base_fee']) {
      expect((await rest(path)).body).toEqual({ base_fee: '1000000000000', base_fee_unibi: '1' })
    }
    const { params } = (await rest('/nibiru/evm/v1/params')).body
    expect(Object.keys(params!)).toContain('canonical_wnibi')
    for (const path of ['/cosmos/bank/v1beta1/supply', '/sdk/bank/v1beta1/supply'])
      expect((await rest(path)).status).toBe(200)
    for (const path of ['/nibiru/sudo/sudoers', '/chain/sudo/sudoers']) expect((await rest(path)).status).toBe(200)
    const { application_version } = (await rest('/cosmos/base/tendermint/v1beta1/node_info')).body
    expect(Object.keys(application_version!)).toContain('cosmos_sdk_version')
  })

  test('work for services over gRPC', async () => {
    for (const method of [
      'eth.evm.v1.Query/BaseFee',
      'chain.evm.v1.Query/BaseFee',
      'nibiru.sudo.v1.Query/QuerySudoers',
    ]) {
      expect(await grpcStatus(method), method).toBe('0')
    }
    expect(await grpcStatus('eth.evm.v1.Query/Nothing')).toBe('12')
  })

  test('work in the header of the height, in requests and answers', async () => {
    for (const name of ['x-cosmos-block-height', 'x-sdk-block-height']) {
      const { headers } = await rest('/cosmos/bank/v1beta1/supply', { [name]: '1' })
      expect(headers.get('grpc-metadata-x-cosmos-block-height')).toBe('1')
      expect(headers.get('grpc-metadata-x-sdk-block-height')).toBe('1')
    }
  })

  test('the names are in the description of the API', async () => {
    const { paths } = (await rest('/openapi.json')).body as unknown as { paths: Record<string, { get?: unknown }> }
    const families = new Set(Object.keys(paths).map((path) => path.split('/')[1]))
    expect([...families].sort()).toEqual(['cosmos', 'cosmwasm', 'nibiru'])
    expect(JSON.stringify(paths['/nibiru/evm/v1/params'])).toContain('"name":"x-cosmos-block-height"')
  })

  test('do not change proofs: the store that only this node has is not part of the app hash', async () => {
    const comet = await connectComet(node.urls.comet)
    const client = QueryClient.withExtensions(comet)
    const [account] = await (await newSignerFromMnemonic(mnemonic)).getAccounts()
    const key = Uint8Array.of(1, ...bytesOf(account!.address))
    const { value } = await client.queryRawProof('acc', key)
    expect(Buffer.from(value).toString('latin1')).toContain(account!.address)
    const { proof, log, code } = await comet.abciQuery({
      path: '/store/x/key',
      data: Uint8Array.of(2, ...new Uint8Array(8)),
      prove: true,
    })
    expect([code === 0, proof?.ops.length ?? 0], log).toEqual([false, 0])
    comet.disconnect()
  })

  test('an error for an address with another prefix names both prefixes', async () => {
    const { status, body } = await rest('/cosmos/bank/v1beta1/balances/chain1qfjqsfs08rfugwex7d549lecaja23p5jcejn57')
    expect([status, body['code']]).toEqual([400, 3])
    expect(body['message']).toContain('invalid Bech32 prefix; expected nibi, got chain')
  })
})
