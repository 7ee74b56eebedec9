import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Node, startNode } from '../src/index.ts'
import { ask } from './support/rpc.ts'

let node: Node

beforeAll(async () => {
  node = await startNode({ metrics: { enabled: true } })
})
afterAll(() => node?.stop())

test('requests of every gateway are counted by operation and status, including cached answers', async () => {
  for (const path of ['params', 'params', 'params?height=999', 'balances/nobody']) {
    await fetch(`${node.urls.rest}/chain/evm/v1/${path}`)
  }
  await fetch(`${node.urls.rest}/nowhere`)
  await ask(node, 'eth_chainId')
  await ask(node, 'eth_getBalance', [node.accounts[0]!.address, '0x99'])
  await ask(node, 'eth_nowhere')
  await fetch(`${node.urls.comet}/status`)
  const text = await (await fetch(node.urls.metrics!)).text()
  const lines = text.split('\n').filter((line) => line.startsWith('almanac_requests_total'))
  const count = (operation: string, status: string, times: number) =>
    `almanac_requests_total{operation="${operation}",status="${status}"} ${times}`
  expect(lines.sort()).toEqual(
    [
      count('/chain.evm.v1.Query/Params', 'ok', 2),
      count('/chain.evm.v1.Query/Params', 'outOfRange', 1),
      count('/chain.evm.v1.Query/Balance', 'invalidArgument', 1),
      count('', 'notFound', 1),
      count('eth_chainId', 'ok', 1),
      count('eth_getBalance', 'unknown', 1),
      count('', 'unimplemented', 1),
      count('status', 'ok', 1),
    ].sort(),
  )
  const timed = [...text.matchAll(/^almanac_request_duration_seconds_count\{(.*)\} (\d+)$/gm)].map(([, ...one]) => one)
  expect(timed.sort()).toEqual([
    ['gateway="comet",kind="read"', '1'],
    ['gateway="jsonrpc",kind="read"', '2'],
    ['gateway="rest",kind="read"', '4'],
  ])
})
