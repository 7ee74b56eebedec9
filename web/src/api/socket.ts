/** Subscriptions to events over the WebSocket of the engine's RPC. One connection, reopened when it ends. */
import { createStore } from '../store.ts'
import { urlOf } from './ask.ts'

/** State of the connection. */
export const connection = createStore<'connecting' | 'open' | 'offline'>('connecting')

interface Subscription {
  readonly query: string
  readonly listener: (value: unknown) => void
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000

const subscriptions = new Map<number, Subscription>()
let socket: WebSocket | undefined
let nextId = 1
let waitMs = FIRST_WAIT_MS

function send(message: unknown): void {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message))
}

const subscribeMessage = (id: number, query: string) => ({ jsonrpc: '2.0', id, method: 'subscribe', params: { query } })

function open(): void {
  const opened = new WebSocket(urlOf('console/engine/websocket').replace(/^http/, 'ws'))
  socket = opened
  opened.onopen = () => {
    waitMs = FIRST_WAIT_MS
    // The node takes one subscription for a query of a connection.
    for (const [query, id] of new Map([...subscriptions].map(([id, { query }]) => [query, id]))) {
      send(subscribeMessage(id, query))
    }
    connection.set('open')
  }
  opened.onmessage = ({ data }) => {
    const { result } = JSON.parse(String(data)) as { result?: { query?: string; data?: { value?: unknown } } }
    if (result?.query === undefined) return
    for (const { query, listener } of [...subscriptions.values()]) {
      if (query === result.query) listener(result.data?.value)
    }
  }
  opened.onclose = () => {
    if (socket !== opened) return
    connection.set('offline')
    setTimeout(open, waitMs)
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)
  }
}

/** Calls the listener with the value of each event that fits the query. Returns the function that ends this. */
export function subscribe(query: string, listener: (value: unknown) => void): () => void {
  const isNew = ![...subscriptions.values()].some((one) => one.query === query)
  const id = nextId++
  subscriptions.set(id, { query, listener })
  if (!socket) open()
  else if (isNew) send(subscribeMessage(id, query))
  return () => {
    subscriptions.delete(id)
    if ([...subscriptions.values()].some((one) => one.query === query)) return
    send({ jsonrpc: '2.0', id, method: 'unsubscribe', params: { query } })
  }
}
