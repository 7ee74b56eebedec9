import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { TestnetNode } from './manifest.ts'
import { watchNodes } from './watch.ts'

const servers: Server[] = []

afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

/** Serves the CometBFT RPC of a node at a height, each of whose blocks has two transactions. */
async function serve(state: { height: number; round?: number }): Promise<TestnetNode> {
  const server = createServer(({ url = '' }, response) => {
    const range = /minHeight=(\d+)&maxHeight=(\d+)/.exec(url)?.slice(1).map(Number)
    const results: Record<string, unknown> = {
      '/status': {
        sync_info: { latest_block_height: String(state.height), latest_app_hash: 'AB', catching_up: false },
      },
      '/consensus_state': { round_state: { 'height/round/step': `${state.height + 1}/${state.round ?? 0}/1` } },
      '/net_info': { n_peers: '2' },
    }
    const metas = range && {
      block_metas: Array.from({ length: range[1]! - range[0]! + 1 }, (_, i) => ({
        header: { height: String(range[0]! + i) },
        num_txs: '2',
      })),
    }
    response.end(JSON.stringify({ result: metas ?? results[url] }))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { comet: `http://127.0.0.1:${(server.address() as AddressInfo).port}` } as TestnetNode
}

test('rates are those of the blocks and transactions of the last ten seconds', async () => {
  const state = { height: 10, round: 0 }
  const gone = { comet: 'http://127.0.0.1:9' } as TestnetNode
  let now = 0
  const watch = watchNodes([await serve(state), gone], () => now)
  expect(await watch.look()).toEqual([
    { height: 10, appHash: 'AB', catchingUp: false, round: 0, peers: 2, blocksPerSecond: 0, txsPerSecond: 0 },
    undefined,
  ])
  now = 4000
  state.height = 16
  state.round = 3
  expect((await watch.look())[0]).toMatchObject({ height: 16, round: 3, blocksPerSecond: 1.5, txsPerSecond: 3 })
  // Half a minute without a block: the fast ones are no longer in the window.
  for (let i = 0; i < 30; i++) {
    now += 1000
    await watch.look()
  }
  expect((await watch.look())[0]).toMatchObject({ height: 16, blocksPerSecond: 0, txsPerSecond: 0 })
  now += 10_000
  state.height = 66
  expect((await watch.look())[0]).toMatchObject({ blocksPerSecond: 5, txsPerSecond: 10 })
})

test('a node that was away begins a new window', async () => {
  const state = { height: 10 }
  const node = await serve(state)
  let now = 0
  const watch = watchNodes([node], () => now)
  await watch.look()
  const address = node.comet
  Object.assign(node, { comet: 'http://127.0.0.1:9' })
  now = 1000
  expect(await watch.look()).toEqual([undefined])
  Object.assign(node, { comet: address })
  state.height = 500
  now = 2000
  expect((await watch.look())[0]).toMatchObject({ height: 500, blocksPerSecond: 0, txsPerSecond: 0 })
})
