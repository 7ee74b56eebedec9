import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startNode } from '../src/index.ts'
import { rpc } from './support/rpc.ts'

type Node = Awaited<ReturnType<typeof startNode>>
type Rpc = <T = unknown>(method: string, ...params: unknown[]) => Promise<T>

const NOON = Date.UTC(2024, 0, 1, 12)
/** Creation code of a contract that adds one to slot 0 and logs the result. */
const COUNTER = '0x6013600c60003960136000f36000546001018060005560005260206000a000'
const READS = ['eth_getBalance', 'eth_getTransactionCount', 'eth_getCode'] as const

/** Returns a seeded generator of numbers. */
function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

async function open(home?: string) {
  const config = { blocks: { time: 'manual' }, ...(home !== undefined && { home }) }
  const node = await startNode(config, { clock: () => NOON, random: () => new Uint8Array(32).fill(7) })
  const ask: Rpc = (method, ...params) => rpc(node, method, params)
  return { node, rpc: ask, [Symbol.asyncDispose]: () => node.stop() }
}

async function lastContract(rpc: Rpc, sent: readonly string[]): Promise<string | undefined> {
  const receipts = await Promise.all(
    sent.map((hash) => rpc<{ contractAddress?: string } | null>('eth_getTransactionReceipt', hash)),
  )
  return receipts.findLast((receipt) => receipt?.contractAddress)?.contractAddress
}

/** Makes random transactions and blocks, but no administrative block. */
async function live({ node, rpc }: { node: Node; rpc: Rpc }, pick: (below: number) => number, steps: number) {
  const sent: string[] = []
  for (let i = 0; i < steps; i++) {
    const from = node.accounts[pick(4)]!.address
    const kind = pick(5)
    const contract = kind === 4 ? await lastContract(rpc, sent) : undefined
    if (kind === 0) await rpc('evm_mine')
    else if (contract) sent.push(await rpc('eth_sendTransaction', { from, to: contract, gas: '0x30d40' }))
    else if (kind === 1) sent.push(await rpc('eth_sendTransaction', { from, data: COUNTER, gas: '0x30d40' }))
    else {
      const to =
        kind === 2 ? `0x${'0'.repeat(38)}${(16 + pick(200)).toString(16)}` : node.accounts[4 + pick(4)]!.address
      sent.push(
        await rpc('eth_sendTransaction', { from, to, value: `0x${(1 + pick(1_000_000)).toString(16)}`, gas: '0x5208' }),
      )
    }
    if (pick(3) === 0) await rpc('evm_mine')
  }
  await rpc('evm_mine')
  return sent
}

/** Returns everything by which two chains can differ: blocks with hashes and roots, logs, receipts, the pool, and answers of REST. */
async function portrait({ node, rpc }: { node: Node; rpc: Rpc }, sent: readonly string[]) {
  const height = Number(await rpc<string>('eth_blockNumber'))
  const blocks = []
  for (let h = 1; h <= height; h++) blocks.push(await rpc('eth_getBlockByNumber', `0x${h.toString(16)}`, true))
  const accounts = await Promise.all(
    node.accounts.slice(0, 8).flatMap(({ address }) => READS.map((method) => rpc(method, address, 'latest'))),
  )
  return {
    blocks,
    accounts,
    logs: await rpc('eth_getLogs', { fromBlock: '0x1', toBlock: 'latest' }),
    receipts: await Promise.all(sent.map((hash) => rpc('eth_getTransactionReceipt', hash))),
    pool: await rpc('txpool_content'),
    supply: await node.query('/sdk/bank/v1beta1/supply'),
    search: (await fetch(`${node.urls.comet}/tx_search?query="message.module='evm'"&per_page=100`)).status,
  }
}

async function check(seed: number, homes: readonly (string | undefined)[]): Promise<void> {
  await using changed = await open(homes[0])
  await using twin = await open(homes[1])
  const both = [changed, twin] as const
  const before = numbers(seed)
  const early = await live(changed, before, 12)
  await live(twin, numbers(seed), 12)
  const known = await portrait(twin, early)
  const waiting = {
    from: changed.node.accounts[9]!.address,
    to: changed.node.accounts[8]!.address,
    value: '0x9',
    gas: '0x5208',
  }
  for (const { rpc } of both) await rpc('eth_sendTransaction', waiting)
  const first = await changed.rpc<string>('evm_snapshot')

  // Every kind of change, with a nested snapshot.
  const lost = await live(changed, numbers(seed + 1), 10)
  await changed.rpc('evm_snapshot')
  await changed.rpc('hardhat_setBalance', changed.node.accounts[2]!.address, '0x1234567890abcdef')
  await changed.rpc('hardhat_setCode', changed.node.accounts[3]!.address, '0x60016000f3')
  await changed.rpc('evm_increaseTime', 100_000)
  await changed.rpc('hardhat_setCoinbase', changed.node.accounts[3]!.address)
  lost.push(
    ...(await live(
      { ...changed, node: { ...changed.node, accounts: changed.node.accounts.slice(4) } as unknown as Node },
      numbers(seed + 2),
      10,
    )),
  )
  expect(await changed.rpc('evm_revert', first)).toBe(true)

  for (const hash of lost) expect(await changed.rpc('eth_getTransactionByHash', hash)).toBe(null)
  const restored = await portrait(changed, early)
  expect({ ...restored, pool: undefined }).toEqual({ ...known, pool: undefined })
  expect(restored.pool).toEqual((await portrait(twin, early)).pool)

  // Later app hashes equal those of a chain without these changes.
  const later = await live(changed, numbers(seed + 3), 10)
  expect(await live(twin, numbers(seed + 3), 10)).toEqual(later)
  expect(await portrait(changed, [...early, ...later])).toEqual(await portrait(twin, [...early, ...later]))
}

test.each([1, 2, 3])('a revert leaves no trace, in memory (seed %i)', async (seed) => {
  await check(seed, [undefined, undefined])
})

test('a revert leaves no trace on disk, also after a restart', async () => {
  const root = mkdtempSync(join(tmpdir(), 'almanac-snapshots-'))
  const homes = [join(root, 'a'), join(root, 'b')]
  try {
    await check(4, homes)
    await using changed = await open(homes[0])
    await using twin = await open(homes[1])
    expect((await portrait(changed, [])).blocks).toEqual((await portrait(twin, [])).blocks)
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})
