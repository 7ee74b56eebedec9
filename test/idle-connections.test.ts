import { expect, test } from 'vitest'
import { startNode } from '../src/index.ts'

test('on every port the idle timeout exceeds that of clients, so that no request meets a closing connection', async () => {
  await using node = await startNode({ metrics: { enabled: true } })
  const { rest, jsonrpc, comet, metrics } = node.urls
  const asked = { rest: `${rest}/chain/evm/v1/params`, jsonrpc, comet: `${comet}/status`, metrics }
  const promised: Record<string, string | null> = {}
  for (const [port, url] of Object.entries(asked)) {
    const answer = await fetch(url!)
    await answer.text()
    promised[port] = answer.headers.get('keep-alive')
  }
  const rests = 'timeout=120'
  expect(promised).toEqual({ rest: rests, jsonrpc: rests, comet: rests, metrics: rests })
})
