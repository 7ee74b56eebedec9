/** `txpool_`: pending Ethereum transactions: those that the next block can include, and those after a missing nonce. */
import type { PendingTx } from '../../consensus/driver.ts'
import { decodeTransaction } from '../../evm/transaction/decode.ts'
import { feeCapOf } from '../../evm/transaction/types.ts'
import { formatEip55 } from '../../primitives/address.ts'
import type { GatewayNode } from '../gateway.ts'
import { pendingCount, pendingTxs } from '../pending-txs.ts'
import { createPause } from '../transport/slices.ts'
import { limitExceeded } from './errors.ts'
import { formatPending, type JsonObject, quantity } from './format.ts'
import { type Methods, mainMethod } from './method.ts'
import { address } from './params.ts'

type Waiting = NonNullable<PendingTx['evm']>

/** Size of all waiting transactions that one answer lists; it is several times as long. Beyond: -32005. */
const MOST_LISTED_BYTES = 25_000_000

type Part<T> = Record<string, T>

/** Shows the waiting transactions of a sender by nonce: those that the next block can include, and the others. */
function partsOf<T>(node: GatewayNode, sender: Uint8Array, show: (tx: Waiting) => T) {
  const { txs, ready } = node.driver.pool?.ofSender(sender) ?? { txs: [], ready: 0 }
  const parts = { pending: {} as Part<T>, queued: {} as Part<T> }
  for (const [i, { evm: tx }] of txs.entries()) {
    if (tx) (i < ready ? parts.pending : parts.queued)[tx.nonce.toString()] = show(tx)
  }
  return parts
}

/** Shows the waiting transactions of all senders, in time slices. Throws -32005 if they are too many bytes for one answer. */
async function partsOfAll<T>(node: GatewayNode, show: (tx: Waiting) => T) {
  requireListable(node)
  const parts = { pending: {} as Part<Part<T>>, queued: {} as Part<Part<T>> }
  const pause = createPause()
  const seen = new Set<string>()
  for (const { evm: tx } of pendingTxs(node)) {
    const name = tx && formatEip55(tx.from)
    if (!name || seen.has(name)) continue
    seen.add(name)
    const { pending, queued } = partsOf(node, tx.from, show)
    if (Object.keys(pending).length > 0) parts.pending[name] = pending
    if (Object.keys(queued).length > 0) parts.queued[name] = queued
    await pause()
  }
  return parts
}

function requireListable(node: GatewayNode): void {
  const { count, sizeBytes } = pendingCount(node)
  if (sizeBytes <= MOST_LISTED_BYTES) return
  throw limitExceeded(`${count} transactions of ${sizeBytes} bytes wait, more than ${MOST_LISTED_BYTES} bytes`)
}

/** Returns all waiting Ethereum transactions by arrival, in time slices. Throws as `txpool_content`. */
export async function pendingTransactions(node: GatewayNode): Promise<readonly JsonObject[]> {
  requireListable(node)
  const pause = createPause()
  const found: JsonObject[] = []
  for (const { evm: tx } of pendingTxs(node)) {
    if (tx) found.push(whole(tx))
    await pause()
  }
  return found
}

const whole = ({ raw, hash, from }: Waiting): JsonObject => formatPending(raw, hash, from)

/** Formats one line of text, in the words of geth. */
function summary({ raw }: Waiting): string {
  const tx = decodeTransaction(raw)
  const target = tx.to ? formatEip55(tx.to) : 'contract creation'
  return `${target}: ${tx.valueWei} wei + ${tx.gasLimit} gas × ${feeCapOf(tx)} wei`
}

export const txpoolMethods: Methods = {
  txpool_content: mainMethod([], ({ node }) => partsOfAll(node, whole)),
  txpool_contentFrom: mainMethod([address], ({ node }, who) => partsOf(node, who, whole)),
  txpool_inspect: mainMethod([], ({ node }) => partsOfAll(node, summary)),
  txpool_status: mainMethod([], ({ node }) => {
    const { ready, queued } = node.driver.pool?.evmCounts() ?? { ready: 0, queued: 0 }
    return { pending: quantity(ready), queued: quantity(queued) }
  }),
}
