/** What `node:http` itself can do on this machine: the most that a gateway in Node.js may reach. */
import { spawn } from 'node:child_process'
import { cpuSecondsOf } from './load.ts'

/** Answers everything with the same body and headers of the same size, when it has the whole request. */
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
server.listen(0, '127.0.0.1', () => process.stdout.write(String(server.address().port)))
`

export interface Bare {
  readonly port: number
  /** Processor time since its start, seconds. */
  cpuSeconds(): number
  end(): void
}

/** Starts such a server in a process of its own. `body` is ASCII. */
export async function startBare(body: string): Promise<Bare> {
  const child = spawn(process.execPath, ['-e', SERVER, body], { stdio: ['ignore', 'pipe', 'inherit'] })
  const port = await new Promise<number>((resolve) => child.stdout.once('data', (text) => resolve(Number(text))))
  return { port, cpuSeconds: () => cpuSecondsOf(child), end: () => void child.kill() }
}
