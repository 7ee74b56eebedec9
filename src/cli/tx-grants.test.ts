/** Grants from the command line: the flags come from the descriptors, nested messages are JSON. */
import { mkdtempSync, rmSync } from 'node:fs'
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
