import { once } from 'node:events'
import { existsSync, linkSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient } from 'viem'
import { ipc } from 'viem/node'
import { afterAll, expect, test } from 'vitest'
import { startNode } from '../../node/start.ts'

const scratch = mkdtempSync(join(tmpdir(), 'almanac-ipc-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))
const start = (path: string, bodyLimit = 2000) => startNode({ jsonrpc: { ipc: path }, api: { bodyLimit } })

/** Opens a socket that sends texts and returns the lines of the answers. */
async function open(path: string) {
  const socket = connect(path)
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk
  })
  return {
    socket,
    async lines(count: number): Promise<unknown[]> {
      while (text.split('\n').length <= count) await once(socket, 'data')
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    },
  }
}
const call = (id: number, method: string, params: readonly unknown[] = []) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })

test('viem reads blocks and development methods over IPC, and gets the events of a subscription', async () => {
  const path = join(scratch, 'viem.ipc')
  await using node = await start(path)
  expect(node.urls.ipc).toBe(path)
  const client = createPublicClient({ transport: ipc(path), cacheTime: 0 })
  expect(await client.getBlockNumber()).toBe(1n)
  const heights: bigint[] = []
  const unwatch = client.watchBlockNumber({ onBlockNumber: (height) => heights.push(height) })
  await client.request({ method: 'eth_chainId' })
  await expect
    .poll(async () => {
      await node.nextBlock()
      return heights.length
    })
    .toBeGreaterThan(1)
  expect(heights[1]).toBe(heights[0]! + 1n)
  unwatch()
  const rpcClient = await client.transport.getRpcClient()
  rpcClient.close()
})

test('texts that follow each other without a break are answered one by one, a batch and a wrong one too', async () => {
  const path = join(scratch, 'texts.ipc')
  await using node = await start(path)
  const { socket, lines } = await open(path)
  socket.write(`${call(1, 'eth_chainId')}[${call(2, 'eth_chainId')}]nonsense\n${call(3, 'evm_mine')}`)
  const answers = await lines(4)
  expect(answers).toContainEqual({ jsonrpc: '2.0', id: 1, result: '0x1b12' })
  expect(answers).toContainEqual([{ jsonrpc: '2.0', id: 2, result: '0x1b12' }])
  expect(answers).toContainEqual({ jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } })
  expect(node.height).toBe(2n)
  socket.destroy()
})

test('a text beyond the limit of a body ends its connection, and no other', async () => {
  const path = join(scratch, 'long.ipc')
  await using node = await start(path)
  const [rude, polite] = [await open(path), await open(path)]
  rude.socket.write(`{"a":"${'x'.repeat(3000)}`)
  await once(rude.socket, 'close')
  polite.socket.write(call(1, 'eth_blockNumber'))
  expect(await polite.lines(1)).toEqual([{ jsonrpc: '2.0', id: 1, result: '0x1' }])
  expect(node.height).toBe(1n)
  polite.socket.destroy()
})

test('the socket belongs to the user alone, and is gone after the stop', async () => {
  const path = join(scratch, 'own.ipc')
  const node = await start(path)
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const { socket } = await open(path)
  await Promise.all([node.stop(), once(socket, 'close')])
  expect(existsSync(path)).toBe(false)
})

test('a path in use is refused, and what an ended process left is replaced', async () => {
  const path = join(scratch, 'used.ipc')
  const first = await start(path)
  await expect(start(path)).rejects.toThrow(`JSON-RPC cannot listen on ${path}: another process does`)
  await first.stop()
  const file = join(scratch, 'file')
  writeFileSync(file, 'kept')
  await expect(start(file)).rejects.toThrow('the file exists and is no socket')
  await expect(start(join(scratch, 'absent', 'a.ipc'))).rejects.toThrow('Set jsonrpc.ipc')
  // A server that is not closed leaves its socket if the file is moved away and back.
  const left = createServer().listen(path)
  await once(left, 'listening')
  linkSync(path, `${path}.left`)
  left.close()
  await once(left, 'close')
  await using second = await start(`${path}.left`)
  expect(second.urls.ipc).toBe(`${path}.left`)
})
