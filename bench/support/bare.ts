/** A bare `node:http` server: the upper bound for a gateway in Node.js on this machine. */
import { spawn } from 'node:child_process'
import { cpuSecondsOf } from './load.ts'

/** Source of a server that answers every complete request with the same body, and headers of the same size. */
const SERVER = `
const { createServer } = require('node:http')
const body = process.argv[1]
const server = createServer((request, response) => {
  const answer = () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
    response.end(body)
  }
  if (request.method === 'GET') answer()
  else request.on('data', () => {}).on('end', answer)
})
// The input ends with the benchmark, however it ends.
process.stdin.resume().on('end', () => process.exit())
server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)))
`

export interface Bare {
  readonly port: number
  /** Returns the processor time since the start of the process. Unit: seconds. */
  cpuSeconds(): number
  end(): void
}

/** Starts the server in a separate process. `body` is ASCII. */
export async function startBare(body: string): Promise<Bare> {
  const child = spawn(process.execPath, ['-e', SERVER, body], { stdio: ['pipe', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve) => child.stdout.once('data', (text) => resolve(Number(text))))
  return { port, cpuSeconds: () => cpuSecondsOf(child), end: () => void child.kill() }
}
