import { NibiruTxClient, newSignerFromMnemonic } from '@nibiruchain/nibijs'
import { MsgCancelFeeShare, MsgRegisterFeeShare } from '@nibiruchain/nibijs/dist/src/protojs/nibiru/devgas/v1/tx.js'
import { createWalletClient, type Hex, http, publicActions } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { decodeBech32, formatBech32, ofModule } from '../../src/primitives/address.ts'

const mnemonic = 'test test test test test test test test test test test junk'
const FEE = { amount: [{ denom: 'unibi', amount: '20000' }], gas: '400000' }
const UNITS = 10n ** 12n

let node: Awaited<ReturnType<typeof startNode>>
let client: NibiruTxClient
/** The account of CosmJS. Its key differs from that of the wallet with the same mnemonic. */
let person: string

beforeAll(async () => {
  node = await startNode({ chain: { profile: 'nibiru' } })
  const signer = await newSignerFromMnemonic(mnemonic)
  person = (await signer.getAccounts())[0]!.address
  client = await NibiruTxClient.connectWithSigner(node.urls.comet, signer, { broadcastPollIntervalMs: 20 })
  // The SDK has the messages, but does not register their type URLs.
  client.registry.register(typeUrlOf('Register'), MsgRegisterFeeShare)
  client.registry.register(typeUrlOf('Cancel'), MsgCancelFeeShare)
})
afterAll(async () => {
  client?.disconnect()
  await node?.stop()
})

const typeUrlOf = (name: string) => `/nibiru.devgas.v1.Msg${name}FeeShare`
const bech32Of = (bytes: Uint8Array) => formatBech32('nibi', bytes)

function addressBytes(text: string): Uint8Array {
  const decoded = decodeBech32(text)
  if ('reason' in decoded) throw new Error(decoded.reason)
  return decoded.bytes
}

const rest = async (path: string) => {
  const answer = await fetch(node.urls.rest + path)
  const named = answer.headers.get('x-fee-shares-operation')
  return { status: answer.status, named, json: (await answer.json()) as Record<string, unknown> }
}
const shares = (path: string) => rest(`/nibiru/devgas/v1/fee_shares/${path}`)

/** Signs a message with the chain's own SDK and waits for its block. Returns its code and log. */
async function send(name: string, value: Record<string, unknown>) {
  const typeUrl = typeUrlOf(name)
  const { code, rawLog = '' } = await client.signAndBroadcast(
    person,
    [{ typeUrl, value: { deployerAddress: person, ...value } }],
    FEE,
  )
  return code === 0 ? 'ok' : `${code} ${rawLog}`
}

test('the withdrawer of a registered contract receives half of the fees of its callers', async () => {
  const wallet = createWalletClient({
    account: mnemonicToAccount(mnemonic),
    transport: http(node.urls.jsonrpc),
  }).extend(publicActions)
  const [caller, holder] = node.accounts
  const owner = Buffer.from(addressBytes(person)).toString('hex')
  // Deploys 41 bytes that answer every call with the owner: PUSH32, MSTORE at 0, RETURN 32 bytes.
  const data = `0x6029600c60003960296000f37f${'00'.repeat(12)}${owner}60005260206000f3` as Hex
  const transaction = { chain: null, gasPrice: UNITS, gas: 200_000n } as const
  const mined = async (fields: { readonly to?: Hex; readonly data?: Hex }) =>
    wallet.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ ...transaction, ...fields }) })
  const contract = (await mined({ data })).contractAddress!
  const contractAddress = bech32Of(Buffer.from(contract.slice(2), 'hex'))
  const withdrawerAddress = holder!.bech32

  expect((await shares(contractAddress)).status).toBe(404)
  expect(await send('Register', { contractAddress, withdrawerAddress: bech32Of(ofModule('fee_collector')) })).toContain(
    'invalid withdrawer address',
  )
  expect(await send('Register', { contractAddress, withdrawerAddress })).toBe('ok')
  expect(await send('Register', { contractAddress, withdrawerAddress })).toContain('feeshare already exists')

  const record = { contract_address: contractAddress, deployer_address: person, withdrawer_address: withdrawerAddress }
  const rows: [path: string, operation: string, feeshare: unknown][] = [
    [contractAddress, 'FeeShare', record],
    [contract, 'FeeShare', record],
    [person, 'FeeShares', [record]],
    [withdrawerAddress, 'FeeSharesByWithdrawer', [record]],
    [caller!.bech32, 'FeeShares', []],
    [`${contractAddress}?by=deployer`, 'FeeShares', []],
    [`${contractAddress}?by=withdrawer`, 'FeeSharesByWithdrawer', []],
    [`${person}?by=withdrawer`, 'FeeSharesByWithdrawer', []],
    [`${withdrawerAddress}?by=deployer`, 'FeeShares', []],
  ]
  for (const [path, named, feeshare] of rows) {
    expect([path, await shares(path)]).toEqual([path, { status: 200, named, json: { feeshare } }])
  }
  const page = await shares(`${person}?pagination.limit=1`)
  expect([page.named, Object.keys(page.json)]).toEqual(['FeeShares', ['feeshare', 'pagination']])
  const refusals: [path: string, status: number, operation: string | null][] = [
    ['nonsense', 400, 'FeeShares'],
    ['nonsense?by=contract', 400, 'FeeShare'],
    ['nonsense?by=withdrawer', 400, 'FeeSharesByWithdrawer'],
    [`${person}?by=contract`, 404, 'FeeShare'],
    [`${person}?by=foo`, 400, null],
    [`${person}?by=Deployer`, 400, null],
    [`${person}?by=deployer&by=deployer`, 400, null],
    ['', 400, 'FeeShares'],
  ]
  for (const [path, status, named] of refusals) {
    expect([path, await shares(path)]).toMatchObject([path, { status, named }])
  }

  const before = await wallet.getBalance({ address: holder!.address as Hex })
  const { gasUsed } = await mined({ to: contract })
  // 21000, five times 3 for pushes and the store, and 3 for the word of memory.
  expect(gasUsed).toBe(21_018n)
  expect((await wallet.getBalance({ address: holder!.address as Hex })) - before).toBe(10_509n * UNITS)

  expect(await send('Cancel', { contractAddress })).toBe('ok')
  await mined({ to: contract })
  expect((await wallet.getBalance({ address: holder!.address as Hex })) - before).toBe(10_509n * UNITS)
  expect(await shares(contractAddress)).toMatchObject({ status: 404, named: 'FeeShare' })
})

test('the parameters of the reference are set from genesis', async () => {
  const { json } = await rest('/nibiru/devgas/v1/params')
  expect(json).toEqual({
    params: { enable_fee_share: true, developer_shares: '0.500000000000000000', allowed_denoms: [] },
  })
})
