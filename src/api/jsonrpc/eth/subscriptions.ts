/** Subscriptions of one WebSocket connection: new heads, logs, pending transactions. */
import type { EvmTx, StoredBlock } from '../../../app/records.ts'
import type { PendingTx } from '../../../consensus/driver.ts'
import { createLogMatcher } from '../../../indexer/log-matcher.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'
import { cachePerObject } from '../../../primitives/cache.ts'
import type { GatewayNode } from '../../gateway.ts'
import { createPlaces, type Places } from '../../places.ts'
import { serverError, subscriptionNotFound } from '../errors.ts'
import { formatHeader, formatLogs, formatPending } from '../format.ts'
import type { LogFilter } from '../params.ts'
import { progress } from './capabilities.ts'
import { newId } from './ids.ts'

/** Ethereum subscriptions of one connection. Beyond: -32000. */
const MAX_PER_CONNECTION = 200
/**
 * Ethereum subscriptions of one process: each costs a message a block, on the thread that serves every client. Beyond: -32000.
 */
const MAX_PER_NODE = 5000
/** Ethereum subscriptions of one address in one process, so that others find a place. Beyond: -32000. */
const MAX_PER_ADDRESS = 4000

/** Creates the places for the subscriptions of all connections of a process. */
export const subscriptionPlaces = (): Places => createPlaces(MAX_PER_NODE, MAX_PER_ADDRESS)

export interface Subscriptions {
  /** Returns the id of a new subscription. Throws for an unknown kind, and above 200 on a connection, 4,000 of an address or 5,000 on the node. */
  subscribe(kind: string, filter: LogFilter | undefined, whole: boolean): string
  unsubscribe(id: string): boolean
  /** Releases the events of new subscriptions. Call it after their ids are sent, so that no event precedes its id. */
  answered(): void
  close(): void
}

const headerText = cachePerObject((node: GatewayNode) =>
  cachePerObject((block: StoredBlock) => JSON.stringify(formatHeader(node, block))),
)
const logTexts = cachePerObject((block: StoredBlock) =>
  cachePerObject((tx: EvmTx) => formatLogs(block, tx).map((log) => JSON.stringify(log))),
)
const pendingText = cachePerObject(({ raw, hash, from }: NonNullable<PendingTx['evm']>) =>
  JSON.stringify(formatPending(raw, hash, from)),
)

export function createSubscriptions(
  node: GatewayNode,
  { places, client }: { readonly places: Places; readonly client: string },
  send: (text: string) => void,
): Subscriptions {
  const closers = new Map<string, () => void>()
  const unanswered = new Map<string, string[]>()

  /** Pushes a result, given as JSON. */
  const push = (id: string, result: string): void => {
    const params = `{"subscription":"${id}","result":${result}}`
    const text = `{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`
    const held = unanswered.get(id)
    if (held) held.push(text)
    else send(text)
  }
  const onBlock = (listener: (block: StoredBlock) => void): (() => void) => node.driver.onBlock(listener)
  const open = (id: string, kind: string, filter: LogFilter | undefined, whole: boolean): (() => void) => {
    switch (kind) {
      case 'newHeads':
        return onBlock((block) => push(id, headerText(node)(block)))
      case 'logs': {
        const isWanted = createLogMatcher(filter ?? {})
        return onBlock((block) => {
          for (const tx of block.evmTxs) {
            for (const [i, log] of tx.logs.entries()) if (isWanted(log)) push(id, logTexts(block)(tx)[i]!)
          }
        })
      }
      case 'newPendingTransactions':
        return node.driver.onPending(({ evm }: PendingTx) => {
          if (evm) push(id, whole ? pendingText(evm) : `"${formatHex0x(evm.hash)}"`)
        })
      case 'syncing': {
        let last = node.driver.status().catchingUp
        return onBlock(() => {
          const { catchingUp } = node.driver.status()
          if (catchingUp === last) return
          last = catchingUp
          push(id, JSON.stringify(catchingUp ? { syncing: true, status: progress(node) } : false))
        })
      }
      default:
        throw subscriptionNotFound(kind)
    }
  }

  return {
    subscribe(kind, filter, whole) {
      if (closers.size >= MAX_PER_CONNECTION) {
        throw serverError(`too many subscriptions, at most ${MAX_PER_CONNECTION} a connection`)
      }
      const full = places.take(client)
      if (full === 'all') throw serverError(`too many subscriptions, at most ${MAX_PER_NODE} on this node`)
      if (full) throw serverError(`too many subscriptions, at most ${MAX_PER_ADDRESS} of one address`)
      const id = newId()
      let close: () => void
      try {
        close = open(id, kind, filter, whole)
      } catch (error) {
        places.release(client)
        throw error
      }
      unanswered.set(id, [])
      closers.set(id, close)
      return id
    },
    unsubscribe(id) {
      closers.get(id)?.()
      unanswered.delete(id)
      if (!closers.delete(id)) return false
      places.release(client)
      return true
    },
    answered() {
      const held = [...unanswered.values()]
      unanswered.clear()
      for (const texts of held) for (const text of texts) send(text)
    },
    close() {
      for (const close of closers.values()) close()
      places.release(client, closers.size)
      closers.clear()
      unanswered.clear()
    },
  }
}
