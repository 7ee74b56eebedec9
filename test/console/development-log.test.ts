/** The log of a node over JSON-RPC: for this machine, on a development chain, and bounded. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { rpc } from '../support/rpc.ts'

interface Lines {
  readonly records: readonly { index: number; time: string; level: string; message: string; fields: string }[]
  readonly next: number
}

let node: NodeProcess
beforeAll(async () => {
  node = await startProcess(['--ephemeral', '--block-time', 'manual', '--log-chain'])
})
afterAll(async () => {
  await node[Symbol.asyncDispose]()
})

const read = (...params: unknown[]) => rpc(node.config, 'almanac_nodeLog', params) as Promise<Lines>

test('the records are those of the log, and a reader goes on where it was', async () => {
  const { next } = await read()
  await rpc(node.config, 'evm_mine')
  await expect.poll(async () => (await read(next)).records.map(({ message }) => message)).toContain('block')
  const { records } = await read(next)
  expect(records[0]?.index).toBe(next)
  const block = records.find(({ message }) => message === 'block')!
  expect(block).toMatchObject({ level: 'info', time: expect.stringMatching(/^\d{4}-.*Z$/) })
  expect(node.stderr()).toContain(`${block.message} ${block.fields}`)
  expect((await read(records.at(-1)!.index + 1_000_000)).records).toEqual([])
})

test('an answer has at most two hundred records, the newest', async () => {
  await rpc(node.config, 'anvil_mine', ['0x1f4'])
  await expect.poll(async () => (await read()).next).toBeGreaterThan(500)
  const { records, next } = await read(0)
  expect(records).toHaveLength(200)
  expect(records.at(-1)!.index).toBe(next - 1)
})

test('a page of a stranger, another name of this machine, and a chain without development methods are refused', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'almanac_nodeLog', params: [] })
  const ask = async (url: string, headers: Record<string, string>) => {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', ...headers },
    })
    return ((await answer.json()) as { error?: { code: number; message: string } }).error
  }
  const { jsonrpc } = node.config.urls
  expect(await ask(jsonrpc, {})).toBeUndefined()
  expect(await ask(jsonrpc, { origin: 'https://stranger.example' })).toMatchObject({
    message: expect.stringContaining('refused'),
  })
  await using plain = await startProcess(['--ephemeral', '--block-time', 'manual', '--no-dev', '--insecure-keys'])
  expect(await ask(plain.config.urls.jsonrpc, {})).toMatchObject({ code: -32601 })
})
