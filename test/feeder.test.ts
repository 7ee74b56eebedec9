/** The feeder as an operator runs it, and validators that vote for false prices. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { feeder } from '../src/cli/feeder.ts'
import { createKeyring } from '../src/cli/keyring.ts'
import { keyOfMnemonic } from '../src/cli/keys/mnemonic.ts'
import { type Node, startNode } from '../src/index.ts'
import { rpc } from './support/rpc.ts'

/** Blocks in a voting period of a localnet with a feeder. */
const PERIOD = 3

async function blocks(node: Node, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await node.nextBlock()
}

async function behave(node: Node, index: number, behaviour: string): Promise<void> {
  expect(await rpc(node, 'almanac_setValidator', [index, behaviour])).toBe(true)
}

async function operators(node: Node): Promise<string[]> {
  const { validators } = (await node.query('/sdk/staking/v1beta1/validators')) as {
    validators: { operator_address: string }[]
  }
  return validators.map((validator) => validator.operator_address)
}

async function misses(node: Node): Promise<number[]> {
  const answers = (await operators(node)).map(
    (operator) =>
      node.query(`/chain/oracle/v1beta1/validators/${operator}/miss`) as Promise<{ readonly miss_counter: string }>,
  )
  return (await Promise.all(answers)).map(({ miss_counter: count }) => Number(count)).sort((a, b) => a - b)
}

async function rates(node: Node): Promise<Record<string, string>> {
  const { exchange_rates: list } = (await node.query('/chain/oracle/v1beta1/pairs/exchange_rates')) as {
    exchange_rates: { pair: string; exchange_rate: string }[]
  }
  return Object.fromEntries(list.map(({ pair, exchange_rate: rate }) => [pair, rate]))
}

/** A source of prices by URL, and the number of its requests. */
async function priceSource() {
  let answer = { status: 503, body: 'come back later' }
  let asked = 0
  const server = createServer((_request, response) => {
    asked++
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/prices`,
    asked: () => asked,
    give: (json: unknown) => {
      answer = { status: 200, body: JSON.stringify(json) }
    },
    [Symbol.dispose]: () => void server.close(),
  }
}

async function until(isTrue: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isTrue())) await new Promise((done) => setTimeout(done, 20))
}

async function prevote(node: Node, operator: string): Promise<string | undefined> {
  const response = await fetch(`${node.urls.rest}/chain/oracle/v1beta1/validators/${operator}/aggregate_prevote`)
  const { aggregate_prevote: found } = (await response.json()) as { aggregate_prevote?: { readonly hash: string } }
  return found?.hash
}

/** Starts a node whose own feeder is silent. Returns it with the flags of an external feeder for its validator. */
async function outside() {
  const node = await startNode({ feeder: { enabled: true }, blocks: { time: 'arrival' } })
  await behave(node, 0, 'silent')
  const home = mkdtempSync(join(tmpdir(), 'almanac-feeder-'))
  const keyring = createKeyring({ home, backend: 'test', askPassphrase: async () => '' })
  await keyring.add('delegate', 'secp256k1', keyOfMnemonic(node.mnemonic, "m/44'/118'/1'/0/0"))
  const [validator] = await operators(node)
  return {
    node,
    validator: validator!,
    flags: [
      ...['--home', home, '--keyring-backend', 'test', '--node', node.urls.rest, '--from', 'delegate'],
      ...['--validator', validator!, '--path', 'data.rates', '--every', '20'],
    ],
    async [Symbol.asyncDispose]() {
      await node.stop()
      rmSync(home, { recursive: true })
    },
  }
}

test('`almanac feeder --once` commits to the price of a URL, reveals it in the next period, and exits', async () => {
  using source = await priceSource()
  await using chain = await outside()
  const { node, validator } = chain
  const once = () => feeder([...chain.flags, '--source', source.url, '--once'])
  await expect(once()).rejects.toThrow('answered 503')
  expect(await prevote(node, validator)).toBeUndefined()
  source.give({ data: { rates: { 'ubtc:uusd': '64250.5', 'ueth:uusd': 3100 } } })
  // The commitment is in the second block of a period: no reveal can remove it before the test sees it.
  while ((node.height + 1n) % BigInt(PERIOD) !== 1n) await node.nextBlock()
  const vote = once()
  await until(async () => (await prevote(node, validator)) !== undefined)
  // The reveal makes its own block on arrival.
  await blocks(node, PERIOD - 1)
  expect(await vote).toBe(0)
  await blocks(node, PERIOD)
  expect(await rates(node)).toEqual({ 'ubtc:uusd': '64250.500000000000000000', 'ueth:uusd': '3100.000000000000000000' })
  expect(await prevote(node, validator)).toBeUndefined()
})

test('`almanac feeder` retries while its source fails, then votes in every period', async () => {
  using source = await priceSource()
  await using chain = await outside()
  const { node, validator } = chain
  const child = spawn('node', ['dist/almanac.cjs', 'feeder', ...chain.flags, '--source', source.url], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = new Promise<number | null>((done) => child.once('close', done))
  try {
    let written = ''
    child.stderr.on('data', (chunk) => {
      written += chunk
    })
    await until(() => source.asked() >= 3)
    await until(() => written.includes(`could not vote, will retry error="${source.url} answered 503"`))
    expect(await prevote(node, validator)).toBeUndefined()
    source.give({ data: { rates: { 'ubtc:uusd': '64250.5' } } })
    for (let last: string | undefined, votes = 0; votes < 3; votes++) {
      await until(async () => ![undefined, last].includes(await prevote(node, validator)))
      last = await prevote(node, validator)
      await blocks(node, PERIOD - 1)
    }
    expect(await rates(node)).toEqual({ 'ubtc:uusd': '64250.500000000000000000' })
  } finally {
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  }
})

test('`almanac feeder` that is started again within a period replaces its commitment', async () => {
  using source = await priceSource()
  source.give({ data: { rates: { 'ubtc:uusd': '64250.5' } } })
  await using chain = await outside()
  const { node, validator } = chain
  // Two blocks of the period are left: one for each commitment, which makes it.
  while ((node.height + 1n) % BigInt(PERIOD) !== 1n) await node.nextBlock()
  const period = (node.height + 1n) / BigInt(PERIOD)
  let last: string | undefined
  for (let i = 0; i < 2; i++) {
    const args = ['dist/almanac.cjs', 'feeder', ...chain.flags, '--source', source.url]
    const child = spawn('node', args, { stdio: 'ignore' })
    const ended = new Promise((done) => child.once('close', done))
    // The second commitment is not due, so that it costs its work.
    await until(async () => ![undefined, last].includes(await prevote(node, validator)))
    last = await prevote(node, validator)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  }
  expect(node.height / BigInt(PERIOD)).toBe(period)
})

test('a liar changes no price and gets misses, and gets no more misses once it is honest again', async () => {
  await using node = await startNode({
    feeder: { enabled: true },
    blocks: { time: 'manual' },
    chain: { validators: 4 },
  })
  await blocks(node, 3 * PERIOD)
  const before = await misses(node)
  const price = Number((await rates(node))['ubtc:uusd'])
  await behave(node, 3, 'liar')
  await blocks(node, 5 * PERIOD)
  const during = await misses(node)
  expect(during.slice(0, 3)).toEqual(before.slice(0, 3))
  expect(during[3]! - before[3]!).toBeGreaterThanOrEqual(3)
  expect(Math.abs(Number((await rates(node))['ubtc:uusd']) / price - 1)).toBeLessThan(0.05)
  await behave(node, 3, 'honest')
  await blocks(node, 2 * PERIOD)
  const after = await misses(node)
  await blocks(node, 3 * PERIOD)
  expect(await misses(node)).toEqual(after)
})
