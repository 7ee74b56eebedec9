/** `anvil_reorg`: replaces the newest blocks of a development chain by others, with the transactions that the caller names. */
import { readCallArgs } from '../../../modules/evm/calls/call-args.ts'
import { parseHex } from '../../../primitives/bytes.ts'
import { ChainError, queryError } from '../../../primitives/errors.ts'
import { pendingTxs } from '../../pending-txs.ts'
import { invalidParams, serverError } from '../errors.ts'
import { sendTransaction } from '../eth/accounts.ts'
import { sendRaw } from '../eth/transactions.ts'
import { type Method, mainMethod, type RpcCall } from '../method.ts'
import { json, optional } from '../params.ts'
import { count, developmentOf } from './verbs.ts'

/** Blocks of one `anvil_reorg` (development). Beyond: an error. */
const MAX_DEPTH = 1000n
/** Transactions of one `anvil_reorg` (development). Beyond: an error. */
const MAX_TXS = 1000

/** A transaction, and the index of its block among the new ones. */
interface Placed {
  readonly block: bigint
  readonly send: (call: RpcCall) => Promise<string>
}

/** Reads pairs of a transaction, signed bytes or the object of `eth_sendTransaction`, and the index of its block. */
function readPlaced(given: unknown, depth: bigint): readonly Placed[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw invalidParams('the second parameter is not a list of pairs [transaction, block]')
  if (given.length > MAX_TXS) throw invalidParams(`${given.length} transactions exceed the limit of ${MAX_TXS}`)
  return given.map((pair: unknown, i): Placed => {
    if (!Array.isArray(pair) || pair.length !== 2) throw invalidParams(`pair ${i} is not [transaction, block]`)
    const [tx, index] = pair as readonly unknown[]
    const block = count.read(index)
    if (block >= depth) {
      throw invalidParams(`pair ${i}: block ${block} is not one of the ${depth} new blocks, which count from 0`)
    }
    if (typeof tx !== 'string') {
      const args = readCallArgs(tx)
      return { block, send: (call) => sendTransaction(call, args) }
    }
    const raw = /^0[xX]/.test(tx) ? parseHex(tx.slice(2)) : undefined
    if (!raw) throw invalidParams(`pair ${i}: the transaction is neither hexadecimal digits after 0x nor an object`)
    return { block, send: ({ node }) => sendRaw(node, raw) }
  })
}

/** Makes the new blocks. Returns the refusals of transactions. */
async function makeBlocks(call: RpcCall, depth: bigint, placed: readonly Placed[]): Promise<readonly string[]> {
  const development = developmentOf(call.node)
  const refusals: string[] = []
  for (let block = 0n; block < depth; block++) {
    for (const [i, one] of placed.entries()) {
      if (one.block !== block) continue
      try {
        await one.send(call)
      } catch (error) {
        if (!(error instanceof ChainError)) throw error
        refusals.push(`transaction ${i}: ${error.message}`)
      }
    }
    await development.mine(1n)
  }
  return refusals
}

/**
 * Goes back by `depth` blocks and makes as many, with the named transactions. Transactions of the old blocks are dropped, and
 * those that waited before wait again. If one is refused, the blocks are made without it, and the error names it.
 */
async function reorg(call: RpcCall, depth: bigint, pairs: unknown): Promise<void> {
  const { node } = call
  const development = developmentOf(node)
  if (depth === 0n) throw queryError('invalidArgument', 'depth is 0: at least one block must be replaced')
  if (depth > MAX_DEPTH) throw queryError('invalidArgument', `depth ${depth} exceeds the limit of ${MAX_DEPTH}`)
  const placed = readPlaced(pairs, depth)
  const mining = development.mining()
  const waiting = pendingTxs(node)
  development.setMining({ automine: false, intervalMs: 0, everyMs: 0 })
  try {
    await development.rollback(depth)
    development.drop(pendingTxs(node).map(({ hash }) => hash))
    const refusals = await makeBlocks(call, depth, placed)
    for (const { bytes } of waiting) await node.driver.submit(bytes)
    if (refusals.length > 0) throw serverError(`the blocks were replaced without ${refusals.join('; ')}`)
  } finally {
    development.setMining(mining)
  }
}

export const reorgVerb: Method = mainMethod([count, optional(json, undefined)], reorg)
