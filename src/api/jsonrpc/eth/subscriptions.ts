/** Subscriptions of one WebSocket connection: new heads, logs, receipts, pending transactions. */
import type { EvmTx, StoredBlock } from '../../../app/records.ts'
import type { PendingTx } from '../../../consensus/driver.ts'
import { createLogMatcher } from '../../../indexer/log-matcher.ts'
import { readHash, readObject } from '../../../modules/evm/calls/hex-json.ts'
import { formatHex0x, toKey } from '../../../primitives/bytes.ts'
import { cachePerObject } from '../../../primitives/cache.ts'
import type { GatewayNode } from '../../gateway.ts'
import { createPlaces, type Places } from '../../transport/places.ts'
import { invalidParams, serverError, subscriptionNotFound } from '../errors.ts'
import { formatHeader, formatLogs, formatPending, formatReceipt } from '../format.ts'
import type { LogFilter, Param } from '../params.ts'
import { progress } from './capabilities.ts'
import { countCriteria, MAX_CRITERIA, MAX_CRITERIA_OF_ADDRESS } from './criteria.ts'
import type { EventQueue, Events } from './event-queue.ts'
import { newId } from './ids.ts'

/** Ethereum subscriptions of one connection. Beyond: -32000. */
const MAX_PER_CONNECTION = 200
/**
 * Ethereum subscriptions of one process: each costs a message a block, on the thread that serves every client. Beyond: -32000.
 */
const MAX_PER_NODE = 5000
/** Ethereum subscriptions of one address in one process, so that others find a place. Beyond: -32000. */
const MAX_PER_ADDRESS = 4000

/** Transactions that one `transactionReceipts` subscription names, as in geth. Beyond: -32602. */
const MAX_HASHES = 200

/** The options of a subscription. */
interface SubscriptionOptions {
  /** Wanted logs, for `logs`; absent for all. */
  readonly filter?: LogFilter | undefined
  /** Hashes of the wanted transactions, for `transactionReceipts`; empty or absent for all. */
  readonly hashes?: readonly Uint8Array[] | undefined
  /** Whether `newPendingTransactions` sends transactions in place of their hashes. */
  readonly whole?: boolean
}

/** The options of `transactionReceipts`. */
export const receiptFilter: Param<readonly Uint8Array[]> = {
  required: true,
  read(value) {
    const { transactionHashes: hashes } = readObject(value, { type: 'filters.TransactionReceiptsQuery' })
    if (hashes === undefined || hashes === null) return []
    if (!Array.isArray(hashes)) throw invalidParams('transactionHashes is not a list')
    if (hashes.length > MAX_HASHES) {
      throw invalidParams(
        `exceed max number of transaction hashes allowed per transactionReceipts subscription: ${MAX_HASHES}`,
      )
    }
    return hashes.map((one: unknown) => readHash(one))
  },
}

/** The places of a process for subscriptions. */
export interface SubscriptionPlaces {
  readonly subscriptions: Places
  /** Places for the addresses, topics and hashes that they name. */
  readonly criteria: Places
}

/** Creates the places for the subscriptions of all connections of a process. */
export const subscriptionPlaces = (): SubscriptionPlaces => ({
  subscriptions: createPlaces(MAX_PER_NODE, MAX_PER_ADDRESS),
  criteria: createPlaces(MAX_CRITERIA, MAX_CRITERIA_OF_ADDRESS),
})

/** Takes the places of a subscription. Returns the function that gives them back. Throws -32000 if there are too few. */
function enter({ subscriptions, criteria }: SubscriptionPlaces, client: string, count: number): () => void {
  const full = subscriptions.take(client)
  if (full === 'all') throw serverError(`too many subscriptions, at most ${MAX_PER_NODE} on this node`)
  if (full) throw serverError(`too many subscriptions, at most ${MAX_PER_ADDRESS} of one address`)
  const fullCriteria = criteria.take(client, count)
  if (fullCriteria) {
    subscriptions.release(client)
    const limit = fullCriteria === 'all' ? `${MAX_CRITERIA} on this node` : `${MAX_CRITERIA_OF_ADDRESS} of one address`
    throw serverError(`too many addresses, topics and hashes in subscriptions, at most ${limit}`)
  }
  return () => {
    subscriptions.release(client)
    criteria.release(client, count)
  }
}

/** Returns the number of addresses, topics and hashes that a subscription names. */
const criteriaOf = ({ filter, hashes = [] }: SubscriptionOptions): number =>
  hashes.length + (filter ? countCriteria(filter) : 0)

export interface Subscriptions {
  /**
   * Returns the id of a new subscription. Throws for an unknown kind, above 200 on a connection, 4,000 of an address or 5,000 on
   * the node, and for too many addresses, topics and hashes.
   */
  subscribe(kind: string, options: SubscriptionOptions): string
  unsubscribe(id: string): boolean
  /** Releases the events of new subscriptions. Call it after their ids are sent, so that no event precedes its id. */
  answered(): void
  close(): void
}

const headerText = cachePerObject((node: GatewayNode) =>
  cachePerObject((block: StoredBlock) => JSON.stringify(formatHeader(node, block))),
)
/** The texts of the logs of a transaction that a subscriber was sent. */
const logTexts = cachePerObject((_tx: EvmTx): string[] => [])

function logText(block: StoredBlock, tx: EvmTx, index: number): string {
  const texts = logTexts(tx)
  const one = { ...tx, logs: [tx.logs[index]!], firstLogIndex: tx.firstLogIndex + index }
  texts[index] ??= JSON.stringify(formatLogs(block, one)[0])
  return texts[index]
}
const pendingText = cachePerObject(({ raw, hash, from }: NonNullable<PendingTx['evm']>) =>
  JSON.stringify(formatPending(raw, hash, from)),
)

/** The texts of the receipts of transactions that subscribers were sent. */
const receiptText = cachePerObject((block: StoredBlock) =>
  cachePerObject((tx: EvmTx) => JSON.stringify(formatReceipt(block, tx))),
)

/** Returns the event of the wanted receipts of a block: one list. */
function* receiptEvents(id: string, block: StoredBlock, txs: readonly EvmTx[]): Generator<string, void> {
  yield eventText(id, `[${txs.map(receiptText(block)).join()}]`)
}

/** Returns the text of one event, whose result is given as JSON. */
const eventText = (id: string, result: string): string =>
  `{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"${id}","result":${result}}}`

/** Returns an event whose text is made when it is sent: a block has one for each of thousands of subscriptions. */
function* oneEvent(id: string, result: () => string): Generator<string, void> {
  yield eventText(id, result())
}

/** Returns the events of the wanted logs of a block; undefined for each other log. */
function* logEvents(
  id: string,
  block: StoredBlock,
  isWanted: ReturnType<typeof createLogMatcher>,
): Generator<string | undefined, void> {
  for (const tx of block.evmTxs) {
    for (const [i, log] of tx.logs.entries()) yield isWanted(log) ? eventText(id, logText(block, tx, i)) : undefined
  }
}

export function createSubscriptions(
  node: GatewayNode,
  { places, client }: { readonly places: SubscriptionPlaces; readonly client: string },
  queue: EventQueue,
): Subscriptions {
  const closers = new Map<string, () => void>()
  const unanswered = new Map<string, Events[]>()

  function add(id: string, found: Omit<Events, 'isOpen'>): void {
    const events = { ...found, isOpen: () => closers.has(id) }
    const held = unanswered.get(id)
    if (held) held.push(events)
    else queue.add(events)
  }
  /** Pushes one result, whose JSON is made when it is sent. */
  const push = (id: string, of: object, result: () => string): void =>
    add(id, { of, items: 1, texts: oneEvent(id, result) })
  const onBlock = (listener: (block: StoredBlock) => void): (() => void) => node.driver.onBlock(listener)
  const open = (
    id: string,
    kind: string,
    { filter, hashes = [], whole = false }: SubscriptionOptions,
  ): (() => void) => {
    switch (kind) {
      case 'newHeads':
        return onBlock((block) => push(id, block, () => headerText(node)(block)))
      case 'logs': {
        const isWanted = createLogMatcher(filter ?? {})
        return onBlock((block) => {
          const items = block.evmTxs.reduce((sum, { logs }) => sum + logs.length, 0)
          if (items > 0) add(id, { of: block, items, texts: logEvents(id, block, isWanted) })
        })
      }
      case 'transactionReceipts': {
        const wanted = new Set(hashes.map(toKey))
        return onBlock((block) => {
          const txs = block.evmTxs.filter(({ hash }) => wanted.size === 0 || wanted.has(toKey(hash)))
          const items = txs.reduce((sum, { logs }) => sum + 1 + logs.length, 0)
          if (items > 0) add(id, { of: block, items, texts: receiptEvents(id, block, txs) })
        })
      }
      case 'newPendingTransactions':
        return node.driver.onPending(({ evm }: PendingTx) => {
          if (evm) push(id, evm, () => (whole ? pendingText(evm) : `"${formatHex0x(evm.hash)}"`))
        })
      case 'syncing': {
        let last = node.driver.status().catchingUp
        return onBlock((block) => {
          const { catchingUp } = node.driver.status()
          if (catchingUp === last) return
          last = catchingUp
          const event = JSON.stringify(catchingUp ? { syncing: true, status: progress(node) } : false)
          push(id, block, () => event)
        })
      }
      default:
        throw subscriptionNotFound(kind)
    }
  }

  return {
    subscribe(kind, options) {
      if (closers.size >= MAX_PER_CONNECTION) {
        throw serverError(`too many subscriptions, at most ${MAX_PER_CONNECTION} a connection`)
      }
      const leave = enter(places, client, criteriaOf(options))
      const id = newId()
      let close: () => void
      try {
        close = open(id, kind, options)
      } catch (error) {
        leave()
        throw error
      }
      unanswered.set(id, [])
      closers.set(id, () => {
        close()
        leave()
      })
      return id
    },
    unsubscribe(id) {
      closers.get(id)?.()
      unanswered.delete(id)
      return closers.delete(id)
    },
    answered() {
      const held = [...unanswered.values()]
      unanswered.clear()
      for (const events of held.flat()) queue.add(events)
    },
    close() {
      for (const close of closers.values()) close()
      closers.clear()
      unanswered.clear()
      queue.close()
    },
  }
}
