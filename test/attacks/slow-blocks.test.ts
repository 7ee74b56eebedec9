/** Blocks that take long to execute, and light requests meanwhile, against the built program. */
import { connect as connectHttp2 } from 'node:http2'
import { availableParallelism } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { slowBlocks } from '../support/evm/slow-blocks.ts'
import { type NodeProcess, startProcess } from '../support/process.ts'
import { post, rpc } from '../support/rpc.ts'

const LOOP = `0x${'c0'.repeat(20)}`
const TXS = 4
const TX_GAS = 15_000_000

/** Calls a unary gRPC method with an empty request, on a connection of its own. Resolves with the gRPC status. */
function grpc(address: string, path: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(`http://${address}`)
    session.on('error', reject)
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    stream.on('error', reject)
    stream.on('trailers', (trailers) => {
      session.close()
      resolve(trailers['grpc-status'])
    })
    stream.resume()
    stream.end(Buffer.alloc(5))
  })
}

/** Sends requests one after the other, each on a new connection, until `isOver`. Resolves with the longest wait, milliseconds. */
async function longestWait(isOver: () => boolean, send: () => Promise<unknown>): Promise<number> {
  let longest = 0
  while (!isOver()) {
    const begun = performance.now()
    await send()
    longest = Math.max(longest, performance.now() - begun)
    await wait(5)
  }
  return longest
}

/** Puts transactions into the pool that fill a block with the loop. */
async function fillBlock({ config }: NodeProcess, { code, data }: { readonly code: string; readonly data: string }) {
  await rpc(config, 'anvil_setCode', [LOOP, code])
  for (const { address: from } of config.accounts.slice(0, TXS)) {
    await rpc(config, 'eth_sendTransaction', [{ from, to: LOOP, data, gas: `0x${TX_GAS.toString(16)}` }])
  }
}

// With one processor the gateways share it with the blocks, whatever the process.
test.skipIf(availableParallelism() === 1)('no gateway waits for a block of the slowest work', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', 'manual'])
  const { urls, accounts } = node.config
  const slow = slowBlocks().find(({ name }) => name === 'bn254 add')!
  const { bech32, address } = accounts[0]!
  const get = async (url: string) => {
    const answer = await fetch(url, { headers: { connection: 'close' } })
    await answer.text()
    expect(answer.status).toBe(200)
  }
  const requests = {
    rest: () => get(`${urls.rest}/cosmos/bank/v1beta1/balances/${bech32}?n=${Math.random()}`),
    grpc: async () => expect(await grpc(urls.grpc, '/cosmos.bank.v1beta1.Query/Params')).toBe('0'),
    balance: () => rpc(node.config, 'eth_getBalance', [address, 'latest']),
    nonce: () => rpc(node.config, 'eth_getTransactionCount', [address, 'latest']),
    price: () => rpc(node.config, 'eth_gasPrice'),
    estimate: () => rpc(node.config, 'eth_estimateGas', [{ from: address, to: `0x${'11'.repeat(20)}`, value: '0x1' }]),
    comet: () => get(`${urls.comet}/status`),
  }
  for (const send of Object.values(requests)) await send()
  await fillBlock(node, slow)
  let isOver = false
  const begun = performance.now()
  const made = post(node.config, 'evm_mine').then(async (answer) => {
    await answer.text()
    isOver = true
    return performance.now() - begun
  })
  const waits = await Promise.all(
    Object.entries(requests).map(async ([name, send]) => [name, await longestWait(() => isOver, send)] as const),
  )
  const blockMs = await made
  const block = await rpc<{ gasUsed: string }>(node.config, 'eth_getBlockByNumber', ['latest', false])
  expect(Number(block.gasUsed)).toBeGreaterThan(0.98 * TXS * TX_GAS)
  // A request that waits for the block waits for nearly all of it.
  for (const [name, longestMs] of waits)
    expect(longestMs, `${name}, in a block of ${blockMs} ms`).toBeLessThan(blockMs / 2)
})

test('blocks go on after a block of the slowest work', async () => {
  await using node = await startProcess(['--ephemeral', '--block-time', '1s'])
  const slow = slowBlocks().find(({ name }) => name === 'ecrecover')!
  await fillBlock(node, slow)
  const height = async () => Number(await rpc<string>(node.config, 'eth_blockNumber'))
  const before = await height()
  await expect.poll(height, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(before + 3)
  expect(await rpc(node.config, 'txpool_status')).toEqual({ pending: '0x0', queued: '0x0' })
})
