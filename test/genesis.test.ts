import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCosmoshubPath } from '@cosmjs/amino'
import { DirectSecp256k1HdWallet } from '@cosmjs/proto-signing'
import { GasPrice, SigningStargateClient } from '@cosmjs/stargate'
import { createWalletClient, http, parseEther } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { type Node, startNode } from '../src/index.ts'
import { exportHome } from '../src/node/export.ts'
import { diskFiles } from '../src/node/files.ts'
import { homePaths } from '../src/node/home-paths.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-genesis-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const mnemonic = 'test test test test test test test test test test test junk'
const exportAt = (home: string, height?: bigint) => exportHome(homePaths(home), diskFiles, height)

function fileOf(name: string, document: unknown): string {
  const path = join(scratch, name)
  writeFileSync(path, JSON.stringify(document, null, 1))
  return path
}

/** Sends coins twice and creates a contract, one block each. */
async function use(node: Node): Promise<void> {
  const path = makeCosmoshubPath(0)
  const wallet = await DirectSecp256k1HdWallet.fromMnemonic(mnemonic, { prefix: 'nibi', hdPaths: [path] })
  const [from] = await wallet.getAccounts()
  const client = await SigningStargateClient.connectWithSigner(node.urls.comet, wallet, {
    gasPrice: GasPrice.fromString('0.025unibi'),
    broadcastPollIntervalMs: 20,
  })
  await client.sendTokens(from!.address, node.accounts[0]!.bech32, [{ denom: 'unibi', amount: '5' }], 'auto')
  client.disconnect()
  const ethereum = createWalletClient({ account: mnemonicToAccount(mnemonic), transport: http(node.urls.jsonrpc) })
  // PUSH1 7 PUSH1 1 SSTORE; then returns one byte of code, STOP.
  await ethereum.sendTransaction({ data: '0x600760015560015ff3', value: parseEther('0.0000001'), chain: null })
}

test('a chain continues from an export of an old height, with the same answers and the same document', async () => {
  const home = join(scratch, 'first')
  const first = await startNode({ home, chain: { profile: 'nibiru' } })
  await use(first)
  const height = first.height
  await first.nextBlock()
  const holder = first.accounts[10]!.bech32
  const before = await first.query(`/nibiru/evm/v1/balances/${holder}`)
  await first.stop()
  const document = await exportAt(home, height)
  expect(document.initial_height).toBe((height + 1n).toString())
  expect((await exportAt(home)).initial_height).toBe((height + 2n).toString())

  const second = join(scratch, 'second')
  const genesis = fileOf('export.json', document)
  await using again = await startNode({
    home: second,
    chain: { profile: 'nibiru', genesis },
    blocks: { time: 'manual' },
  })
  expect(again.height).toBe(height + 1n)
  expect(await again.query(`/nibiru/evm/v1/balances/${holder}`)).toEqual(before)
  const { app_state: state, validators, consensus_params } = await exportAt(second)
  expect([validators, consensus_params]).toEqual([document.validators, document.consensus_params])
  for (const name of ['auth', 'staking', 'sudo', 'tokenfactory', 'inflation']) {
    expect(state[name], name).toEqual(document.app_state[name])
  }
  // The first block distributes the fees of the last one.
  const supplyOf = ({ bank }: Record<string, unknown>) => (bank as { supply: unknown }).supply
  expect(supplyOf(state)).toEqual(supplyOf(document.app_state))
  await again.nextBlock()
  expect(again.height).toBe(height + 2n)
})

test('an exported localnet of several validators continues with the signatures of all of them', async () => {
  const home = join(scratch, 'several')
  const first = await startNode({ home, ports: false, chain: { validators: 3 }, blocks: { time: 'manual' } })
  await first.nextBlock()
  await first.stop()
  const second = join(scratch, 'several-again')
  mkdirSync(second)
  copyFileSync(homePaths(home).validatorKey, homePaths(second).validatorKey)
  const genesis = fileOf('several.json', await exportAt(home))
  await using again = await startNode({ home: second, ports: false, chain: { genesis }, blocks: { time: 'manual' } })
  for (let i = 0; i < 3; i++) await again.nextBlock()
  const { block } = (await again.query('/sdk/base/tendermint/v1beta1/blocks/latest')) as {
    readonly block: { readonly last_commit: { readonly signatures: readonly { readonly block_id_flag: string }[] } }
  }
  expect(block.last_commit.signatures.map(({ block_id_flag: flag }) => flag)).toEqual(
    Array(3).fill('BLOCK_ID_FLAG_COMMIT'),
  )
})

test('errors of a document are reported before a home is created', async () => {
  const home = join(scratch, 'source')
  const node = await startNode({ home, ports: false })
  await node.stop()
  const good = await exportAt(home)
  const part = (name: string) => good.app_state[name] as Record<string, never[]>
  const withState = (change: object) => ({ ...good, app_state: { ...good.app_state, ...change } })
  const accounts = part('auth')['accounts']!
  const cases: [string, unknown, RegExp][] = [
    ['unknown module', withState({ oracel: {} }), /app_state\.oracel: unknown module/],
    [
      'duplicate account',
      withState({ auth: { accounts: [...accounts, accounts[0]] } }),
      /module auth: duplicate account in genesis: chain1/,
    ],
    [
      'supply',
      withState({ bank: { ...part('bank'), supply: [{ denom: 'unative', amount: '1' }] } }),
      /module bank: genesis supply is incorrect, expected \d+unative, got 1unative/,
    ],
    ['a field', withState({ sudo: { sudoer: {} } }), /module sudo: sudo: unknown field sudoer/],
    [
      'validators',
      { ...good, validators: [{ pub_key: { value: 'AAAA' }, power: '1' }] },
      /validators\[0\]: staking has no bonded/,
    ],
    ['time', { ...good, genesis_time: 'yesterday' }, /genesis_time: must be an RFC 3339 time/],
    ['chain id', { ...good, chain_id: '' }, /chain_id: must be a text/],
  ]
  for (const [name, document, message] of cases) {
    const target = join(scratch, name)
    const genesis = fileOf(`${name}.json`, document)
    await expect(startNode({ home: target, ports: false, chain: { genesis } }), name).rejects.toThrow(message)
    expect(diskFiles.exists(homePaths(target).record), name).toBe(false)
  }
  const genesis = fileOf('good.json', good)
  const start = (chain: object) => startNode({ ports: false, chain: { genesis, ...chain } })
  await expect(start({ id: 'other-1' })).rejects.toThrow('chain_id is almanac-localnet-1, but --chain-id is other-1')
  await expect(start({ balance: 5n })).rejects.toThrow('chain.balance (--balance) is for a new localnet')
  await expect(start({ profile: 'nibiru' })).rejects.toThrow(
    /module auth: accounts\[0\]|module auth: auth\.accounts\[0\]/,
  )
  writeFileSync(genesis, readFileSync(genesis, 'utf8').slice(0, 5000))
  await expect(start({})).rejects.toThrow(/good\.json: line \d+, column \d+, in app_state\..*it is cut off/)
  await expect(startNode({ ports: false, chain: { profile: 'nibbles' } })).rejects.toThrow('no profile of that name')
})

test('a chain with a profile file has its names, prefixes and ids, and keeps them without the file', async () => {
  const [, json] = /```json\n([\s\S]*?)```/.exec(readFileSync('docs/profiles.md', 'utf8'))!
  const profile = join(scratch, 'mine.json')
  writeFileSync(profile, json!)
  const home = join(scratch, 'mine')
  const first = await startNode({ home, chain: { profile } })
  await first.stop()
  rmSync(profile)
  await using node = await startNode({ home })
  expect([node.chainId, node.evmChainId]).toEqual(['mine-1', 4242])
  expect(await node.query('/mine/evm/v1/base_fee')).toEqual({ base_fee: '1000000000000', base_fee_umine: '1' })
  const { account } = await node.query(`/cosmos/auth/v1beta1/accounts/${node.accounts[0]!.bech32}`)
  expect(account).toMatchObject({
    '@type': '/cosmos.auth.v1beta1.BaseAccount',
    address: expect.stringMatching(/^mine1/),
  })
})
