import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startNode } from '../../src/index.ts'
import { startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'
import { bundle } from '../support/upgrade/bundle.ts'
import { endVoting, get, heightOf, mineTo, proposePlan, VOTING_SECONDS } from '../support/upgrade/governance.ts'

const home = mkdtempSync(join(tmpdir(), 'almanac-workers-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** Timeout for traces: the default of five seconds may pass while a thread starts. */
const timeout = '100s'
const SCRIPT = '{ result: function (ctx) { return ctx.block }, fault: function () {} }'

test('workers of a build read each height with its own codecs, and execute the block of an upgrade again', async () => {
  const path = await bundle('workers', { workers: true })
  const flags = [
    ...['--home', home, '--voting-period', `${VOTING_SECONDS}s`, '--halt', 'serve'],
    ...['--api-workers', '1', '--compute-workers', '1', '--evm-timeout', '100s'],
  ]
  await using node = await startProcess(flags, { path, environment: { TEST_BUILD: 'lab' } })
  const { config } = node
  const paramsAt = async (height: number) =>
    (await get(config, `/chain/devgas/v1/params?height=${height}`)).body['params'] as unknown as {
      allowed_denoms: string[]
      developer_shares: string
    }
  const height = (await heightOf(config)) + 10
  await proposePlan(config, 'longer-params', height)
  await endVoting(config)
  await mineTo(config, height - 1)
  const before = await paramsAt(height - 1)
  const [from, to] = config.accounts.map(({ address }) => address)
  const hash = await rpc(config, 'eth_sendTransaction', [{ from, to, value: '0x1' }])
  await mineTo(config, height + 5)

  expect(before).toMatchObject({ allowed_denoms: [] })
  expect(Number(before.developer_shares)).toBeGreaterThan(0)
  expect(await paramsAt(height - 1)).toEqual(before)
  expect(await paramsAt(height)).toMatchObject({ allowed_denoms: ['unative'] })
  const traced = { tracer: 'callTracer', timeout }
  expect(await rpc(config, 'debug_traceTransaction', [hash, traced])).toMatchObject({ value: '0x1' })
  expect(await rpc(config, 'debug_traceTransaction', [hash, { tracer: SCRIPT, timeout }])).toBe(height)

  const last = (await heightOf(config)) + 10
  await proposePlan(config, 'v9', last)
  await endVoting(config)
  await mineTo(config, last - 1)
  await expect(rpc(config, 'evm_mine')).rejects.toThrow('upgrade "v9" is needed')
  // Workers are notified of the halt after the main process.
  await expect.poll(async () => (await get(config, '/readyz')).status).toBe(503)
  const served = await get(config, `/chain/devgas/v1/params?height=${height - 1}`)
  expect([served.status, served.body['params']]).toEqual([200, before])
  expect(served.headers.get('x-chain-halted')).toContain('upgrade "v9" is needed')
})

test('a build without worker programs is refused if workers are configured', async () => {
  const build = { upgrades: [] }
  const wanted = 'the build has no programs for workers: set both to 0, or set `workers` of the build'
  await expect(startNode({ compute: { workers: 1 } }, { build })).rejects.toThrow(wanted)
  await expect(startNode({ api: { workers: 1 } }, { build })).rejects.toThrow(wanted)
  await using node = await startNode({}, { build })
  const chain = { urls: node.urls, accounts: [], chain_id: node.chainId }
  const from = node.accounts[0]!.address
  const call = [{ from, to: from }, 'latest', { tracer: SCRIPT }]
  await expect(rpc(chain, 'debug_traceCall', call)).rejects.toThrow('this build has no programs for them')
})
