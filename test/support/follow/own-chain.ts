/** A chain of our own for followers: a few dozen blocks with transfers and a contract, the same at every run. */
import { assembleNode } from '../../../src/node/assembly.ts'
import { resolveConfig } from '../../../src/node/config.ts'
import { historyOfNode, type NodeHistory } from './node-history.ts'

const NOON_MS = Date.UTC(2024, 0, 1, 12)
/** Init code of a contract that stores the block number, and returns one byte of code. */
const INIT_CODE = '0x4360005560006000f3'

/**
 * Makes a chain of `blocks` blocks. Chains with the same `branchAt` are equal; another one has other transactions from that
 * height on. `profile` is that of the chain, `validators` their number.
 */
export async function ownChain(
  blocks: number,
  branchAt = Infinity,
  profile = 'almanac',
  validators = 1,
): Promise<NodeHistory> {
  const node = await assembleNode({
    resolved: resolveConfig({
      caller: {
        chain: { profile, validators },
        api: { workers: 0 },
        compute: { workers: 0 },
        feeder: { enabled: false },
        blocks: { time: 'manual' },
        node: { silent: true },
      },
    }),
    home: undefined,
    freePorts: true,
    log: () => undefined,
    clock: () => NOON_MS,
  })
  const call = async (method: string, ...params: readonly unknown[]): Promise<unknown> => {
    const answer = await fetch(node.urls.jsonrpc!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
    const { result, error } = (await answer.json()) as { result?: unknown; error?: { message: string } }
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
  try {
    const [first, second] = (await call('eth_accounts')) as string[]
    while (node.height < BigInt(blocks)) {
      const height = Number(node.height) + 1
      const value = `0x${(height >= branchAt ? height + 1_000_000 : height).toString(16).padEnd(14, '0')}`
      if (height % 2 === 0) await call('eth_sendTransaction', { from: first, to: second, value })
      if (height % 5 === 0) await call('eth_sendTransaction', { from: second, data: INIT_CODE, gas: '0x30000' })
      await node.production!.nextBlock()
    }
    return await historyOfNode(node, node.nodeInfo.genesis())
  } finally {
    await node.stop()
  }
}
