/** `txpool_`: pending Ethereum transactions: those that the next block can include, and those after a missing nonce. */
import { decodeTransaction } from '../../evm/transaction/decode.ts'
import { feeCapOf } from '../../evm/transaction/types.ts'
import * as evm from '../../modules/evm/keeper.ts'
import { formatEip55 } from '../../primitives/address.ts'
import { equal, toKey } from '../../primitives/bytes.ts'
import type { GatewayNode } from '../gateway.ts'
import { pendingTxs } from '../pending-txs.ts'
import { formatPending, type JsonObject, quantity } from './format.ts'
import { type Methods, mainMethod } from './method.ts'
import { address } from './params.ts'

interface Waiting {
  readonly hash: Uint8Array
  readonly raw: Uint8Array
  readonly from: Uint8Array
  readonly nonce: bigint
  readonly isReady: boolean
}

/** Returns the pending transactions of each sender in the order of their nonces. */
function waiting(node: GatewayNode): readonly Waiting[] {
  const bySender = new Map<string, Omit<Waiting, 'isReady'>[]>()
  for (const { evm: tx } of pendingTxs(node)) {
    if (!tx) continue
    const own = bySender.get(toKey(tx.from))
    if (own) own.push(tx)
    else bySender.set(toKey(tx.from), [tx])
  }
  if (bySender.size === 0) return []
  return node.withContext(undefined, (ctx) =>
    [...bySender.values()].flatMap((own) => {
      let next = evm.nonce(ctx, own[0]!.from)
      return own
        .sort((a, b) => (a.nonce < b.nonce ? -1 : 1))
        .map((tx) => {
          const isReady = tx.nonce === next
          if (isReady) next++
          return { ...tx, isReady }
        })
    }),
  )
}

function byNonce<T>(txs: readonly Waiting[], show: (tx: Waiting) => T): Readonly<Record<string, T>> {
  return Object.fromEntries(txs.map((tx) => [tx.nonce.toString(), show(tx)]))
}

function bySender<T>(txs: readonly Waiting[], show: (tx: Waiting) => T) {
  const senders = new Map<string, Waiting[]>()
  for (const tx of txs) {
    const name = formatEip55(tx.from)
    senders.set(name, [...(senders.get(name) ?? []), tx])
  }
  return Object.fromEntries([...senders].map(([name, own]) => [name, byNonce(own, show)]))
}

/** Formats both parts of the pool. */
function parts<T>(txs: readonly Waiting[], show: (txs: readonly Waiting[]) => T) {
  return { pending: show(txs.filter(({ isReady }) => isReady)), queued: show(txs.filter(({ isReady }) => !isReady)) }
}

const whole = ({ raw, hash, from }: Waiting): JsonObject => formatPending(raw, hash, from)

/** Formats one line of text, in the words of geth. */
function summary({ raw }: Waiting): string {
  const tx = decodeTransaction(raw)
  const target = tx.to ? formatEip55(tx.to) : 'contract creation'
  return `${target}: ${tx.valueWei} wei + ${tx.gasLimit} gas × ${feeCapOf(tx)} wei`
}

export const txpoolMethods: Methods = {
  txpool_content: mainMethod([], ({ node }) => parts(waiting(node), (txs) => bySender(txs, whole))),
  txpool_contentFrom: mainMethod([address], ({ node }, who) =>
    parts(
      waiting(node).filter(({ from }) => equal(from, who)),
      (txs) => byNonce(txs, whole),
    ),
  ),
  txpool_inspect: mainMethod([], ({ node }) => parts(waiting(node), (txs) => bySender(txs, summary))),
  txpool_status: mainMethod([], ({ node }) => parts(waiting(node), (txs) => quantity(txs.length))),
}
