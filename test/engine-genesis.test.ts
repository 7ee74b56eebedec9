/** A node whose chain begins with the document of an engine of another supervisor, which this test plays. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { parseConsensusParams } from '../src/app/genesis-params.ts'
import { testNode } from '../src/index.ts'
import { type AbciClient, openAbci } from './support/abci-client.ts'
import { startProcess } from './support/process.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-engine-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
const home = join(scratch, 'home')
const socket = join(scratch, 'abci.sock')
const FLAGS = ['--home', home, '--consensus', 'cometbft', '--engine', 'none', '--abci', `unix://${socket}`]

/** Connects as soon as the node listens. */
async function connect(): Promise<AbciClient> {
  for (;;) {
    try {
      return await openAbci(socket)
    } catch {
      await setTimeout(50)
    }
  }
}

async function rpc(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await answer.json()) as { result: unknown }).result
}

const timeOf = (seconds: number) => ({ seconds: BigInt(seconds), nanos: 0 })

test('the document of InitChain begins a chain in a home that did not exist, and restarts go on with it', async () => {
  const origin = await testNode({ home: join(scratch, 'origin') })
  await origin.stop()
  const genesis = JSON.parse(readFileSync(join(scratch, 'origin/genesis.json'), 'utf8'))
  const begin = Math.floor(Date.parse(genesis.genesis_time) / 1000)
  const initChain = {
    chainId: genesis.chain_id,
    time: timeOf(begin),
    initialHeight: 1n,
    appStateBytes: Buffer.from(JSON.stringify(genesis.app_state)),
    consensusParams: parseConsensusParams(genesis.consensus_params),
  } as never
  const blockOf = (height: bigint) =>
    ({ height, hash: new Uint8Array(32).fill(Number(height)), time: timeOf(begin + Number(height)) }) as never

  const starting = startProcess([...FLAGS, '--insecure-keys'])
  const engine = await connect()
  expect((await engine.ask('info', { abciVersion: '2.0.0' })).lastBlockHeight).toBe(0n)
  const { validators, appHash } = await engine.ask('initChain', initChain)
  expect(validators).toHaveLength(1)
  expect(appHash).toHaveLength(32)
  const { appHash: first } = await engine.ask('finalizeBlock', blockOf(1n))
  await engine.ask('commit', {})
  {
    await using node = await starting
    const block = await rpc(node.config.urls.jsonrpc, 'eth_getBlockByNumber', ['latest', false])
    expect(block).toMatchObject({ number: '0x1', hash: `0x${'01'.repeat(32)}` })
    const balance = await fetch(
      `${node.config.urls.rest}/cosmos/bank/v1beta1/balances/${node.config.accounts[0]!.bech32}`,
    )
    expect(await balance.json()).toMatchObject({ balances: [{ denom: 'unative' }] })
    engine.close()
    await node.kill('SIGINT')
  }

  const again = startProcess([...FLAGS, '--insecure-keys'])
  const later = await connect()
  const { lastBlockHeight, lastBlockAppHash } = await later.ask('info', { abciVersion: '2.0.0' })
  expect([lastBlockHeight, lastBlockAppHash]).toEqual([1n, first])
  await expect(later.ask('finalizeBlock', blockOf(3n))).rejects.toThrow('the next block is 2')
  await using node = await again
  // The node does not go on with an engine that has another chain.
  while (!/the next block is 2/.test(node.stderr() + node.stdout())) await setTimeout(50)
})
