/** Grants from the command line: the flags come from the descriptors, nested messages are JSON. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Node, startNode } from '../index.ts'
import { formatBech32 } from '../primitives/address.ts'
import { createKeyring } from './keyring.ts'
import { keyOfMnemonic } from './keys/mnemonic.ts'
import { queryCommand } from './query.ts'
import type { Terminal } from './terminal.ts'
import { txCommand } from './tx.ts'

let node: Node
let home: string
let [alice, bob] = ['', '']

beforeAll(async () => {
  node = await startNode({ api: { minGasPrice: '0.025unative' } })
  home = mkdtempSync(join(tmpdir(), 'almanac-grants-'))
  const keyring = createKeyring({ home, backend: 'test', askPassphrase: async () => '' })
  const paths = ["m/44'/118'/0'/0/0", "m/44'/118'/0'/0/1"]
  for (const [i, name] of ['alice', 'bob'].entries()) {
    await keyring.add(name, 'secp256k1', keyOfMnemonic(node.mnemonic, paths[i]!))
  }
  ;[alice, bob] = paths.map((path) => node.accounts.find((one) => one.path === path)!.bech32) as [string, string]
})
afterAll(async () => {
  await node?.stop()
  rmSync(home, { recursive: true })
})

const printed: string[] = []
const terminal: Terminal = {
  print: (text) => printed.push(text),
  note: () => {},
  interactive: false,
  ask: async () => undefined,
  askSecret: async () => undefined,
}

async function run(command: 'tx' | 'query', words: readonly string[]): Promise<Record<string, unknown>> {
  printed.length = 0
  const fixed = ['--node', node.urls.rest, '--output', 'json']
  if (command === 'tx') fixed.push('--home', home, '--keyring-backend', 'test', '--yes')
  const program = command === 'tx' ? txCommand(terminal) : queryCommand(terminal)
  await program.parseAsync([...words, ...fixed], { from: 'user' })
  return JSON.parse(printed.join('\n')) as Record<string, unknown>
}

test('a limit is granted, used and shown', async () => {
  const authorization = {
    '@type': '/sdk.bank.v1beta1.SendAuthorization',
    spend_limit: [{ denom: 'unative', amount: '100' }],
  }
  const grant = JSON.stringify({ authorization })
  const granted = ['authz', 'grant', '--from', 'alice', '--grantee', bob, '--grant', grant]
  expect(await run('tx', granted)).toMatchObject({ code: 0 })
  const amount = [{ denom: 'unative', amount: '30' }]
  const send = { '@type': '/sdk.bank.v1beta1.MsgSend', from_address: alice, to_address: bob, amount }
  expect(await run('tx', ['authz', 'exec', '--from', 'bob', '--msgs', JSON.stringify(send)])).toMatchObject({
    code: 0,
  })
  expect(await run('query', ['authz', 'grants', '--granter', alice, '--grantee', bob])).toMatchObject({
    grants: [{ authorization: { spend_limit: [{ denom: 'unative', amount: '70' }] } }],
  })
})

test('an allowance pays the fee if --fee-granter names its granter', async () => {
  const allowance = JSON.stringify({ '@type': '/sdk.feegrant.v1beta1.BasicAllowance', spend_limit: [] })
  const granted = ['feegrant', 'grant-allowance', '--from', 'alice', '--grantee', bob, '--allowance', allowance]
  expect(await run('tx', granted)).toMatchObject({ code: 0 })
  const send = ['bank', 'send', '--from', 'bob', '--to-address', alice, '--amount', '5unative']
  const balance = async () => {
    const { balance } = await run('query', ['bank', 'balance', bob, '--denom', 'unative'])
    return BigInt((balance as { amount: string }).amount)
  }
  const before = await balance()
  expect(await run('tx', [...send, '--fee-granter', alice])).toMatchObject({ code: 0 })
  expect(before - (await balance())).toBe(5n)
  await expect(run('tx', [...send, '--fee-granter', bob.replace(/.$/, 'q')])).rejects.toThrow('bech32')
})

test('the files of the family become messages, and what is wrong in one is named', async () => {
  const file = (content: unknown) => {
    const path = join(home, 'family.json')
    writeFileSync(path, JSON.stringify(content))
    return path
  }
  const sudo = { action: 'add_contracts', contracts: [bob] }
  const made = await run('tx', ['sudo', 'edit', file(sudo), '--from', 'alice', '--generate-only', '--gas', '200000'])
  expect(made).toMatchObject({
    body: { messages: [{ '@type': '/chain.sudo.v1.MsgEditSudoers', ...sudo, sender: alice }] },
  })
  const edit = (content: unknown) => run('tx', ['sudo', 'edit', file(content), '--from', 'alice'])
  await expect(edit({ action: 1 })).rejects.toThrow('family.json: must have a text action and a list contracts')
  await expect(edit({ ...sudo, contract: [alice] })).rejects.toThrow(
    'family.json: unknown field "contract": must be one of action, contracts',
  )
  await expect(edit(null)).rejects.toThrow('family.json: must be a JSON object')
  await expect(run('tx', ['sudo', 'edit', '/dev/zero', '--from', 'alice'])).rejects.toThrow(
    '/dev/zero: must be a file or a pipe, and is a device',
  )

  const to = formatBech32('chain', new Uint8Array(20).fill(5))
  const vest = (content: unknown) =>
    run('tx', ['vesting', 'create-periodic-vesting-account', to, file(content), '--from', 'alice'])
  const periods = [
    { coins: '10unative', length_seconds: 2_592_000 },
    { coins: '5unative', length_seconds: 60 },
  ]
  await expect(vest({ start_time: 'now', periods })).rejects.toThrow('start_time: must be a Unix time')
  await expect(vest({ start_time: 1, periods: [] })).rejects.toThrow('periods: must be a list with a period')
  await expect(vest({ start_time: 1, periods: [{ ...periods[0], coins: '5' }] })).rejects.toThrow(
    'periods[0].coins 5: ',
  )
  await expect(vest({ start_time: 1, periods: [periods[0], { coins: '5unative' }] })).rejects.toThrow(
    'periods[1].length_seconds: must be a number of seconds',
  )
  await expect(vest({ start_time: 1, periods: [{ ...periods[0], length: 5 }] })).rejects.toThrow(
    'periods[0]: unknown field "length": must be one of coins, length_seconds',
  )
  expect(await vest({ start_time: 1_625_204_910, periods })).toMatchObject({ code: 0 })
  expect(await run('query', ['auth', 'account', to])).toMatchObject({
    account: {
      '@type': '/cosmos.vesting.v1beta1.PeriodicVestingAccount',
      start_time: '1625204910',
      vesting_periods: [
        { length: '2592000', amount: [{ denom: 'unative', amount: '10' }] },
        { length: '60', amount: [{ denom: 'unative', amount: '5' }] },
      ],
    },
  })
})
