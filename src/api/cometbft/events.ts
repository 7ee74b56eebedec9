/** Subscriptions of the CometBFT RPC over WebSocket (docs/cometbft.md#subscriptions). */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { WebSocket } from 'ws'
import type { StoredBlock, Validator } from '../../app/records.ts'
import {
  blockIdJson,
  eventsJson,
  formatUpperHex,
  headerJson,
  txResultEventJson,
} from '../../consensus/comet/block-json.ts'
import { blockJson } from '../../consensus/comet/stored-block-json.ts'
import type { Identity } from '../../identity/types.ts'
import { formatBase64 } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import { parseRequestJson } from '../../primitives/request-json.ts'
import { parseSearch } from '../search/either-name.ts'
import { type EventMap, flattenEvents, matchesMap, type Query } from '../search/query.ts'
import { createPlaces } from '../transport/places.ts'
import { createPause, noteClient } from '../transport/slices.ts'
import { shareOf } from '../transport/turns.ts'
import { serveMessages } from '../transport/websocket.ts'
import { wholeBlock } from './engine.ts'
import type { CometEnvironment, CometMethod, Json } from './method.ts'
import { roundEvents } from './round-events.ts'

/** WebSocket clients of the CometBFT RPC, as in CometBFT. Beyond: a new one is closed with 1013. */
const MAX_CLIENTS = 100
/** WebSocket clients of the CometBFT RPC from one address, so that others find a place. Beyond: a new one is closed with 1013. */
const MAX_CLIENTS_OF_ADDRESS = 80
/** Subscriptions of one client of the CometBFT RPC, as in CometBFT. Beyond: an error. */
const MAX_SUBSCRIPTIONS = 5
const PING_MS = 27_000
const SILENCE_MS = 30_000
/** Bytes that wait for a subscriber of the CometBFT RPC. Beyond: it loses events, as in CometBFT. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024

interface Publication {
  readonly kind: string
  readonly events: EventMap
  /** Data and events as members of a JSON object. They are written at most once, for all subscribers. */
  readonly members: () => string
}

function publicationOf(kind: string, value: Json, events: EventMap, type = kind): Publication {
  let text: string | undefined
  return {
    kind,
    events,
    members() {
      text ??= JSON.stringify({ data: { type: `tendermint/event/${type}`, value }, events }).slice(1, -1)
      return text
    },
  }
}

/** Returns the events of a block for subscribers, in the order of CometBFT. */
function publications(block: StoredBlock): Publication[] {
  const height = block.header.height.toString()
  const publish = (kind: string, value: Json): Publication =>
    publicationOf(kind, value, flattenEvents(block.blockEvents, { 'tm.event': kind, 'block.height': height }))
  const blockEvents = block.blockEvents.length > 0 && { events: eventsJson(block.blockEvents) }
  const result = {
    ...blockEvents,
    ...(block.results.length > 0 && { tx_results: block.results.map(txResultEventJson) }),
    validator_updates: null,
    app_hash: formatBase64(block.nextAppHash),
  }
  return [
    publish('NewBlock', {
      block: blockJson(block),
      block_id: blockIdJson(block.blockId),
      result_finalize_block: result,
    }),
    publish('NewBlockHeader', { header: headerJson(block.header) }),
    publish('NewBlockEvents', { height, events: eventsJson(block.blockEvents), num_txs: block.txs.length.toString() }),
    ...block.txs.map((tx, index) => txPublication(block, tx, index)),
  ]
}

/** Returns the events of the round that decided a block of the embedded engine. */
function roundPublications(block: StoredBlock, validators: readonly Validator[]): Publication[] {
  return roundEvents(block, validators).map(({ kind, type, value }) =>
    publicationOf(kind, value, flattenEvents([], { 'tm.event': kind }), type),
  )
}

function txPublication(block: StoredBlock, tx: Uint8Array, index: number): Publication {
  const height = block.header.height.toString()
  const result = block.results[index]!
  const value = {
    TxResult: { height, ...(index !== 0 && { index }), tx: formatBase64(tx), result: txResultEventJson(result) },
  }
  const attributes = { 'tm.event': 'Tx', 'tx.hash': formatUpperHex(sha256(tx)), 'tx.height': height }
  return publicationOf('Tx', value, flattenEvents(result.events, attributes))
}

/** Whether a query cannot match any event of this kind. Saves most of the matching. */
function excludes(query: Query, kind: string): boolean {
  return query.some(
    ({ key, operator, operand }) =>
      key === 'tm.event' && operator === '=' && operand.kind === 'text' && operand.text !== kind,
  )
}

interface Client {
  readonly socket: WebSocket
  readonly connection: Socket
  /** Subscriptions by the text of their query. Every event repeats the id of the request that subscribed. */
  readonly subscriptions: Map<string, { readonly id: unknown; readonly query: Query }>
}

/** Answers a JSON-RPC request as JSON, with the methods of the RPC and the given ones; undefined for a notification. */
export type Answer = (
  request: unknown,
  extra: Readonly<Record<string, CometMethod>>,
  /** The address by which the client is counted, and the signal that it has left. */
  asker: { readonly client: string; readonly signal: AbortSignal },
) => Promise<string | undefined>

/** The answers to one client. */
type CountedAnswer = (...asked: [Parameters<Answer>[0], Parameters<Answer>[1]]) => ReturnType<Answer>

/** Serves WebSocket clients: every method of the RPC, and subscriptions to the events of blocks. */
export function createSubscriptions(
  environment: CometEnvironment,
  answer: Answer,
): { accept(socket: WebSocket, request: IncomingMessage): void; close(): void } {
  const clients = new Set<Client>()
  const places = createPlaces(MAX_CLIENTS, MAX_CLIENTS_OF_ADDRESS)
  const { engine } = environment.nodeInfo
  const hasSubscriber = () => [...clients].some(({ subscriptions }) => subscriptions.size > 0)
  /** Settles when the events so far are published: blocks of an engine are published in order too. */
  let tail = Promise.resolve()
  const unlisten = environment.node.driver.onBlock((block) => {
    if (!hasSubscriber()) return
    const whole = engine ? () => wholeBlock(engine, block).catch(() => block) : () => block
    tail = tail.then(whole).then(publish)
  })
  async function publish(block: StoredBlock): Promise<void> {
    const pause = createPause()
    const listening = [...clients].filter(({ subscriptions }) => subscriptions.size > 0)
    const { blocks } = environment.node
    const ofRound = engine ? [] : roundPublications(block, blocks.validators(block.header.height) ?? [])
    for (const publication of [...ofRound, ...publications(block)]) {
      const matches = matcherOf(publication)
      for (const client of listening) {
        const rest = pause()
        if (rest) await rest
        environment.node.outgoing.check(client.connection)
        notify(client, publication, matches)
      }
    }
  }
  return {
    accept(socket, request) {
      const { node } = environment
      const address = node.clientAddress(request.socket.remoteAddress, request.headers['x-forwarded-for'])
      const full = places.take(address)
      if (full) return socket.close(1013, full === 'all' ? 'too many clients' : 'too many clients of this address')
      const client: Client = { socket, connection: request.socket, subscriptions: new Map() }
      clients.add(client)
      const stopPings = keepAlive(socket)
      const gone = new AbortController()
      noteClient(gone.signal, shareOf(request.socket).address)
      const asker = { client: address, signal: gone.signal }
      const counted: CountedAnswer = (asked, extra) => answer(asked, extra, asker)
      serveMessages(socket, request.socket, node, (message) => handle(node.identity, client, counted, message))
      socket.on('error', () => socket.terminate())
      socket.on('close', () => {
        stopPings()
        gone.abort()
        clients.delete(client)
        places.release(address)
      })
    },
    close() {
      unlisten()
      clients.clear()
    },
  }
}

/** Tells whether an event matches a query, given with its text. It evaluates each text once. */
type Matches = (text: string, query: Query) => boolean

function matcherOf({ kind, events }: Publication): Matches {
  const known = new Map<string, boolean>()
  return (text, query) => {
    let found = known.get(text)
    if (found === undefined) {
      found = !excludes(query, kind) && matchesMap(query, events)
      known.set(text, found)
    }
    return found
  }
}

function notify({ socket, subscriptions }: Client, { members }: Publication, matches: Matches): void {
  for (const [text, { id, query }] of subscriptions) {
    if (socket.readyState !== socket.OPEN || socket.bufferedAmount > MAX_BUFFERED_BYTES || !matches(text, query))
      continue
    const result = `{"query":${JSON.stringify(text)},${members()}}`
    socket.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
  }
}

function keepAlive(socket: WebSocket): () => void {
  let silence: NodeJS.Timeout
  const heard = () => {
    clearTimeout(silence)
    silence = setTimeout(() => socket.terminate(), SILENCE_MS + PING_MS)
    silence.unref()
  }
  heard()
  socket.on('message', heard)
  socket.on('ping', heard)
  socket.on('pong', heard)
  const pings = setInterval(() => socket.ping(), PING_MS)
  pings.unref()
  return () => {
    clearInterval(pings)
    clearTimeout(silence)
  }
}

async function handle(
  identity: Identity,
  client: Client,
  answer: CountedAnswer,
  text: string,
): Promise<string | undefined> {
  let request: unknown
  try {
    request = parseRequestJson(text)
  } catch {
    request = undefined
  }
  return await answer(request, subscriptionMethods(identity, client, request))
}

function subscriptionMethods(
  identity: Identity,
  { subscriptions }: Client,
  request: unknown,
): Readonly<Record<string, CometMethod>> {
  const id = (request as { readonly id?: unknown } | undefined)?.id
  return {
    subscribe: {
      params: { query: 'text' },
      cacheable: 'never',
      run: (_, { query: text = '' }: { readonly query?: string }) => {
        const query = parseSearch(identity, text)
        if (subscriptions.has(text)) throw queryError('alreadyExists', 'already subscribed')
        if (subscriptions.size >= MAX_SUBSCRIPTIONS) {
          throw queryError('resourceExhausted', `max_subscriptions_per_client ${MAX_SUBSCRIPTIONS} reached`)
        }
        subscriptions.set(text, { id, query })
        return {}
      },
    },
    unsubscribe: {
      params: { query: 'text' },
      cacheable: 'never',
      run: (_, { query: text = '' }: { readonly query?: string }) => {
        if (!subscriptions.delete(text)) throw queryError('notFound', 'subscription not found')
        return {}
      },
    },
    unsubscribe_all: {
      params: {},
      cacheable: 'never',
      run: () => {
        if (subscriptions.size === 0) throw queryError('notFound', 'subscription not found')
        subscriptions.clear()
        return {}
      },
    },
  }
}
