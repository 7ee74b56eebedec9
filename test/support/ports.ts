/** Ports for programs that cannot let the system choose. */
import { createServer } from 'node:net'

/** Ports below those of the documents' nodes, and of connections and servers that leave the choice to the system. */
const FIRST = 21_000
const COUNT = 7_000
/** Files of tests run at the same time, each in a process of its own. */
const EACH_PROCESS = 37

let next = (process.pid * EACH_PROCESS) % COUNT

/** Returns a port of this machine that is free, and that no other test is given. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + next
    next = (next + 1) % COUNT
    if (await isFree(port)) return port
  }
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((done) => {
    const server = createServer()
    server.once('error', () => done(false))
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)))
  })
}

/** Returns if `fetch` connects to no such port: the Fetch standard keeps a list of "bad ports", such as 6000 and 6665. */
export const isRefusedByFetch = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}`).then(
    () => false,
    (error: Error) => error.cause instanceof Error && error.cause.message === 'bad port',
  )
