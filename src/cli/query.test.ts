import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getOption } from '@bufbuild/protobuf'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { http } from '../gen/google/api/annotations_pb.ts'
import { methods } from '../identity/registry.ts'
import { kebab } from './flags.ts'
import { moduleOf, queryCommand } from './query.ts'
import type { Terminal } from './terminal.ts'

let server: Server
let url: string
const seen: { url: string; height: string | undefined }[] = []

/** Starts a server that records its requests, and refuses some as a node does. */
beforeAll(async () => {
  server = createServer((request, response) => {
    const height = request.headers['x-sdk-block-height'] as string | undefined
    seen.push({ url: request.url!, height })
    const refused = request.url!.includes('refused')
    const wrong = request.url!.includes('wrong')
    const violation = { '@type': '/chain.errors.v1.FieldViolation', field: 'denom', description: 'invalid denom: ' }
    const body = wrong
      ? { error: 'invalid denom: ', code: 3, message: 'invalid denom: ', details: [violation] }
      : refused
        ? { error: 'no', code: 5, message: 'no such thing', details: [] }
        : { asked: '007', list: [] }
    response
      .writeHead(wrong ? 400 : refused ? 404 : 200, { 'Content-Type': 'application/json' })
      .end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

async function query(...args: string[]): Promise<string> {
  const printed: string[] = []
  const terminal: Terminal = {
    print: (text) => printed.push(text),
    note: () => {},
    interactive: false,
    ask: async () => undefined,
    askSecret: async () => undefined,
  }
  await queryCommand(terminal).parseAsync([...args, '--node', url], { from: 'user' })
  return printed.join('\n')
}

test('query tx shows a transaction, and its operations have their own flags', async () => {
  const hash = 'AB'.repeat(32)
  await query('tx', hash)
  expect(seen.at(-1)!.url).toBe(`/cosmos/tx/v1beta1/txs/${hash}`)
  await query('tx', 'get-tx', hash, '--height', '7')
  expect(seen.at(-1)).toEqual({ url: `/cosmos/tx/v1beta1/txs/${hash}`, height: '7' })
  await query('tx', 'get-txs-event', '--query', "a='b'", '--limit', '5')
  expect(seen.at(-1)!.url).toBe(`/cosmos/tx/v1beta1/txs?limit=5&query=a%3D%27b%27`)
})

test('path variables are positional, other fields are flags, and names can have underscores', async () => {
  await query('bank', 'balance', 'chain1abc', '--denom', 'factory/x/y', '--height', '7')
  expect(seen.at(-1)).toEqual({
    url: '/cosmos/bank/v1beta1/balances/chain1abc/by_denom?denom=factory%2Fx%2Fy',
    height: '7',
  })
  await query('bank', 'all_balances', 'chain1abc', '--page-limit', '5', '--page-reverse')
  expect(seen.at(-1)!.url).toBe('/cosmos/bank/v1beta1/balances/chain1abc?pagination.limit=5&pagination.reverse=true')
  await query('evm', 'eth-account', '0x00')
  expect(seen.at(-1)!.url).toBe('/chain/evm/v1/eth_account/0x00')
})

test('an operation can be called by its name in the path', async () => {
  await query('evm', 'balances', '0x00', '--height', '3')
  expect(seen.at(-1)).toEqual({ url: '/chain/evm/v1/balances/0x00', height: '3' })
  await query('evm', 'base_fee')
  expect(seen.at(-1)!.url).toBe('/chain/evm/v1/base_fee')
})

test('the operation’s name selects one of three operations on the same path', async () => {
  await query('devgas', 'fee-shares-by-withdrawer', 'chain1abc')
  expect(seen.at(-1)!.url).toBe('/chain/devgas/v1/fee_shares/chain1abc?by=withdrawer')
})

test('resolve queries that path without a role', async () => {
  await query('devgas', 'resolve', '0xAb', '--height', '3')
  expect(seen.at(-1)).toEqual({ url: '/chain/devgas/v1/fee_shares/0xAb', height: '3' })
  expect(await query('devgas', 'resolve', 'chain1abc', '--by', 'contract', '-o', 'json')).toBe(
    '{"asked":"007","list":[]}',
  )
  expect(seen.at(-1)!.url).toBe('/chain/devgas/v1/fee_shares/chain1abc?by=contract')
})

test('answers are JSON, or YAML in which strings stay strings', async () => {
  const yaml = await query('evm', 'params')
  expect(yaml).toBe('asked: "007"\nlist: []')
  expect(parse(yaml)).toEqual(JSON.parse(await query('evm', 'params', '--output', 'json')))
})

test('an error shows the node’s own message', async () => {
  await expect(query('evm', 'eth-account', 'refused')).rejects.toThrow('no such thing')
  await expect(query('evm', 'params', '--output', 'xml')).rejects.toThrow('--output xml')
})

test('an error of a field whose flag is absent names the flag, and one of a given flag is the node’s', async () => {
  await expect(query('bank', 'balance', 'wrong')).rejects.toThrow(/^--denom is required$/)
  await expect(query('bank', 'balance', 'wrong', '--denom', '!')).rejects.toThrow(/^invalid denom: $/)
})

test('every GET operation of a query service has a command', () => {
  const terminal = {} as Terminal
  const commands = new Map(
    queryCommand(terminal).commands.map((one) => [one.name(), one.commands.map((c) => c.name())]),
  )
  const missing = [...methods.values()]
    .filter((method) => method.parent.name === 'Query' && getOption(method, http).pattern.case === 'get')
    .map((method) => [moduleOf(method.parent.file.proto.package), kebab(method.name)] as const)
    .filter(([module, name]) => !commands.get(module)?.includes(name))
  expect(missing.map((pair) => pair.join(' '))).toEqual([])
})
