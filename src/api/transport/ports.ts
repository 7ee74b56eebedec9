/** How a process gets the connections of its gateways: by its own ports, or from another process. */
import type { Server } from 'node:net'

export interface Ports {
  /** Opens a port for a server, or receives its connections. Resolves with the port, as `listen`; rejects if it is taken. */
  open(server: Server, port: number, host: string): Promise<{ readonly port: number }>
  /** Whether another process serves further connections of an address, so that its open ones end when that harms least. */
  leaves(address: string): boolean
}

/** Opens a port; 0 lets the system choose one. Resolves with the port once it is open; rejects if it is taken. */
export function listen(server: Server, port: number, host: string): Promise<{ readonly port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      const address = server.address()
      resolve({ port: typeof address === 'object' && address ? address.port : port })
    })
  })
}

/** The ports of a process that serves every client itself. */
export const ownPorts: Ports = { open: listen, leaves: () => false }
