/** A connection to JSON-RPC within the process, with the methods and subscriptions of a WebSocket but without a port. */

import type { GatewayNode } from '../gateway.ts'
import { createJsonWriter } from '../json.ts'
import { createPause } from '../transport/slices.ts'
import type { RpcErrorObject } from './errors.ts'
import { createBacklog, createEventQueue } from './eth/event-queue.ts'
import { createFilters } from './eth/filters.ts'
import { createSubscriptions, subscriptionPlaces } from './eth/subscriptions.ts'
import type { RpcCall } from './method.ts'
import { createResultCache } from './result-cache.ts'
import { answerMessage } from './rpc.ts'
import { methodTable } from './server.ts'

const INVALID_PARAMS = -32602

/** The client's name where the server has the address of its client. */
const CLIENT = 'in process'

/** An event of a subscription: the member `params` of an `eth_subscription` notification. */
export interface SubscriptionEvent {
  readonly subscription: string
  readonly result: unknown
}

type RpcAnswer = { readonly result: unknown } | { readonly error: RpcErrorObject }

export interface JsonRpcConnection {
  /** Answers one call. A bigint within `params` is a quantity. Never rejects for a failure of the method. */
  ask(method: string, params: unknown): Promise<RpcAnswer>
  /** Ends subscriptions, filters and running calls. */
  close(): void
}

const withQuantities = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? `${value < 0n ? '-' : ''}0x${(value < 0n ? -value : value).toString(16)}` : value

/** Opens a connection. `onEvent` gets the events of its subscriptions in order, none before the id of its subscription. */
export function connectJsonRpc(node: GatewayNode, onEvent: (event: SubscriptionEvent) => void): JsonRpcConnection {
  const filters = createFilters(node)
  const methods = methodTable(node, {})
  const closed = new AbortController()
  const queue = createEventQueue(
    {
      send(text, sent) {
        onEvent((JSON.parse(text) as { readonly params: SubscriptionEvent }).params)
        sent?.()
      },
      unsent: () => 0,
    },
    createPause(),
    createBacklog(),
    () => node.log('warn', 'events of subscriptions within the process come too fast: those that waited were dropped'),
  )
  const subscriptions = createSubscriptions(node, { places: subscriptionPlaces(), client: CLIENT }, queue)
  const call: RpcCall = {
    node,
    filters,
    client: CLIENT,
    results: createResultCache(node),
    writer: createJsonWriter(node.identity),
    subscriptions,
    signal: () => closed.signal,
  }
  return {
    async ask(method, params) {
      let request: string
      try {
        request = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }, withQuantities)
      } catch (error) {
        return { error: { code: INVALID_PARAMS, message: `params have no JSON form: ${(error as Error).message}` } }
      }
      const text = await answerMessage(call, methods, request)
      // The caller has the id of its subscription first.
      setImmediate(() => subscriptions.answered())
      return JSON.parse(text!) as RpcAnswer
    },
    close() {
      closed.abort()
      subscriptions.close()
      filters.close()
    },
  }
}
