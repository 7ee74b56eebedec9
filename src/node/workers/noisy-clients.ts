/**
 * The noisy clients of an API worker: addresses that ask for so much that others wait. Their connections go to a process of their
 * own, which the main process starts when there are some, so that everyone else is served as on a quiet node (docs/adr/0039).
 */
import type { Server, Socket } from 'node:net'
import { addressOf, createProxies } from '../../api/transport/client-address.ts'
import type { Connections } from '../../api/transport/connections.ts'
import { listen, type Ports } from '../../api/transport/ports.ts'
import type { Turns } from '../../api/transport/turns.ts'

/**
 * Time of the thread that an address uses before it is noisy, a fifth of it, while others ask. Beyond: its connections go to the process
 * of noisy clients.
 */
const NOISY_MS = 300
/** Time for which an address stays noisy after it was, or has used much of the process of noisy clients. Unit: milliseconds. */
const NOISY_FOR_MS = 300_000
/** Noisy addresses. Beyond: the earliest one is served like the others again. */
const MAX_ADDRESSES = 10_000
/** Connections that wait to be handed over. Beyond: they are closed. */
const MAX_WAITING = 256
const CHECK_MS = 250

/** The part of a socket that Node.js passes between processes. Its types do not have it. */
export interface Handle {
  readStop(): void
  close(): void
}

/** Returns the handle of a socket; null once it is closed. */
const handleOf = (socket: Socket): Handle | null => (socket as unknown as { readonly _handle: Handle | null })._handle

export interface NoisyOptions {
  readonly turns: Pick<Turns, 'greedy'>
  /** Returns the share of the time since the last call in which this thread had a processor when it needed one. */
  readonly processorShare: () => number
  /** Trusted proxies, whose connections are those of many clients, and so never noisy. */
  readonly trustedProxies: readonly string[]
  /** Asks the main process for the process of noisy clients. */
  readonly ask: () => void
  /** Sends a connection to it, and calls back when it has left. */
  readonly send: (handle: Handle, sent: () => void) => void
  /** Called when an address becomes noisy. */
  readonly onNoisy: (address: string) => void
  /** Clock in milliseconds that never goes back. */
  readonly elapsed: () => number
}

export interface NoisyClients extends Ports {
  /** Notes whether the process of noisy clients takes connections. */
  setOpen(isOpen: boolean): void
  /** Notes addresses that use that process much: they stay noisy. */
  keep(addresses: readonly string[]): void
  /** Begins to look for noisy addresses. Those that are connected are asked to connect again. */
  watch(connections: Pick<Connections, 'leave'>): void
}

export function createNoisyClients({
  turns,
  processorShare,
  trustedProxies,
  ask,
  send,
  onNoisy,
  elapsed,
}: NoisyOptions): NoisyClients {
  const isProxy = createProxies(trustedProxies)
  /** Times until which addresses are noisy, the earliest first. */
  const noisy = new Map<string, number>()
  let isOpen = false
  const waiting: Socket[] = []
  let isSending = false

  function look(connections: Pick<Connections, 'leave'>): void {
    const now = elapsed()
    for (const [address, until] of noisy) {
      if (until > now && noisy.size <= MAX_ADDRESSES) break
      noisy.delete(address)
    }
    // Time in which the thread waited for a processor is nobody's.
    for (const address of turns.greedy(NOISY_MS / processorShare())) {
      if (isProxy(address)) continue
      if (!noisy.delete(address)) onNoisy(address)
      noisy.set(address, now + NOISY_FOR_MS)
    }
    if (noisy.size === 0) return
    if (isOpen) for (const address of noisy.keys()) connections.leave(address)
    else ask()
  }

  function sendNext(): void {
    const socket = waiting.shift()
    isSending = socket !== undefined
    if (!socket) return
    const handle = handleOf(socket)
    if (!handle) sendNext()
    else {
      // The other process has its own descriptor of the connection, so that this one closes without an end of the connection.
      send(handle, () => {
        socket.destroy()
        setImmediate(sendNext)
      })
    }
  }

  /** Hands a connection over that nothing was read from. Returns false if this process serves it. */
  function handOver(socket: Socket): boolean {
    if (!leaves(addressOf(socket.remoteAddress))) return false
    handleOf(socket)?.readStop()
    socket.on('error', () => socket.destroy())
    if (waiting.length >= MAX_WAITING) socket.destroy()
    else waiting.push(socket)
    if (!isSending) sendNext()
    return true
  }

  const leaves = (address: string): boolean => isOpen && noisy.has(address)

  return {
    open(server, port, host) {
      divert(server, handOver)
      return listen(server, port, host)
    },
    leaves,
    setOpen(open) {
      isOpen = open
    },
    keep(addresses) {
      const until = elapsed() + NOISY_FOR_MS
      for (const address of addresses) if (noisy.delete(address)) noisy.set(address, until)
    },
    watch(connections) {
      setInterval(() => look(connections), CHECK_MS).unref()
    },
  }
}

/** Lets a server get only the connections that are not taken. */
function divert(server: Server, take: (socket: Socket) => boolean): void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    if (take(socket)) return
    for (const listener of listeners) listener.call(server, socket)
  })
}
