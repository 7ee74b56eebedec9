/** The node under attack, and what every attack sends its requests with. */
import { once } from 'node:events'
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { NodeProcess } from '../process.ts'

export interface Target {
  /** URLs and accounts, as the node printed them. */
  readonly config: NodeProcess['config']
  /** Address from which the attack connects. */
  readonly from: string
}

/** Answers to an attack and other events of it, by kind, and their number. */
export type Counts = Readonly<Record<string, number>>

/** Kinds that do not show that the node has read anything. */
const WITHOUT_ANSWER: ReadonlySet<string> = new Set(['opened', 'closed', 'unconnected', 'disconnected', 'unanswered'])

/** Returns the number of answers and refusals in counts. An attack without any has not reached the node. */
export const answersIn = (counts: Counts): number =>
  Object.entries(counts).reduce((sum, [kind, number]) => (WITHOUT_ANSWER.has(kind) ? sum : sum + number), 0)

/** Counts an answer, or several of one kind. */
export type Count = (kind: string, number?: number) => void

/** Prepares an attack. Resolves with the function that runs it until the signal aborts. */
export type Attack = (target: Target) => Promise<(stop: AbortSignal, count: Count) => Promise<void>>

/** Returns an address of loopback; where it has one only, that. Honest clients have number 1, attacks those from 2. */
export const loopback = (number: number): string => (process.platform === 'linux' ? `127.0.0.${number}` : '127.0.0.1')

/** Address of an attacker who is alone. */
export const ATTACKER_ADDRESS = loopback(2)

/** Returns the key of an account of an attacker. They have the last accounts of Ethereum's path, honest clients the first ones. */
export function attackerKey({ config }: Pick<Target, 'config'>, index: number): `0x${string}` {
  return config.accounts.filter(({ path }) => path.startsWith("m/44'/60'")).at(-1 - index)!.private_key
}

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

interface Sending {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** A request that waits longer has failed. */
export const LONGEST_ANSWER_MS = 30_000

/** An answer that is no JSON. */
class NoJson extends Error {
  readonly status: number
  constructor({ status, text }: Reply) {
    super(`answer ${status}: ${text.slice(0, 200)}`)
    this.status = status
  }
}

/** Returns the kind of a request that failed. */
export function failureOf(error: unknown): string {
  if (error instanceof NoJson) return `status ${error.status}`
  const { code, message } = error as NodeJS.ErrnoException
  if (message.startsWith('no answer')) return 'unanswered'
  return code === 'ECONNREFUSED' || code === 'EADDRNOTAVAIL' || code === 'ETIMEDOUT' ? 'unconnected' : 'disconnected'
}

const agents = new Map<string, HttpAgent>()

function agentFrom(address: string): HttpAgent {
  let agent = agents.get(address)
  if (!agent) {
    agent = new HttpAgent({ keepAlive: true, localAddress: address })
    agents.set(address, agent)
  }
  return agent
}

/** Sends a request over HTTP with the headers as given, `Host` included. Rejects if the connection ends before the answer. */
export function send({ from }: Pick<Target, 'from'>, url: string, sending: Sending = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const { body } = sending
    const sent: ClientRequest = request(
      url,
      {
        method: sending.method ?? (body === undefined ? 'GET' : 'POST'),
        agent: agentFrom(from),
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
          ...sending.headers,
        },
      },
      (answer) => {
        const parts: Buffer[] = []
        answer.on('data', (part: Buffer) => parts.push(part))
        answer.once('error', reject)
        answer.once('end', () => {
          const text = Buffer.concat(parts).toString('utf8')
          resolve({ status: answer.statusCode!, headers: answer.headers, text })
        })
      },
    )
    sent.once('error', reject)
    sent.setTimeout(LONGEST_ANSWER_MS, () => sent.destroy(new Error(`no answer in ${LONGEST_ANSWER_MS} ms`)))
    sent.end(body)
  })
}

/** Returns a JSON-RPC request. */
export const call = (method: string, params: unknown, id: unknown = 1): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})

/** The answer to a call. */
interface Answer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** Sends one call, or a batch, to Ethereum's JSON-RPC or the CometBFT RPC. Throws with the text of an answer that is not JSON. */
export async function callAt<T extends object = Answer>(
  target: Pick<Target, 'from'>,
  url: string,
  calls: object,
): Promise<T> {
  const reply = await send(target, url, { body: JSON.stringify(calls) })
  try {
    return JSON.parse(reply.text) as T
  } catch {
    throw new NoJson(reply)
  }
}

/** Sends one call, by default of Ethereum's JSON-RPC. Resolves with its result; throws its error. */
export async function result<T>(
  target: Target,
  method: string,
  params: unknown = [],
  url = target.config.urls.jsonrpc,
): Promise<T> {
  const { result, error } = await callAt(target, url, call(method, params))
  if (error) throw new Error(`${method}: ${error.message}`)
  return result as T
}

/** Attempts of a step of a preparation, and the pause between two. */
const ATTEMPTS = 120
const ATTEMPT_PAUSE_MS = 250
/** How a node and a proxy refuse a request beyond their limits. */
const LIMITED = /too many requests|answer (429|503)/

/** Repeats a step of a preparation while a limit of requests refuses it. Throws any other error. */
export async function withinLimits<T>(step: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      if (attempt === ATTEMPTS || !LIMITED.test((error as Error).message)) throw error
      await wait(ATTEMPT_PAUSE_MS)
    }
  }
}

/** Opens a TCP connection to the port of a URL. Its errors only close it. */
function openSocket({ from }: Target, url: string): Socket {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port), localAddress: from })
  socket.on('error', () => socket.destroy())
  return socket
}

/** Opens a connection as `openSocket` does. Resolves once it is open; rejects if it is refused. */
export async function connectSocket(target: Target, url: string): Promise<Socket> {
  const socket = openSocket(target, url)
  await once(socket, 'connect')
  return socket
}

/** Counts the first bytes of an answer over HTTP, by its status. */
export function countBeginning(socket: Socket, count: Count): void {
  socket.once('data', (bytes: Buffer) => {
    count(`status ${bytes.toString('latin1', 'HTTP/1.1 '.length, 'HTTP/1.1 200'.length)}`)
  })
}

const PROBE_MS = 1000

/** Stops reading after the first bytes. Only a write shows the end of such a connection, so that there is one each second. */
export function readBeginning(
  connection: Socket,
  { pause, write }: { readonly pause: () => void; readonly write: () => void },
): void {
  connection.once('data', pause)
  const probe = setInterval(write, PROBE_MS)
  connection.once('close', () => clearInterval(probe))
}

/** Opens a WebSocket. Resolves once it is open; rejects if it is refused. Later errors only close it. */
export async function openWebSocket({ from }: Pick<Target, 'from'>, url: string): Promise<WebSocket> {
  const socket = new WebSocket(url, { localAddress: from })
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  socket.on('error', () => socket.terminate())
  return socket
}

/** Opens a WebSocket that reads the first bytes of an answer, counts them as `answered`, and reads no further one. */
export async function openUnread(target: Pick<Target, 'from'>, url: string, count: Count): Promise<WebSocket> {
  const socket = new WebSocket(url, { localAddress: target.from })
  socket.once('upgrade', ({ socket: connection }: IncomingMessage) => {
    connection.once('data', () => count('answered'))
    readBeginning(connection, { pause: () => socket.pause(), write: () => socket.ping() })
  })
  await once(socket, 'open')
  socket.on('error', () => socket.terminate())
  return socket
}

/** Opens a connection to the gRPC port. A window of 0 takes no byte of any answer. Its errors only close it. */
export function openGrpc(target: Target, initialWindowSize?: number): ClientHttp2Session {
  const url = `http://${target.config.urls.grpc}`
  const session = connectHttp2(url, {
    createConnection: () => openSocket(target, url),
    ...(initialWindowSize !== undefined && { settings: { initialWindowSize } }),
  })
  session.on('error', () => session.destroy())
  return session
}

/** Returns the URL of the WebSocket of the CometBFT RPC. */
export const cometSocketUrl = ({ config }: Target): string => `${config.urls.comet.replace('http', 'ws')}/websocket`

/** Waits. Resolves early if the signal aborts. */
export const pause = (stop: AbortSignal, ms: number): Promise<void> =>
  wait(ms, undefined, { signal: stop }).catch(() => undefined)

/** Pause after a refused connection, so that an attack tests the node and not the ports of the system. */
const RETRY_MS = 500

/** Repeats work on several lanes until the signal aborts. The work returns the kind of its answer. */
export async function repeat(
  lanes: number,
  stop: AbortSignal,
  count: Count,
  work: () => Promise<string>,
): Promise<void> {
  const lane = async (): Promise<void> => {
    while (!stop.aborted) {
      try {
        count(await work())
      } catch (error) {
        count(failureOf(error))
        await pause(stop, RETRY_MS)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

/** A connection that an attack holds open. */
interface Held {
  once(event: 'close', listener: () => void): unknown
}

/** Resolves once the signal aborts. */
export const untilStopped = (stop: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (stop.aborted) resolve()
    else stop.addEventListener('abort', () => resolve(), { once: true })
  })

/**
 * Holds a number of connections open until the signal aborts, and opens another one for each that the node closes. Counts
 * `opened` and `closed` ones.
 */
export async function holdOpen<T extends Held>(
  number: number,
  stop: AbortSignal,
  count: Count,
  open: () => T | Promise<T>,
): Promise<void> {
  const lane = async (): Promise<void> => {
    while (!stop.aborted) {
      try {
        const connection = await open()
        count('opened')
        await new Promise<void>((resolve) => connection.once('close', resolve))
        count('closed')
      } catch (error) {
        count(failureOf(error))
      }
      await pause(stop, RETRY_MS)
    }
  }
  for (let i = 0; i < number; i++) void lane()
  await untilStopped(stop)
}
