import { once } from 'node:events'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startNode } from '../../node/start.ts'

const SUBSCRIPTIONS = 20
const LOGS = 1500
/** Creation code that loops LOG1 with an empty topic until less than 10,000 gas is left. */
const LOG_LOOP = '0x5b60015f5fa16127105a116000575f'

async function ask(url: string, method: string, params: unknown[] = []): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  return ((await response.json()) as { result: unknown }).result
}

test('a block of many logs reaches every subscription whole and in order, and others are answered before that', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  const url = node.urls.jsonrpc!
  const events: { readonly id: string; readonly index: number }[] = []
  const ids: string[] = []
  const sockets = await Promise.all(
    [1, 2].map(async () => {
      const socket = new WebSocket(node.urls.ws!)
      await once(socket, 'open')
      socket.on('message', (data: Buffer) => {
        const { result, params } = JSON.parse(data.toString())
        if (result) ids.push(result)
        else events.push({ id: params.subscription, index: Number(params.result.logIndex) })
      })
      for (let i = 0; i < SUBSCRIPTIONS; i++) {
        socket.send(JSON.stringify({ jsonrpc: '2.0', id: i, method: 'eth_subscribe', params: ['logs', {}] }))
      }
      return socket
    }),
  )
  await expect.poll(() => ids).toHaveLength(2 * SUBSCRIPTIONS)
  const gas = `0x${(80_000 + LOGS * 780).toString(16)}`
  const hash = await ask(url, 'eth_sendTransaction', [{ from: node.accounts[0]!.address, data: LOG_LOOP, gas }])
  /** Events that had arrived at each answer to another client. */
  const answeredAfter: number[] = []
  let isOver = false
  const other = (async () => {
    while (!isOver) {
      expect(await ask(url, 'eth_chainId')).toBe('0x1b12')
      answeredAfter.push(events.length)
    }
  })()
  await node.nextBlock()
  const { logs } = (await ask(url, 'eth_getTransactionReceipt', [hash])) as { readonly logs: unknown[] }
  expect(logs.length).toBeGreaterThan(1000)
  const all = 2 * SUBSCRIPTIONS * logs.length
  await expect.poll(() => events.length).toBe(all)
  isOver = true
  await other
  expect(answeredAfter.filter((count) => count > 0 && count < all)).not.toEqual([])
  for (const id of ids) {
    const indexes = events.filter((event) => event.id === id).map(({ index }) => index)
    expect(indexes).toEqual(logs.map((_, i) => i))
  }
  for (const socket of sockets) socket.terminate()
})

test('a subscription that is cancelled gets no further event of a block that it has begun to receive', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  const socket = new WebSocket(node.urls.ws!)
  await once(socket, 'open')
  const messages: { readonly id?: string; readonly result?: unknown; readonly params?: unknown }[] = []
  const answerOf = (id: string) => messages.find((message) => message.id === id)
  socket.on('message', (data: Buffer) => messages.push(JSON.parse(data.toString())))
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 'on', method: 'eth_subscribe', params: ['logs', {}] }))
  await expect.poll(() => answerOf('on')).toBeDefined()
  const gas = `0x${(80_000 + LOGS * 780).toString(16)}`
  await ask(node.urls.jsonrpc!, 'eth_sendTransaction', [{ from: node.accounts[0]!.address, data: LOG_LOOP, gas }])
  // The client stops to read, so that most events still wait when it cancels.
  socket.pause()
  await node.nextBlock()
  socket.send(
    JSON.stringify({ jsonrpc: '2.0', id: 'off', method: 'eth_unsubscribe', params: [answerOf('on')!.result] }),
  )
  await new Promise((resolve) => setTimeout(resolve, 100))
  socket.resume()
  await expect.poll(() => answerOf('off')).toMatchObject({ result: true })
  const seen = messages.length
  await ask(node.urls.jsonrpc!, 'eth_chainId')
  expect(messages.slice(messages.indexOf(answerOf('off')!) + 1)).toEqual([])
  expect(messages).toHaveLength(seen)
  socket.terminate()
})
