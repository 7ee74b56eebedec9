import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Node, startNode } from '../index.ts'
import { createKeyring } from './keyring.ts'
import { keyOfMnemonic } from './keys/mnemonic.ts'
import { queryCommand } from './query.ts'
import type { Terminal } from './terminal.ts'
import { txCommand } from './tx.ts'

let node: Node
let home: string
let bob: string

beforeAll(async () => {
  node = await startNode({ api: { minGasPrice: '0.025unative' } })
  home = mkdtempSync(join(tmpdir(), 'almanac-tx-'))
  const keyring = createKeyring({ home, backend: 'test', askPassphrase: async () => '' })
  await keyring.add('alice', 'secp256k1', keyOfMnemonic(node.mnemonic, "m/44'/118'/0'/0/0"))
  await keyring.add('eve', 'eth_secp256k1', keyOfMnemonic(node.mnemonic, "m/44'/60'/0'/0/0"))
  await keyring.add('nobody', 'secp256k1', new Uint8Array(32).fill(9))
  bob = node.accounts.find(({ path }) => path === "m/44'/118'/0'/0/1")!.bech32
})
afterAll(async () => {
  await node?.stop()
  rmSync(home, { recursive: true })
})

function recorder(answers: string[] = [], interactive = false) {
  const printed: string[] = []
  const answer = async () => answers.shift()
  const terminal: Terminal = {
    print: (text) => printed.push(text),
    note: () => {},
    interactive,
    ask: answer,
    askSecret: answer,
  }
  return { printed, terminal }
}

async function tx(words: string, answers?: string[]): Promise<Record<string, unknown>> {
  const { printed, terminal } = recorder(answers, answers !== undefined)
  const fixed = ['--home', home, '--keyring-backend', 'test', '--node', node.urls.rest, '--output', 'json']
  if (!answers) fixed.push('--yes')
  await txCommand(terminal).parseAsync([...words.split(' '), ...fixed], { from: 'user' })
  return JSON.parse(printed.join('\n')) as Record<string, unknown>
}

async function balance(address: string): Promise<bigint> {
  const { printed, terminal } = recorder()
  const words = ['bank', 'balance', address, '--denom', 'unative', '--node', node.urls.rest, '--output', 'json']
  await queryCommand(terminal).parseAsync(words, { from: 'user' })
  return BigInt((JSON.parse(printed.join('')) as { balance: { amount: string } }).balance.amount)
}

test.each(['alice', 'eve'])('%s sends coins with estimated gas at the minimum price of the node', async (name) => {
  const before = await balance(bob)
  const sent = await tx(`bank send --from ${name} --to-address ${bob} --amount 5unative --note hello`)
  expect(sent).toMatchObject({ code: 0, txhash: expect.stringMatching(/^[0-9A-F]{64}$/) })
  expect(await balance(bob)).toBe(before + 5n)
  const { tx: found } = (await node.query(`/sdk/tx/v1beta1/txs/${sent['txhash']}`)) as {
    tx: { body: { memo: string }; auth_info: { fee: { amount: { amount: string }[]; gas_limit: string } } }
  }
  expect(found.body.memo).toBe('hello')
  const { amount, gas_limit } = found.auth_info.fee
  expect(BigInt(amount[0]!.amount)).toBe((BigInt(gas_limit) * 25n + 999n) / 1000n)
})

test('a dry run and an unsigned transaction send nothing', async () => {
  const height = node.height
  const words = `bank send --from alice --to-address ${bob} --amount 5unative`
  expect(BigInt((await tx(`${words} --dry-run`))['gas_estimate'] as string)).toBeGreaterThan(21_000n)
  const unsigned = await tx(`${words} --generate-only --gas 100000 --fees 7unative`)
  expect(unsigned).toMatchObject({
    body: { messages: [{ '@type': '/cosmos.bank.v1beta1.MsgSend', to_address: bob }] },
    auth_info: { fee: { amount: [{ denom: 'unative', amount: '7' }], gas_limit: '100000' } },
  })
  expect(node.height).toBe(height)
})

test('asks for confirmation on a terminal, and sends nothing after a no', async () => {
  const words = `bank send --from alice --to-address ${bob} --amount 5unative`
  await expect(tx(words, ['n'])).rejects.toThrow('nothing sent')
  expect(await tx(words, ['y'])).toMatchObject({ code: 0 })
})

test('sends nothing without --yes if standard input is not a terminal', async () => {
  const height = node.height
  const words = ['bank', 'send', '--from', 'alice', '--to-address', bob, '--amount', '5unative']
  const fixed = ['--home', home, '--keyring-backend', 'test', '--node', node.urls.rest]
  const sent = txCommand(recorder().terminal).parseAsync([...words, ...fixed], { from: 'user' })
  await expect(sent).rejects.toThrow('nothing sent: standard input is not a terminal, so confirm with --yes')
  expect(node.height).toBe(height)
})

test('an unknown account, a low fee, bad coins and bad gas are errors that name the fault', async () => {
  const send = `bank send --to-address ${bob}`
  await expect(tx(`${send} --from nobody --amount 5unative`)).rejects.toThrow(/not found/)
  await expect(tx(`${send} --from missing --amount 5unative`)).rejects.toThrow('no key named missing')
  await expect(tx(`${send} --from alice --amount 5unative --fees 1unative --gas 100000`)).rejects.toThrow(
    /insufficient fee/,
  )
  await expect(tx(`${send} --from alice --amount five`)).rejects.toThrow('--amount five: must be coins')
  await expect(tx(`${send} --from alice --amount 5unative --gas lots`)).rejects.toThrow('--gas lots')
  await expect(tx(`${send} --from alice --amount 99999999999999999unative`)).rejects.toThrow(/insufficient funds/)
})

test('under a profile, addresses, fees and names are those of its chain', async () => {
  await using other = await startNode({ chain: { profile: 'nibiru' } })
  const to = other.accounts.find(({ path }) => path === "m/44'/118'/0'/0/1")!.bech32
  const { printed, terminal } = recorder()
  const words = `bank send --from alice --to-address ${to} --amount 5unibi --gas-prices 0.025unibi --profile nibiru`
  const fixed = ['--home', home, '--keyring-backend', 'test', '--node', other.urls.rest, '--output', 'json']
  await txCommand(terminal).parseAsync([...words.split(' '), ...fixed, '--generate-only'], { from: 'user' })
  const { body, auth_info } = JSON.parse(printed.pop()!)
  expect(body.messages[0]).toMatchObject({
    '@type': '/cosmos.bank.v1beta1.MsgSend',
    from_address: expect.stringMatching(/^nibi1/),
  })
  expect(auth_info.signer_infos[0].public_key['@type']).toBe('/cosmos.crypto.secp256k1.PubKey')
  await txCommand(terminal).parseAsync([...words.split(' '), ...fixed, '--yes'], { from: 'user' })
  expect(JSON.parse(printed.pop()!)).toMatchObject({ code: 0 })
  const answer = await other.query(`/cosmos/bank/v1beta1/balances/${to}/by_denom?denom=unibi`)
  expect(answer).toEqual({ balance: { denom: 'unibi', amount: '1000000000005' } })
})

test('messages of the token factory accept positional fields, under the module’s short name', async () => {
  const owner = node.accounts.find(({ path }) => path === "m/44'/118'/0'/0/0")!.bech32
  const denom = `factory/${owner}/placed`
  expect(await tx('tf create-denom placed --from alice --gas 11000000')).toMatchObject({ code: 0 })
  expect(await tx(`tf mint 70${denom} --mint-to ${bob} --from alice`)).toMatchObject({ code: 0 })
  const file = join(home, 'metadata.json')
  const { printed, terminal } = recorder()
  const asked = txCommand(terminal).parseAsync(['tf', 'set-denom-metadata', '--template'], { from: 'user' })
  await expect(asked).rejects.toMatchObject({ exitCode: 0 })
  const metadata = JSON.parse(printed.join('\n')) as { denom_units: Record<string, unknown>[] }
  writeFileSync(
    file,
    JSON.stringify({
      ...metadata,
      base: denom,
      display: denom,
      name: 'Placed',
      symbol: 'PLC',
      denom_units: [{ ...metadata.denom_units[0], denom }],
    }),
  )
  expect(await tx(`tf set-denom-metadata ${file} --from alice`)).toMatchObject({ code: 0 })
  const { printed: shown, terminal: other } = recorder()
  const words = ['tf', 'denom-info', denom, '--node', node.urls.rest, '--output', 'json']
  await queryCommand(other).parseAsync(words, { from: 'user' })
  expect(JSON.parse(shown.join(''))).toMatchObject({ admin: owner, metadata: { symbol: 'PLC' } })
  await expect(tx(`tf burn 1${denom} 2${denom} 3${denom} --from alice`)).rejects.toThrow('Expected 2 arguments')
  await expect(tx(`tf burn 1${denom} --coin 1${denom} --from alice`)).rejects.toThrow('--coin is set twice')
})
