import { expect, test } from 'vitest'
import { startNode } from '../../node/start.ts'

const OWNER = `0x${'c0'.repeat(20)}`

/** Calls code that returns memory of a length: a one in its first byte, then zeros. */
const longCall = (id: number, length: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'eth_call',
  params: [
    { to: OWNER },
    'latest',
    // PUSH1 1, PUSH0, MSTORE8, PUSH3 length, PUSH0, RETURN.
    { [OWNER]: { code: `0x60015f5362${length.toString(16).padStart(6, '0')}5ff3` } },
  ],
})
const CHAIN_ID = { jsonrpc: '2.0', id: 'short', method: 'eth_chainId' }
const shortAnswer = { jsonrpc: '2.0', id: 'short', result: '0x1b12' }
const longAnswer = (id: number, length: number) => ({ jsonrpc: '2.0', id, result: `0x01${'00'.repeat(length - 1)}` })

async function post(url: string, body: unknown): Promise<{ readonly length: string | null; readonly text: string }> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return { length: response.headers.get('content-length'), text: await response.text() }
}

test('long results are sent in parts, alone and between other answers of a batch, and are complete', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  const url = node.urls.jsonrpc!
  for (const length of [100_000, 131_072, 1_000_001]) {
    const alone = await post(url, longCall(7, length))
    expect(JSON.parse(alone.text)).toEqual(longAnswer(7, length))
    expect(alone.length === null).toBe(length > 131_071)
    const batch = [CHAIN_ID, longCall(1, length), longCall(2, 3), CHAIN_ID, longCall(3, length)]
    expect(JSON.parse((await post(url, batch)).text)).toEqual([
      shortAnswer,
      longAnswer(1, length),
      longAnswer(2, 3),
      shortAnswer,
      longAnswer(3, length),
    ])
  }
})

test('a batch whose answers exceed the limit answers the rest of its requests with the error of geth', async () => {
  await using node = await startNode({ blocks: { time: 'manual' } })
  const last = { jsonrpc: '2.0', id: 'last', method: 'evm_mine' }
  const { height } = node
  const { text } = await post(node.urls.jsonrpc!, [...Array(7).fill(longCall(1, 2_000_000)), last])
  const answers = JSON.parse(text) as { readonly result?: string; readonly error?: unknown }[]
  expect(answers).toHaveLength(8)
  expect(answers.slice(0, 6).every(({ result }) => result?.length === 4_000_002)).toBe(true)
  const error = { code: -32003, message: 'response too large' }
  expect(answers.slice(6)).toEqual([
    { jsonrpc: '2.0', id: 1, error },
    { jsonrpc: '2.0', id: 'last', error },
  ])
  expect(node.height).toBe(height)
})
