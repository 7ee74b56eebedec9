/** The ports of the process of noisy clients, which opens none: API workers hand connections over to it. */
import { type Server, Socket } from 'node:net'
import type { Ports } from '../../api/transport/ports.ts'
import type { Handle } from './noisy-clients.ts'

/** Time without a connection after which the process is idle, milliseconds. */
const IDLE_MS = 300_000
const DRAIN_MS = 1000

export interface ReceivedPorts extends Ports {
  /** Serves a connection that another process has accepted. */
  receive(handle: Handle): void
  /** Waits for the end of all connections, at most a second: servers that do not listen count none, and close at once. */
  drain(): Promise<void>
}

/** Creates the ports. `onIdle` is called when there was no connection for a long time. */
export function createReceivedPorts(onIdle: () => void): ReceivedPorts {
  const servers = new Map<number, Server>()
  let connections = 0
  let drained = (): void => {}
  let isIdle = false
  setInterval(() => {
    if (isIdle) onIdle()
    isIdle = connections === 0
  }, IDLE_MS).unref()
  return {
    async open(server, port) {
      servers.set(port, server)
      // Servers check the times of their connections since this event.
      server.emit('listening')
      return { port }
    },
    leaves: () => false,
    drain: () =>
      new Promise((resolve) => {
        drained = resolve
        if (connections === 0) resolve()
        else setTimeout(resolve, DRAIN_MS)
      }),
    receive(handle) {
      const socket = new Socket({ handle, allowHalfOpen: true } as ConstructorParameters<typeof Socket>[0])
      const server = socket.localPort === undefined ? undefined : servers.get(socket.localPort)
      if (!server) {
        socket.destroy()
        return
      }
      isIdle = false
      connections++
      socket.once('close', () => {
        if (--connections === 0) drained()
      })
      socket.setNoDelay(true)
      server.emit('connection', socket)
    },
  }
}
