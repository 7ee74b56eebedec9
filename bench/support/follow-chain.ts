/** A chain for followers: blocks with 20 transactions and more than 500 changed keys, or empty ones. */
import { join } from 'node:path'
import { assembleNode } from '../../src/node/assembly.ts'
import { resolveConfig } from '../../src/node/config.ts'
import { historyOfNode, type NodeHistory } from '../../test/support/follow/node-history.ts'

const TXS = 20
const SLOTS = 25
/** Code that stores the block number in `SLOTS` slots from the one that the call data names. */
const STORES = Array.from({ length: SLOTS }, (_, i) => `4360${i.toString(16).padStart(2, '0')}5f350155`).join('')
const LENGTH = (STORES.length / 2).toString(16)
const INIT_CODE = `0x60${LENGTH}600a5f3960${LENGTH}5ff3${STORES}`

export interface FollowedChain {
  readonly history: NodeHistory
  /** Time of a block, execution and commit. Unit: milliseconds. */
  readonly blockMs: number
  /** Addresses of its accounts, in hexadecimal digits. */
  readonly accounts: readonly string[]
  /** A contract that stores. */
  readonly contract: string
}

/** Makes a chain of some blocks in a folder. */
export async function makeChain(folder: string, blocks: number): Promise<FollowedChain> {
  const quiet = { workers: 0 }
  const node = await assembleNode({
    resolved: resolveConfig({
      caller: { api: quiet, compute: quiet, feeder: { enabled: false }, blocks: { time: 'manual' } },
    }),
    home: join(folder, 'maker'),
    freePorts: true,
    log: () => undefined,
  })
  let id = 0
  const post = async (calls: readonly (readonly [string, readonly unknown[]])[]): Promise<readonly unknown[]> => {
    const answer = await fetch(node.urls.jsonrpc!, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(calls.map(([method, params]) => ({ jsonrpc: '2.0', id: id++, method, params }))),
    })
    const answers = (await answer.json()) as { result?: unknown; error?: { message: string } }[]
    return answers.map(({ result, error }) => {
      if (error) throw new Error(error.message)
      return result
    })
  }
  try {
    const [accounts] = (await post([['eth_accounts', []]])) as [string[]]
    const [hash] = await post([['eth_sendTransaction', [{ from: accounts[0], data: INIT_CODE, gas: '0x200000' }]]])
    await node.production!.nextBlock()
    const [receipt] = (await post([['eth_getTransactionReceipt', [hash]]])) as [{ contractAddress: string }]
    const contract = receipt.contractAddress
    let spentMs = 0
    while (node.height < BigInt(blocks)) {
      await post(
        Array.from({ length: TXS }, (_, i) => {
          const slot = `0x${((Number(node.height) % 50) * TXS * SLOTS + i * SLOTS).toString(16).padStart(64, '0')}`
          const tx = { from: accounts[i % accounts.length], to: contract, data: slot, gas: '0x100000' }
          return ['eth_sendTransaction', [tx]] as const
        }),
      )
      const started = performance.now()
      await node.production!.nextBlock()
      spentMs += performance.now() - started
    }
    const history = await historyOfNode(node, node.nodeInfo.genesis())
    return { history, blockMs: spentMs / (blocks - 1), accounts, contract }
  } finally {
    await node.stop()
  }
}
