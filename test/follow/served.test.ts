/** A replica as a program: the lag in every answer, `/readyz` and metrics, through API workers too. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createPublicClient, http } from 'viem'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { diskFiles } from '../../src/node/files.ts'
import type { GatewayUrls } from '../../src/node/gateways.ts'
import { readRunFile } from '../../src/node/run-file.ts'
import { type FakeNode, startFakeNode, streamFile } from '../support/follow/fake-node.ts'
import { withForeignChange } from '../support/follow/foreign-chain.ts'
import type { NodeHistory } from '../support/follow/node-history.ts'
import { ownChain } from '../support/follow/own-chain.ts'
import { FREE_PORTS } from '../support/process.ts'

const PROGRAM = resolve(import.meta.dirname, '../../dist/almanac.cjs')
const LAST = 20
const PATIENT = { timeout: 60_000 }

let folder: string
let chain: NodeHistory
let node: FakeNode
let child: ChildProcess
let errors = ''
let urls: GatewayUrls

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'almanac-served-'))
  chain = await withForeignChange(await ownChain(LAST), 12)
  node = await startFakeNode(chain, join(folder, 'stream'))
  node.advance(10)
  const home = join(folder, 'home')
  const args = ['follow', '--silent', '--home', home, '--stream', node.stream, '--rpc', node.url, ...FREE_PORTS]
  child = spawn(
    process.execPath,
    [PROGRAM, ...args, '--api-workers', '1', '--metrics-enabled', '--metrics-port', '0'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  child.stderr!.on('data', (text) => {
    errors += text
  })
  urls = await vi.waitFor(() => {
    const found = readRunFile(home, diskFiles)
    if (!found) throw new Error(`the replica does not serve: ${errors}`)
    return found
  }, PATIENT)
}, 120_000)

afterAll(async () => {
  child?.kill('SIGKILL')
  await node?.close()
  rmSync(folder, { recursive: true, force: true })
})

const height = async (): Promise<number> =>
  Number(await createPublicClient({ transport: http(urls.jsonrpc) }).getBlockNumber({ cacheTime: 0 }))
const ready = async () => {
  const answer = await fetch(new URL('/readyz', urls.metrics))
  return { status: answer.status, ...((await answer.json()) as { follow: object; reasons?: string[] }) }
}

test('every gateway says how far the replica is behind', async () => {
  await expect.poll(height, PATIENT).toBe(10)
  const lagOf = async (url: string, init?: RequestInit) => (await fetch(url, init)).headers.get('x-chain-lag')
  const call = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}',
  }
  const level = /^0\.000;blocks=0;verified=10;queue=0$/
  await expect.poll(() => lagOf(`${urls.rest}/sdk/bank/v1beta1/supply`), PATIENT).toMatch(level)
  await expect.poll(() => lagOf(urls.jsonrpc!, call), PATIENT).toMatch(level)
  await expect.poll(() => lagOf(`${urls.comet}/status`), PATIENT).toMatch(level)
})

test('a replica that keeps up is ready, and says what is verified and confirmed', async () => {
  await expect.poll(ready, PATIENT).toMatchObject({
    status: 200,
    follow: { node_height: '10', lag_blocks: '0', lag_seconds: 0, verified_height: '10', confirmed_height: '9' },
  })
  const metrics = await (await fetch(new URL('/metrics', urls.metrics))).text()
  for (const line of [
    'almanac_replica_node_height 10',
    'almanac_replica_lag_blocks 0',
    'almanac_replica_verified_height 10',
    'almanac_replica_stopped 0',
  ])
    expect(metrics.split('\n')).toContain(line)
})

test('a replica that has stopped says why in every answer, serves what it has, and goes on by itself', async () => {
  node.file = (at, content) => {
    if (at !== 12) return content
    const bytes = Uint8Array.from(content)
    bytes[bytes.length - 1]! ^= 1
    return bytes
  }
  node.advance(LAST)
  await expect.poll(ready, PATIENT).toMatchObject({ status: 503, halted: true })
  expect((await ready()).reasons![0]).toMatch(/^halted: block 12 of the node is not verified/)
  const ask = () => fetch(`${urls.rest}/sdk/bank/v1beta1/supply`)
  await expect.poll(async () => (await ask()).headers.get('x-chain-lag'), PATIENT).toMatch(/blocks=9;.*;stopped$/)
  const answer = await ask()
  expect(answer.status).toBe(200)
  expect(answer.headers.get('x-chain-halted')).toMatch(/^block 12 of the node is not verified/)
  expect(await height()).toBe(11)
  writeFileSync(join(node.stream, 'block-12-data'), streamFile(chain.blocks.get(12)!.changes))
  await expect.poll(height, PATIENT).toBe(LAST)
  await expect.poll(ready, PATIENT).toMatchObject({ status: 200 })
  expect((await ask()).headers.get('x-chain-halted')).toBeNull()
  expect(errors).toContain('stopped following')
})

test('an interrupted replica ends by itself', async () => {
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})
