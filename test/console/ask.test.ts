/** The snippets that the console offers for copying, run by the programs that they are for. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { methods } from '../../src/identity/registry.ts'
import { engine, eth, type Question, rest } from '../../web/src/api/question.ts'
import { evmAddressOf } from '../../web/src/ask/doors.ts'
import { findOperation, type OpenApi, templatesOf } from '../../web/src/ask/operations.ts'
import { FIELD_NUMBERS } from '../../web/src/ask/request-bytes.ts'
import { type AskedNode, snippetsOf } from '../../web/src/ask/snippets.ts'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

const root = join(import.meta.dirname, '../..')
/** Programs are inside the checkout, so that they find their packages as those of a user do. */
const folder = mkdtempSync(join(root, 'node_modules/.ask-'))
const running: NodeProcess[] = []
let node: NodeProcess
let asked: AskedNode

async function askedOf({ config }: NodeProcess, baseDenom: string): Promise<AskedNode> {
  const document = (await (await fetch(`${config.urls.rest}/openapi.json`)).json()) as OpenApi
  return { addresses: config.urls, baseDenom, templates: templatesOf(document) }
}

beforeAll(async () => {
  node = await startProcess(['--ephemeral', '--block-time', 'manual'])
  running.push(node)
  for (let i = 0; i < 12; i++) await rpc(node.config, 'evm_mine')
  asked = await askedOf(node, 'unative')
})
afterAll(async () => {
  for (const one of running) await one[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

function textFor(question: Question, client: string, height?: string): string {
  const found = snippetsOf(question, asked, height).find((snippet) => snippet.client === client)
  return found?.text ?? `no ${client}: ${found?.reason}`
}

/** Runs a snippet as its reader would: in a shell, or as a module of Node.js. Returns its output. */
function runSnippet(text: string, language: 'sh' | 'js'): string {
  const file = join(folder, `snippet.${language === 'js' ? 'mjs' : 'sh'}`)
  writeFileSync(file, language === 'js' ? text : `almanac() { '${join(root, 'bin/almanac')}' "$@"; }\n${text}\n`)
  const { stdout, stderr, status } = spawnSync(language === 'js' ? process.execPath : 'bash', [file], {
    encoding: 'utf8',
    timeout: 120_000,
  })
  if (status !== 0) throw new Error(`${text}\n${stderr}${stdout}`)
  return stdout
}

function answerOf(question: Question, client: string, height?: string, of = asked): string {
  const snippet = snippetsOf(question, of, height).find((one) => one.client === client)!
  if (snippet.text === undefined) throw new Error(`${client}: ${snippet.reason}`)
  return runSnippet(snippet.text, snippet.language)
}

test('a balance is the same for every client, at the height shown and at another', () => {
  const { address } = node.config.accounts[0]!
  const question = eth('eth_getBalance', address, '0x2')
  const wei = 10n ** 24n
  expect(JSON.parse(answerOf(question, 'curl')).result).toBe(`0x${wei.toString(16)}`)
  for (const client of ['viem', 'ethers']) expect(answerOf(question, client)).toContain(`${wei}n`)
  expect(answerOf(question, 'command line')).toContain(`balance_wei: "${wei}"`)
  expect(textFor(question, 'grpcurl')).toContain(`-H 'x-sdk-block-height: 2'`)
  const latest = eth('eth_getBalance', address, 'latest')
  expect(textFor(latest, 'viem')).not.toContain('blockNumber')
  expect(textFor(latest, 'command line')).not.toContain('--height')
})

test('a coin of the bank is read by path, by precompile, by types of the SDK and by flags', () => {
  const { bech32 } = node.config.accounts[1]!
  const question = rest(`/sdk/bank/v1beta1/balances/${bech32}/by_denom?denom=none`)
  expect(JSON.parse(answerOf(question, 'curl', '3'))).toEqual({ balance: { denom: 'none', amount: '0' } })
  expect(answerOf(question, 'viem', '3')).toContain('0n')
  expect(answerOf(question, 'ethers', '3')).toContain('0n')
  expect(answerOf(question, 'CosmJS', '3')).toContain(`denom: 'none', amount: '0'`)
  expect(answerOf(question, 'command line', '3')).toContain('denom: none')
})

test('lists with a page, booleans and several values are asked the same way', () => {
  const question = rest('/sdk/bank/v1beta1/supply?pagination.limit=5&pagination.reverse=true')
  expect(JSON.parse(answerOf(question, 'curl')).supply).toHaveLength(1)
  expect(answerOf(question, 'CosmJS')).toContain('unative')
  expect(answerOf(question, 'command line')).toContain('unative')
  expect(textFor(question, 'grpcurl')).toContain(`-d '{"pagination":{"limit":"5","reverse":true}}'`)
  const several = rest('/sdk/bank/v1beta1/send_enabled?denoms=aaa&denoms=bbb')
  expect(JSON.parse(answerOf(several, 'curl')).send_enabled).toEqual([])
  expect(answerOf(several, 'CosmJS')).toContain('sendEnabled: []')
  expect(answerOf(several, 'command line')).toContain('send_enabled: []')
})

const hasGrpcurl = spawnSync('grpcurl', ['-version']).status === 0

const unscaled = (decimal: string): string =>
  `${decimal.startsWith('-') ? '-' : ''}${decimal.replace(/[-.]/g, '').replace(/^0+/, '')}`
/** Operations with bytes that REST shows as text: an address of the EVM, and decimals. */
const SHOWN_AS_TEXT = ['/chain/evm/v1/params', '/sdk/slashing/v1beta1/params']

/** Returns every text, number and truth value of an answer as text, without those that protobuf leaves out. */
function leavesOf(value: unknown): string[] {
  if (typeof value === 'object' && value !== null) {
    // The name of a type differs by the family of names in which it is asked.
    return Object.entries(value).flatMap(([key, one]) => (key === '@type' ? [] : leavesOf(one)))
  }
  // A decimal is the integer of its 10^-18 parts over gRPC.
  const text = /^-?\d+\.\d{18}$/.test(String(value)) ? unscaled(String(value)) : String(value)
  return ['null', '', 'false', '0'].includes(text) ? [] : [text]
}

test.runIf(hasGrpcurl)('grpcurl gives the answer of curl for every operation', () => {
  const { address, bech32 } = node.config.accounts[0]!
  const { validators } = JSON.parse(answerOf(rest('/sdk/staking/v1beta1/validators'), 'curl'))
  const values: Readonly<Record<string, string>> = {
    ...{
      address,
      bech32,
      height: '2',
      id: '1',
      denom: 'unative',
      pair: 'ubtc:uusd',
      identifier: 'day',
      proposal_id: '1',
    },
    ...{ validator_addr: validators[0].operator_address, validator_address: validators[0].operator_address },
  }
  const compared: string[] = []
  const different: unknown[] = []
  for (const { template } of asked.templates) {
    const path = template.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? bech32))
    const question = rest(path)
    const snippet = snippetsOf(question, asked, '3').find(({ client }) => client === 'grpcurl')!
    if (snippet.text === undefined || SHOWN_AS_TEXT.includes(template)) continue
    const answer = JSON.parse(answerOf(question, 'curl', '3'))
    if ('code' in answer && 'details' in answer) {
      expect(() => runSnippet(snippet.text!, 'sh'), template).toThrow()
      continue
    }
    const given = leavesOf(JSON.parse(runSnippet(snippet.text, 'sh'))).sort()
    const wanted = leavesOf(answer).sort()
    if (JSON.stringify(given) === JSON.stringify(wanted)) compared.push(template)
    else
      different.push([
        snippet.text,
        given.filter((one) => !wanted.includes(one)),
        wanted.filter((one) => !given.includes(one)),
      ])
  }
  expect(different).toEqual([])
  expect(compared.length).toBeGreaterThan(60)
})

test('a question that leaves fields out, or names a value of an enumeration, reaches the node as it is', () => {
  const validators = rest('/sdk/staking/v1beta1/validators?pagination.limit=5')
  expect(answerOf(validators, 'CosmJS')).toContain('status: 3,')
  const proposals = rest('/sdk/gov/v1/proposals?pagination.limit=5&pagination.reverse=true')
  expect(answerOf(proposals, 'CosmJS')).toContain('proposals: []')
  const query = encodeURIComponent("message.sender='chain1none' AND tx.height<=9")
  const txs = rest(`/sdk/tx/v1beta1/txs?query=${query}&order_by=ORDER_BY_DESC&limit=5`)
  expect(answerOf(txs, 'CosmJS')).toContain('txs: []')
  expect(answerOf(txs, 'command line')).toContain('txs: []')
})

test('the types that the programs for CosmJS import are exported', () => {
  const require = createRequire(import.meta.url)
  const imported = asked.templates.flatMap(({ template }) => {
    const text = textFor(rest(template.replace(/\{[^}]+\}/g, '1')), 'CosmJS')
    const [, names, file] = /import \{ (.+) \} from '(cosmjs-types.+)'/.exec(text) ?? []
    return names === undefined ? [] : names.split(', ').map((name) => ({ name, file: file! }))
  })
  expect(imported.length).toBeGreaterThan(100)
  const exported = (file: string): string[] =>
    existsSync(`${join(root, 'node_modules', file)}.js`) ? Object.keys(require(file)) : []
  expect(imported.filter(({ name, file }) => !exported(file).includes(name))).toEqual([])
})

test('operations of the chain, and a price that no height has, have the same error for every client', () => {
  const question = rest('/chain/epochs/v1beta1/current_epoch?identifier=30+min')
  expect(JSON.parse(answerOf(question, 'curl'))).toEqual({ current_epoch: '1' })
  expect(answerOf(question, 'CosmJS', '2').trim()).toBe('0801')
  expect(answerOf(question, 'command line')).toContain('current_epoch: "1"')
  const { reason } = snippetsOf(question, asked).find(({ client }) => client === 'viem')!
  expect(reason).toMatch(/^The EVM has no way/)
  const price = rest('/chain/oracle/v1beta1/exchange_rate?pair=none:uusd')
  expect(JSON.parse(answerOf(price, 'curl')).code).toBe(5)
  for (const client of ['viem', 'ethers', 'CosmJS', 'command line']) expect(() => answerOf(price, client)).toThrow()
})

test('a method of JSON-RPC without an operation says so, and runs for clients of Ethereum', () => {
  const question = eth('eth_getBlockByNumber', '0x2', false)
  expect(JSON.parse(answerOf(question, 'curl')).result.number).toBe('0x2')
  for (const client of ['viem', 'ethers']) expect(answerOf(question, client)).toContain(`number: '0x2'`)
  expect(snippetsOf(question, asked).filter(({ text }) => text === undefined)).toHaveLength(3)
})

test('the RPC of the engine is asked by curl and by CosmJS, and a protocol that is off is named', () => {
  const block = engine('block', { height: '2' })
  expect(JSON.parse(answerOf(block, 'curl')).result.block.header.height).toBe('2')
  expect(answerOf(block, 'CosmJS')).toContain('height: 2')
  expect(textFor(engine('tx_search', { query: 'a=1' }), 'CosmJS')).toMatch(/no function/)
  const without = { ...asked, addresses: { rest: asked.addresses.rest } }
  expect(snippetsOf(block, without)[0]).toMatchObject({ reason: 'The CometBFT RPC is turned off on this node.' })
  const balance = snippetsOf(eth('eth_getBalance', `0x${'11'.repeat(20)}`, 'latest'), without)
  expect(balance.filter(({ text }) => text !== undefined).map(({ client }) => client)).toEqual(['command line'])
})

test('the names are those of the profile', async () => {
  const other = await startProcess(['--ephemeral', '--block-time', 'manual', '--profile', 'nibiru'])
  running.push(other)
  const nibiru = await askedOf(other, 'unibi')
  const question = rest('/chain/inflation/v1/params')
  const found = snippetsOf(question, nibiru, '1')
  expect(found[0]!.text).toContain("-H 'x-cosmos-block-height: 1'")
  expect(found[0]!.text).toContain('/nibiru/inflation/v1/params')
  expect(found[1]!.text).toContain('nibiru.inflation.v1.Query/Params')
  expect(JSON.parse(answerOf(question, 'curl', '1', nibiru)).params.inflation_enabled).toBe(false)
  expect(answerOf(question, 'CosmJS', undefined, nibiru)).toMatch(/^0a/)
  expect(answerOf(question, 'command line', '1', nibiru)).toContain('inflation_enabled: false')
  const coin = rest(`/sdk/bank/v1beta1/balances/${other.config.accounts[0]!.bech32}/by_denom?denom=unibi`)
  expect(answerOf(coin, 'CosmJS', undefined, nibiru)).toContain("denom: 'unibi'")
  expect(answerOf(coin, 'viem', undefined, nibiru)).toContain(`${10n ** 24n}n`)
})

test('texts with quotes and dollars reach the node as they are', () => {
  const path = `/chain/oracle/v1beta1/exchange_rate?pair=${encodeURIComponent(`a'b"c$HOME\\`)}`
  expect(JSON.parse(answerOf(rest(path), 'curl')).message).toContain(`a'b`)
  expect(() => answerOf(rest(path), 'command line')).toThrow(/a'b"c\$HOME/)
  expect(() => answerOf(rest(path), 'viem')).toThrow(/a'b|revert/)
})

test('the numbers of request fields are those of the descriptors', () => {
  const known = new Map(
    [...methods.values()].map((method) => [`${method.parent.typeName.split('.').at(-3)}.${method.name}`, method]),
  )
  for (const [name, numbers] of Object.entries(FIELD_NUMBERS)) {
    const fields = known.get(name)?.input.fields ?? []
    expect([name, fields.filter((field) => field.name in numbers).map((field) => [field.name, field.number])]).toEqual([
      name,
      Object.entries(numbers),
    ])
  }
})

test('an address is found in either form, and a path with the longest fixed part wins', () => {
  const { address, bech32 } = node.config.accounts[0]!
  expect(evmAddressOf(bech32)).toBe(address.toLowerCase())
  expect(evmAddressOf('chain1short')).toBeUndefined()
  const latest = findOperation(asked.templates, '/sdk/base/tendermint/v1beta1/blocks/latest')
  expect(latest?.rpc).toBe('GetLatestBlock')
  expect(findOperation(asked.templates, '/chain/tokenfactory/v1/denom-info/tf/a/b')?.fields[0]?.value).toBe('tf/a/b')
  expect(findOperation(asked.templates, '/chain/nowhere')).toBeUndefined()
  // The path of two operations, of which the node answers this one.
  expect(findOperation(asked.templates, `/sdk/auth/v1beta1/bech32/${bech32}`)?.rpc).toBe('AddressStringToBytes')
})
