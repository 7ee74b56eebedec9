import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Node, type NodeConfig, startNode } from './start.ts'

async function rpc<T>(url: string, method: string, params: unknown): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } }
  if (error) throw new Error(error.message)
  return result
}

interface EngineSet {
  readonly total: string
  readonly validators: readonly { address: string; voting_power: string; proposer_priority: string }[]
}
interface EngineCommit {
  readonly signed_header: {
    readonly header: { readonly proposer_address: string }
    readonly commit: { readonly round: number; readonly signatures: readonly { block_id_flag: number }[] }
  }
}

const setAt = (node: Node, height: bigint) =>
  rpc<EngineSet>(node.urls.comet, 'validators', { height: height.toString() })
const commitAt = async (node: Node, height: bigint) =>
  (await rpc<EngineCommit>(node.urls.comet, 'commit', { height: height.toString() })).signed_header

const CONFIG: NodeConfig = {
  chain: { validators: 4 },
  blocks: { time: 'manual' },
  comet: { enabled: true },
  feeder: { enabled: false },
}

test('validators sign and propose in rotation; a stopped one is skipped, jailed and removed, and the others continue', async () => {
  await using node = await startNode(CONFIG, { clock: () => Date.UTC(2024, 0, 1) })
  const make = async (count: number) => {
    for (let i = 0; i < count; i++) await node.nextBlock()
  }
  await make(7)
  const proposers: string[] = []
  for (let height = 1n; height <= 8n; height++) {
    const { header, commit } = await commitAt(node, height)
    expect(commit.round).toBe(0)
    expect(commit.signatures.map((one) => one.block_id_flag)).toEqual([2, 2, 2, 2])
    proposers.push(header.proposer_address)
  }
  expect(new Set(proposers.slice(0, 4)).size).toBe(4)
  expect(proposers.slice(4)).toEqual(proposers.slice(0, 4))
  const first = await setAt(node, 5n)
  expect(first.validators.map((one) => one.voting_power)).toEqual(['1000', '1000', '1000', '1000'])
  // The first of equals has proposed, and each of the others waits for its turn.
  expect(first.validators.map((one) => one.proposer_priority)).toEqual(['-3000', '1000', '1000', '1000'])
  expect(await node.query('/sdk/base/tendermint/v1beta1/validatorsets/5')).toMatchObject({
    validators: [{ proposer_priority: '-3000' }, {}, {}, {}],
  })

  expect(await rpc(node.urls.jsonrpc, 'almanac_setValidator', [1, 'stopped'])).toBe(true)
  await make(4)
  const signed = (await commitAt(node, 10n)).commit.signatures.map((one) => one.block_id_flag)
  expect([...signed].sort()).toEqual([1, 2, 2, 2])
  const stopped = proposers[signed.indexOf(1)]!
  const passed = await Promise.all([9n, 10n, 11n, 12n].map((height) => commitAt(node, height)))
  expect(passed.map(({ header }) => header.proposer_address)).not.toContain(stopped)
  expect(passed.map(({ commit }) => commit.round).sort()).toEqual([0, 0, 0, 1])

  await make(100)
  const left = await setAt(node, node.height)
  expect(left.total).toBe('3')
  expect(left.validators.map(({ address }) => address)).not.toContain(stopped)
  expect(await node.query('/sdk/slashing/v1beta1/signing_infos')).toMatchObject({ pagination: { total: '4' } })

  await expect(rpc(node.urls.jsonrpc, 'almanac_setValidator', [4, 'liar'])).rejects.toThrow(
    'validator 4 is not one of the 4 of this node, which count from 0',
  )
  await expect(rpc(node.urls.jsonrpc, 'almanac_setValidator', [0, 'asleep'])).rejects.toThrow(
    'behaviour "asleep" is not one of honest, silent, liar, stopped',
  )
})

test('a chain continues when every validator stops, and the last one stays in the set', async () => {
  await using node = await startNode({ ...CONFIG, chain: { validators: 2 } }, { clock: () => Date.UTC(2024, 0, 1) })
  for (const i of [0, 1]) await rpc(node.urls.jsonrpc, 'almanac_setValidator', [i, 'stopped'])
  for (let i = 0; i < 110; i++) await node.nextBlock()
  expect((await setAt(node, node.height)).total).toBe('1')
  await rpc(node.urls.jsonrpc, 'almanac_setValidator', [0, 'honest'])
  await rpc(node.urls.jsonrpc, 'almanac_setValidator', [1, 'honest'])
  await node.nextBlock()
  expect((await commitAt(node, node.height)).commit.signatures).toMatchObject([{ block_id_flag: 2 }])
})

test('a home keeps its validators and their rotation over a restart', async () => {
  const home = join(mkdtempSync(join(tmpdir(), 'almanac-validators-')), 'home')
  try {
    const turns: string[] = []
    for (let start = 0; start < 2; start++) {
      await using node = await startNode({ ...CONFIG, home })
      for (let i = 0; i < 5; i++) {
        const { header, commit } = await commitAt(node, await node.nextBlock())
        turns.push(header.proposer_address)
        expect(commit.signatures.map((one) => one.block_id_flag)).toEqual([2, 2, 2, 2])
      }
    }
    expect(turns.slice(4)).toEqual(turns.slice(0, 6))
    await expect(startNode({ ...CONFIG, home, chain: { validators: 3 } })).rejects.toThrow('chain.validators')
  } finally {
    rmSync(join(home, '..'), { recursive: true, force: true })
  }
})

test('more validators than accounts are refused', async () => {
  await expect(startNode({ chain: { validators: 3, accounts: 2 } })).rejects.toThrow(
    'chain.validators is 3, and each needs one of the 2 accounts of chain.accounts',
  )
})
