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

beforeAll(async () => {
  node = await startNode({ chain: { votingPeriod: '600s' } })
  home = mkdtempSync(join(tmpdir(), 'almanac-tx-gov-'))
  // The first account operates the validator.
  const keyring = createKeyring({ home, backend: 'test', askPassphrase: async () => '' })
  await keyring.add('alice', 'eth_secp256k1', keyOfMnemonic(node.mnemonic, "m/44'/60'/0'/0/0"))
  await keyring.add('bob', 'secp256k1', keyOfMnemonic(node.mnemonic, "m/44'/118'/0'/0/1"))
})
afterAll(async () => {
  await node?.stop()
  rmSync(home, { recursive: true })
})

function recorder() {
  const printed: string[] = []
  const nothing = async () => undefined
  const print = (text: string) => printed.push(text)
  const terminal: Terminal = { print, note: () => {}, interactive: false, ask: nothing, askSecret: nothing }
  return { printed, terminal }
}

async function tx(words: string, from = 'alice'): Promise<Record<string, unknown>> {
  const { printed, terminal } = recorder()
  const fixed = ['--from', from, '--home', home, '--keyring-backend', 'test', '--node', node.urls.rest]
  await txCommand(terminal).parseAsync([...words.split(' '), ...fixed, '--output', 'json', '--yes'], { from: 'user' })
  return JSON.parse(printed.join('\n')) as Record<string, unknown>
}

async function query(words: string): Promise<never> {
  const { printed, terminal } = recorder()
  const fixed = ['--node', node.urls.rest, '--output', 'json']
  await queryCommand(terminal).parseAsync([...words.split(' '), ...fixed], { from: 'user' })
  return JSON.parse(printed.join('\n')) as never
}

function file(name: string, content: unknown): string {
  const path = join(home, name)
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

async function draft(...words: string[]): Promise<{ messages: Record<string, unknown>[] }> {
  const { printed, terminal } = recorder()
  await txCommand(terminal).parseAsync(['gov', 'draft-proposal', ...words], { from: 'user' })
  return JSON.parse(printed.join('\n')) as never
}

test('a proposal from a file receives deposits and votes, and executes', async () => {
  const filled = await draft('sdk.consensus.v1.MsgUpdateParams')
  const [message] = filled.messages
  expect(message).toMatchObject({ '@type': '/cosmos.consensus.v1.MsgUpdateParams' })
  const { params } = (await query('consensus params')) as { params: Record<string, { max_gas?: string }> }
  const { block, evidence, validator } = params
  const update = { '@type': message!['@type'], block: { ...block, max_gas: '50000000' }, evidence, validator }
  const path = file('proposal.json', {
    ...filled,
    messages: [update],
    title: 'gas',
    summary: 'less',
    deposit: '1unative',
  })
  expect(await tx(`gov submit-proposal ${path} --deposit 4000000unative --title faster`)).toMatchObject({ code: 0 })
  expect(await query('gov proposal 1')).toMatchObject({
    proposal: {
      title: 'faster',
      summary: 'less',
      status: 'PROPOSAL_STATUS_DEPOSIT_PERIOD',
      messages: [{ authority: message!['authority'], block: { max_gas: '50000000' } }],
    },
  })
  expect(await tx('gov deposit 1 6000000unative', 'bob')).toMatchObject({ code: 0 })
  expect(await tx('gov weighted-vote 1 yes=0.6,no=0.4')).toMatchObject({ code: 0 })
  expect(await query('gov tally 1')).toMatchObject({ tally: { yes_count: '600000000', no_count: '400000000' } })
  expect(await tx('gov vote 1 no-with-veto', 'bob')).toMatchObject({ code: 0 })
  expect(await tx('gov vote 1 yes --metadata because')).toMatchObject({ code: 0 })
  await node.advance(21_000)
  expect(await query('gov proposal 1')).toMatchObject({ proposal: { status: 'PROPOSAL_STATUS_PASSED' } })
  expect(await query('consensus params')).toMatchObject({ params: { block: { max_gas: '50000000' } } })
  const when = /1: inactive proposal.*votes during the voting period: `almanac query gov proposal 1` shows the times/
  await expect(tx('gov vote 1 no')).rejects.toThrow(when)
  await expect(tx('gov deposit 1 5unative', 'bob')).rejects.toThrow(when)
})

test('an error in a file names its place', async () => {
  const submit = (content: unknown) => tx(`gov submit-proposal ${file('wrong.json', content)}`)
  await expect(tx('gov submit-proposal nowhere.json')).rejects.toThrow('nowhere.json: cannot be read: ENOENT')
  await expect(submit('{')).rejects.toThrow('must be JSON')
  await expect(submit('[]')).rejects.toThrow('must be a JSON object')
  await expect(submit({ tittle: 'x' })).rejects.toThrow(
    'unknown field "tittle": must be one of messages, metadata, deposit',
  )
  await expect(submit({ messages: {} })).rejects.toThrow('messages must be a list')
  await expect(submit({ title: 7 })).rejects.toThrow('title must be a string')
  await expect(submit({ messages: [{ '@type': '/sdk.gov.v1.MsgVotes' }] })).rejects.toThrow(
    'proposal.messages[0]: unable to resolve type URL /sdk.gov.v1.MsgVotes',
  )
  const params = { '@type': '/sdk.gov.v1.MsgUpdateParams', params: { qourum: '0.4' } }
  await expect(submit({ messages: [params] })).rejects.toThrow('proposal.messages[0].params: unknown field qourum')
  await expect(submit({ deposit: 'all' })).rejects.toThrow('--deposit all: must be coins')
  await expect(draft('sdk.gov.v1.MsgNothing')).rejects.toThrow('unknown message type "sdk.gov.v1.MsgNothing"')
})

test('legacy proposals are made from flags or a file, and execute', async () => {
  const deposit = '10000000unative'
  const last = () => query('gov proposals --page-reverse --page-limit 1') as Promise<{ proposals: { id: string }[] }>
  const content = async () => {
    const [{ id }] = (await last()).proposals as [{ id: string }]
    const old = await (await fetch(`${node.urls.rest}/sdk/gov/v1beta1/proposals/${id}`)).json()
    return (old as { proposal: { content: unknown } }).proposal.content
  }
  const legacy = 'gov submit-legacy-proposal'
  const path = file('old.json', { type: 'Text', title: 'Words', description: 'of a file', deposit: '1unative' })
  expect(await tx(`${legacy} --proposal ${path} --deposit ${deposit} --title Other`)).toMatchObject({ code: 0 })
  expect(await content()).toEqual({
    ...{ '@type': '/sdk.gov.v1beta1.TextProposal', title: 'Other', description: 'of a file' },
  })
  const texts = `--title Up --description why --deposit ${deposit}`
  expect(await tx(`${legacy} software-upgrade v9 --upgrade-height 90000 --no-validate ${texts}`)).toMatchObject({
    code: 0,
  })
  expect(await content()).toMatchObject({
    '@type': '/sdk.upgrade.v1beta1.SoftwareUpgradeProposal',
    plan: { name: 'v9', height: '90000' },
  })
  const [{ id }] = (await last()).proposals as [{ id: string }]
  expect(await tx(`gov vote ${id} yes`)).toMatchObject({ code: 0 })
  await node.advance(601)
  expect(await query('upgrade plan')).toMatchObject({ name: 'v9', height: '90000' })
  expect(await tx(`${legacy} cancel-software-upgrade ${texts}`)).toMatchObject({ code: 0 })
  expect(await tx(`gov vote ${BigInt(id) + 1n} yes`)).toMatchObject({ code: 0 })
  await node.advance(601)
  await expect(query('upgrade plan')).rejects.toThrow('no upgrade scheduled')

  await expect(tx(`${legacy} --title a --description b --type ParameterChange`)).rejects.toThrow(
    '--type ParameterChange: must be Text; propose upgrades with',
  )
  await expect(tx(`${legacy} --title a --deposit ${deposit}`)).rejects.toThrow('proposal description cannot be blank')
  const wrong = file('old-wrong.json', { title: 'a', summary: 'b' })
  await expect(tx(`${legacy} --proposal ${wrong}`)).rejects.toThrow(
    'unknown field "summary": must be one of type, title',
  )
})

test('invalid options, weights, ids and coins are refused before anything is sent', async () => {
  await expect(tx('gov vote 1 maybe')).rejects.toThrow(
    'vote option maybe: must be one of yes, abstain, no, no_with_veto',
  )
  await expect(tx('gov weighted-vote 1 yes')).rejects.toThrow('vote option yes: must have a weight, such as yes=0.6')
  await expect(tx('gov vote one yes')).rejects.toThrow('proposal-id one: must be a whole number')
  await expect(tx('gov deposit 1 much')).rejects.toThrow('coins much: must be coins')
})
