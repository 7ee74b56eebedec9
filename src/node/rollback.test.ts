import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { formatHex } from '../primitives/bytes.ts'
import { diskFiles } from './files.ts'
import { homePaths } from './home-paths.ts'
import { rollbackHome } from './rollback.ts'
import { type Node, testNode } from './start.ts'
import { readUpgradeInfo, writeUpgradeInfo } from './upgrade-info.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-rollback-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** The same chain in every home: key, clock and accounts are fixed. */
const open = (name: string) =>
  testNode(
    { home: join(scratch, name), ports: true, chain: { accounts: 3 }, store: { keep: 15 } },
    { random: (length) => new Uint8Array(length).fill(7) },
  )

const back = (name: string, height: bigint) => rollbackHome(homePaths(join(scratch, name)), diskFiles, height, 15)

async function rpc<T>(node: Node, method: string, params: readonly unknown[]): Promise<T> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'content-type': 'application/json' }
  const answer = await (await fetch(node.urls.jsonrpc, { method: 'POST', headers, body })).json()
  const { result, error } = answer as { result: T; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

/** Makes blocks with one payment each, whose amount depends on the seed. Returns the hashes of the payments. */
async function grow(node: Node, to: bigint, seed: bigint): Promise<string[]> {
  const sent: string[] = []
  while (node.height < to) {
    const [from, recipient] = [node.accounts[0]!.address, node.accounts[1]!.address]
    const value = `0x${((node.height + seed) * 10n ** 12n).toString(16)}`
    sent.push(await rpc(node, 'eth_sendTransaction', [{ from, to: recipient, value, gas: '0x5208' }]))
    await node.nextBlock()
  }
  return sent
}

interface Header {
  readonly height: string
  readonly app_hash: string
}

async function headerAt(node: Node, height: bigint): Promise<Header> {
  const answer = await node.query(`/sdk/base/tendermint/v1beta1/blocks/${height}`)
  return (answer as { block: { header: Header } }).block.header
}

test('after a rollback the chain continues like one that never went further, and finds nothing of the removed blocks', async () => {
  const far = await open('far')
  const undone = (await grow(far, 20n, 1n)).slice(-4)
  const afterTarget = (await headerAt(far, 17n)).app_hash
  await far.stop()
  const near = await open('near')
  await grow(near, 16n, 1n)
  await near.stop()

  const data = homePaths(join(scratch, 'far')).data
  writeUpgradeInfo(data, '{"name":"v2","height":19}', diskFiles)
  const done = await back('far', 16n)
  expect(done).toMatchObject({ from: 20n, forgotten: 'v2' })
  expect(Buffer.from(done.appHash).toString('base64')).toBe(afterTarget)
  expect(readUpgradeInfo(data, diskFiles)).toEqual({ kind: 'missing' })
  expect(formatHex((await back('far', 16n)).appHash)).toBe(formatHex(done.appHash))

  await using again = await open('far')
  await using steady = await open('near')
  expect(again.height).toBe(16n)
  await expect(headerAt(again, 17n)).rejects.toThrow()
  for (const hash of undone) expect(await rpc(again, 'eth_getTransactionReceipt', [hash])).toBeNull()
  const receipts = [await grow(again, 19n, 5n), await grow(steady, 19n, 5n)]
  expect(receipts[0]).toEqual(receipts[1])
  for (let height = 15n; height <= 19n; height++) {
    expect(await headerAt(again, height)).toEqual(await headerAt(steady, height))
  }
})

test('a rollback accepts only kept heights, and keeps the file of an upgrade that is still ahead', async () => {
  const node = await open('pruned')
  await grow(node, 30n, 1n)
  await node.stop()
  await expect(back('pruned', 31n)).rejects.toThrow('height 31 is in the future: the latest height is 30')
  await expect(back('pruned', 3n)).rejects.toThrow(/height 3 is pruned: the earliest height is 1\d/)
  const data = homePaths(join(scratch, 'pruned')).data
  writeUpgradeInfo(data, '{"name":"v2","height":29}', diskFiles)
  expect(await back('pruned', 28n)).toMatchObject({ from: 30n, forgotten: undefined })
  expect(readUpgradeInfo(data, diskFiles).kind).toBe('whole')
  await using again = await open('pruned')
  expect(again.height).toBe(28n)
  expect(await grow(again, 30n, 1n)).toHaveLength(2)
})
