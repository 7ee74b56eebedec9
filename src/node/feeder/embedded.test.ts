import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Node, startNode, testNode } from '../start.ts'

const PAIRS = ['uatom:uusd', 'ubtc:uusd', 'ueth:uusd', 'uusdc:uusd', 'uusdt:uusd']
/** Length of the voting period of a localnet with a feeder, blocks. */
const PERIOD = 3

/** A node with or without ports. */
type AnyNode = Omit<Node, 'urls'>

const fedNode = (seed = 1) => testNode({ feeder: { enabled: true, seed } })

async function ratesOf(node: AnyNode): Promise<Record<string, string>> {
  const { exchange_rates: rates } = (await node.query('/chain/oracle/v1beta1/pairs/exchange_rates')) as {
    exchange_rates: { pair: string; exchange_rate: string }[]
  }
  return Object.fromEntries(rates.map(({ pair, exchange_rate: rate }) => [pair, rate]))
}

async function operatorOf(node: AnyNode): Promise<string> {
  const { validators } = (await node.query('/sdk/staking/v1beta1/validators')) as {
    validators: { operator_address: string }[]
  }
  return validators[0]!.operator_address
}

async function missesOf(node: AnyNode): Promise<string> {
  const { miss_counter: misses } = await node.query(`/chain/oracle/v1beta1/validators/${await operatorOf(node)}/miss`)
  return misses as string
}

async function blocks(node: AnyNode, count: number): Promise<void> {
  for (let i = 0; i < count; i++) await node.nextBlock()
}

test('a localnet with a feeder has prices after two voting periods, new ones after each further period, and no misses', async () => {
  await using node = await fedNode()
  expect(await ratesOf(node)).toEqual({})
  await blocks(node, 2 * PERIOD)
  const first = await ratesOf(node)
  expect(Object.keys(first)).toEqual(PAIRS)
  expect(Number(first['uusdc:uusd'])).toBeCloseTo(1, 1)
  const misses = await missesOf(node)
  for (let i = 0, last = first; i < 5; i++) {
    await blocks(node, PERIOD)
    const next = await ratesOf(node)
    for (const pair of PAIRS) expect(next[pair]).not.toBe(last[pair])
    last = next
  }
  expect(await missesOf(node)).toBe(misses)
})

test('the feeder causes no block, and does not change the sequences of the funded accounts', async () => {
  await using node = await fedNode()
  const before = node.height
  await new Promise((done) => setTimeout(done, 50))
  expect(node.height).toBe(before)
  await blocks(node, PERIOD * 3)
  expect(node.height).toBe(before + BigInt(PERIOD * 3))
  const { account } = (await node.query(`/sdk/auth/v1beta1/accounts/${node.accounts[0]!.bech32}`)) as {
    account: { sequence?: string; base_account?: { sequence: string } }
  }
  expect(account.sequence ?? account.base_account?.sequence).toBe('0')
})

test('feeders with equal seeds vote for equal prices, with other seeds for others', async () => {
  const run = async (seed: number) => {
    await using node = await fedNode(seed)
    await blocks(node, PERIOD * 3)
    const { block_id: id } = (await node.query('/sdk/base/tendermint/v1beta1/blocks/latest')) as {
      block_id: { hash: string }
    }
    return { rates: await ratesOf(node), hash: id.hash }
  }
  const [one, same, other] = [await run(5), await run(5), await run(6)]
  expect(same).toEqual(one)
  expect(other.rates).not.toEqual(one.rates)
})

test('a feeder pays the minimum gas price of the node', async () => {
  await using node = await testNode({ feeder: { enabled: true }, api: { minGasPrice: '0.025unative' } })
  await blocks(node, 2 * PERIOD)
  expect(Object.keys(await ratesOf(node))).toEqual(PAIRS)
})

test('without a feeder there are no vote targets and no misses (D25)', async () => {
  await using node = await testNode()
  await blocks(node, 70)
  expect(await node.query('/chain/oracle/v1beta1/params')).toMatchObject({ params: { whitelist: [] } })
  expect(await missesOf(node)).toBe('0')
})

test('a feeder resumes after the clock moved forward by a day of epochs', async () => {
  await using node = await fedNode()
  await blocks(node, 2 * PERIOD)
  const misses = Number(await missesOf(node))
  await node.advance(86_400)
  await blocks(node, 2 * PERIOD)
  expect(Object.keys(await ratesOf(node))).toEqual(PAIRS)
  expect(Number(await missesOf(node))).toBe(misses)
})

test('a feeder that restarts replaces the prevote of its earlier run in the same period, and misses none', async () => {
  const home = mkdtempSync(join(tmpdir(), 'almanac-feeder-'))
  try {
    const options = { home, ports: false, feeder: { enabled: true, seed: 1 }, blocks: { time: 'manual' } } as const
    const first = await startNode(options)
    while (first.height < PERIOD) await first.nextBlock()
    const prevote = `/chain/oracle/v1beta1/validators/${await operatorOf(first)}/aggregate_prevote`
    const before = await first.query(prevote)
    await first.stop()
    await using node = await startNode({ ...options, feeder: { enabled: true, seed: 2 } })
    await node.nextBlock()
    expect(await node.query(prevote)).not.toEqual(before)
    while (node.height < 3 * PERIOD - 1) await node.nextBlock()
    expect(Object.keys(await ratesOf(node))).toEqual(PAIRS)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})

test('a feeder goes on voting after the chain has returned to a snapshot, anywhere in a period, and misses none', async () => {
  const warnings: unknown[] = []
  await using node = await testNode(
    { feeder: { enabled: true, seed: 1 } },
    { log: (level, message, fields) => void (level === 'warn' && warnings.push([message, fields])) },
  )
  await blocks(node, 2 * PERIOD)
  const misses = await missesOf(node)
  for (let made = 1; made <= 2 * PERIOD; made++) {
    for (let phase = 0; phase < PERIOD; phase++) {
      await node.nextBlock()
      const height = node.height
      const id = await node.snapshot()
      await blocks(node, made)
      await node.revert(id)
      expect(node.height).toBe(height)
      const before = await ratesOf(node)
      await blocks(node, 2 * PERIOD)
      expect(await ratesOf(node)).not.toEqual(before)
    }
  }
  expect(warnings).toEqual([])
  expect(await missesOf(node)).toBe(misses)
})
