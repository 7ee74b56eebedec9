/** Comparison of nodes of a network: hashes, the transactions of their blocks, logs. */
import { expect } from 'vitest'
import type { TestnetNode } from '../../src/node/testnet/manifest.ts'
import { rpc } from '../support/rpc.ts'
import { askComet, hashesOf } from './processes.ts'

/** Returns the first height that a node has. */
async function earliestOf(node: TestnetNode): Promise<number> {
  const status = await askComet<{ sync_info: { earliest_block_height: string } }>(node, 'status')
  return Number(status!.sync_info.earliest_block_height)
}

const quantity = (value: number): string => `0x${value.toString(16)}`
const urlsOf = ({ jsonrpc }: TestnetNode) => ({ urls: { jsonrpc } })

/** Returns the hashes of the transactions of a range of blocks, in their order. */
async function transactionsOf(node: TestnetNode, first: number, last: number): Promise<string[]> {
  const hashes: string[] = []
  for (let height = first; height <= last; height++) {
    const block = await rpc<{ transactions: string[] }>(urlsOf(node), 'eth_getBlockByNumber', [quantity(height), false])
    hashes.push(...block.transactions)
  }
  return hashes
}

interface FoundLog {
  readonly transactionHash: string
  readonly topics: readonly string[]
}

/** Heights of one search, so that no limit of a search matters. */
const RANGE = 50

/** Returns the logs of a contract in a range of blocks. */
async function logsOf(node: TestnetNode, address: string, first: number, last: number): Promise<FoundLog[]> {
  const logs: FoundLog[] = []
  for (let from = first; from <= last; from += RANGE) {
    const range = { fromBlock: quantity(from), toBlock: quantity(Math.min(last, from + RANGE - 1)) }
    logs.push(...(await rpc<FoundLog[]>(urlsOf(node), 'eth_getLogs', [{ address, ...range }])))
  }
  return logs
}

/**
 * Expects that the nodes have the same hashes, transactions and logs of a contract up to a height, each from the first height that it
 * has. Returns the numbers of what was compared, and what the first node has; it must have all blocks.
 */
export async function compareNodes(nodes: readonly TestnetNode[], address: string, last: number) {
  const [whole] = nodes
  expect(await earliestOf(whole!)).toBe(1)
  const txs = await transactionsOf(whole!, 1, last)
  const logs = await logsOf(whole!, address, 1, last)
  let hashes = 0
  for (const node of nodes.slice(1)) {
    const first = await earliestOf(node)
    const found = await hashesOf(node, first, last)
    expect(found).toEqual(await hashesOf(whole!, first, last))
    hashes += found.size
    expect(await transactionsOf(node, first, last)).toEqual(
      first === 1 ? txs : await transactionsOf(whole!, first, last),
    )
    expect(await logsOf(node, address, first, last)).toEqual(
      first === 1 ? logs : await logsOf(whole!, address, first, last),
    )
  }
  return { txs, logs, hashes }
}
