/** JSON-RPC over a Unix socket: JSON texts that follow each other, as geth and anvil exchange them, with subscriptions. */
import { setMaxListeners } from 'node:events'
import { chmodSync, existsSync, rmSync, statSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { queryError } from '../../primitives/errors.ts'
import type { GatewayNode } from '../gateway.ts'
import { createJsonWriter } from '../json.ts'
import { addSocket } from '../transport/http-server.ts'
import { createJsonSplitter } from '../transport/json-splitter.ts'
import { createPause } from '../transport/slices.ts'
import { shareOf } from '../transport/turns.ts'
import { type Backlog, createBacklog, createEventQueue } from './eth/event-queue.ts'
import { createFilters } from './eth/filters.ts'
import { createSubscriptions, type SubscriptionPlaces, subscriptionPlaces } from './eth/subscriptions.ts'
import type { Methods, RpcCall } from './method.ts'
import { createResultCache } from './result-cache.ts'
import { answerMessage } from './rpc.ts'
import { methodTable } from './server.ts'

/** Calls of a connection that are answered at a time. Beyond: the node reads no further call of it. */
const MAX_RUNNING = 16
/** Bytes that wait for a client whose calls are read. Beyond: the node reads no further call of it. */
const PAUSE_BYTES = 1_000_000
/** The client's name where other servers have the address of their client. */
const CLIENT = 'ipc'
/** Access to the socket: its owner, as to a file with keys. */
const OWNER_ONLY = 0o600

export interface IpcServer {
  close(): Promise<void>
}

type Shared = Pick<RpcCall, 'node' | 'filters' | 'results' | 'writer'> & {
  readonly methods: ReturnType<typeof methodTable>
  readonly places: SubscriptionPlaces
  readonly backlog: Backlog
}

function serve({ methods, places, backlog, ...shared }: Shared, socket: Socket): void {
  const { node } = shared
  const splitter = createJsonSplitter()
  const gone = new AbortController()
  // Each message that is answered can listen.
  setMaxListeners(0, gone.signal)
  const waiting: string[] = []
  let running = 0
  const admitted = addSocket(node, socket, {
    isBusy: () => running > 0,
    unsent: () => socket.writableLength,
    unfinished: splitter.pendingBytes,
    taken: () => socket.bytesWritten - socket.writableLength,
  })
  if (!admitted) return
  const send = (text: string, sent?: () => void): void => {
    if (socket.writable) socket.write(`${text}\n`, () => sent?.())
    else sent?.()
  }
  const pauseEvents = createPause(shareOf(socket))
  const writer = { send, unsent: () => socket.writableLength }
  const queue = createEventQueue(writer, pauseEvents, backlog, () => socket.destroy())
  const subscriptions = createSubscriptions(node, { places, client: CLIENT }, queue)
  const call: RpcCall = { ...shared, client: CLIENT, subscriptions, signal: () => gone.signal }
  const isBusy = (): boolean => running >= MAX_RUNNING || socket.writableLength > PAUSE_BYTES

  async function answer(message: string): Promise<void> {
    running++
    const text = await answerMessage(call, methods, message)
    running--
    if (text !== undefined) send(text, proceed)
    subscriptions.answered()
    proceed()
  }

  function proceed(): void {
    while (waiting.length > 0 && !isBusy()) void answer(waiting.shift()!)
    if (waiting.length > 0 || isBusy()) socket.pause()
    else socket.resume()
  }

  socket.on('data', (chunk: Buffer) => {
    node.outgoing.check(socket)
    for (const text of splitter.push(chunk)) waiting.push(text)
    if (splitter.pendingBytes() > node.settings.bodyLimitBytes) socket.destroy()
    else proceed()
  })
  socket.on('close', () => {
    gone.abort()
    waiting.length = 0
    subscriptions.close()
    queue.close()
  })
  socket.on('error', () => socket.destroy())
}

/** Whether a process listens at a socket. */
function isServed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(path)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })
}

/** Removes the socket that an ended process left. Rejects with `unavailable` if the path is in use, or is no socket. */
async function clearPath(path: string): Promise<void> {
  if (!existsSync(path)) return
  if (!statSync(path).isSocket()) {
    throw queryError(
      'unavailable',
      `JSON-RPC cannot listen on ${path}: the file exists and is no socket. Set jsonrpc.ipc.`,
    )
  }
  if (await isServed(path)) {
    throw queryError(
      'unavailable',
      `JSON-RPC cannot listen on ${path}: another process does. Stop it, or set jsonrpc.ipc.`,
    )
  }
  rmSync(path, { force: true })
}

function listenAt(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      reject(queryError('unavailable', `JSON-RPC cannot listen on ${path}: ${error.message}. Set jsonrpc.ipc.`))
    })
    server.listen(path, resolve)
  })
}

/**
 * Serves JSON-RPC with subscriptions at a path, which only the user of this process can open. `methods` replace those of the
 * same name. Rejects with `unavailable` if the
 * path is in use, or cannot be created.
 */
export async function openIpc(node: GatewayNode, path: string, methods: Methods = {}): Promise<IpcServer> {
  const filters = createFilters(node)
  const shared: Shared = {
    node,
    filters,
    results: createResultCache(node),
    writer: createJsonWriter(node.identity),
    methods: methodTable(node, { methods }),
    places: subscriptionPlaces(),
    backlog: createBacklog(),
  }
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    serve(shared, socket)
  })
  await clearPath(path)
  await listenAt(server, path)
  chmodSync(path, OWNER_ONLY)
  return {
    close: () =>
      new Promise((resolve) => {
        filters.close()
        server.close(() => resolve())
        // Answers made in this turn of the event loop are still sent.
        setImmediate(() => {
          for (const socket of open) socket.destroySoon()
        })
      }),
  }
}
