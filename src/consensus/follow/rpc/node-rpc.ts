/** The RPC of the followed node, at one URL or several that are used in turn. */
import { queryError } from '../../../primitives/errors.ts'

type Json = Readonly<Record<string, unknown>>

export interface RpcCall {
  readonly method: string
  readonly params: Json
}

/** The outcome of one call: its result, or the text of the node's refusal. */
export type RpcOutcome = { readonly result: Json } | { readonly refused: string }

export interface NodeRpc {
  /** Resolves with the result of a call. Rejects with `unavailable` if no URL answers, `unknown` with the node's text if it refuses. */
  call(method: string, params: Json, signal: AbortSignal): Promise<Json>
  /** Resolves with the outcomes of calls, in their order. Rejects with `unavailable` if no URL answers. */
  batch(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcOutcome[]>
  /** Leaves the URL in use, whose answers are wrong, for the next one. */
  turn(): void
}

export interface NodeRpcOptions {
  /** `http://HOST:PORT` each, at least one. */
  readonly urls: readonly string[]
  /** Time in which a node answers. Unit: milliseconds. */
  readonly timeoutMs?: number
  /** Size of the largest answer that is read. Unit: bytes. */
  readonly mostBytes?: number
  /** Called when the URL in use fails, and another one is used. */
  readonly onFailure?: (url: string, reason: string) => void
}

const TIMEOUT_MS = 10_000
/** More than three blocks of the largest size with their results. */
const MOST_BYTES = 256 << 20
/** Size from which answers are read one at a time. Unit: bytes. */
const LARGE_BYTES = 8 << 20

interface Answer {
  readonly id?: unknown
  readonly result?: Json
  readonly error?: { readonly message?: unknown; readonly data?: unknown }
}

/** Throws `invalidArgument` for a URL that names no node. */
export function requireUrl(url: string, setting: string): void {
  const { protocol, username } = URL.canParse(url) ? new URL(url) : { protocol: '', username: '' }
  if ((protocol === 'http:' || protocol === 'https:') && username === '') return
  throw queryError(
    'invalidArgument',
    `${setting} is "${url}": it must be http://HOST:PORT, such as http://127.0.0.1:26657`,
  )
}

export function createNodeRpc({
  urls,
  timeoutMs = TIMEOUT_MS,
  mostBytes = MOST_BYTES,
  onFailure,
}: NodeRpcOptions): NodeRpc {
  let current = 0
  /** Resolves when the large answers that came before are read. */
  let largeDone: Promise<void> = Promise.resolve()

  /** Waits for the turn of a large answer. Resolves with the function that ends it. */
  async function startLarge(): Promise<() => void> {
    const before = largeDone
    let end = (): void => undefined
    largeDone = new Promise((resolve) => {
      end = resolve
    })
    await before
    return end
  }

  /** Reads the body of an answer. Throws for one that is larger than a node's. */
  async function textOf({ body, headers }: Response): Promise<string> {
    const pieces: Uint8Array[] = []
    let length = Number(headers.get('content-length') ?? 0)
    if (length > mostBytes) throw new Error(`its answer has ${length} bytes`)
    length = 0
    let endLarge: (() => void) | undefined
    try {
      for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) {
        length += piece.length
        if (length > mostBytes) throw new Error(`its answer has more than ${mostBytes} bytes`)
        pieces.push(piece)
        if (length > LARGE_BYTES) endLarge ??= await startLarge()
      }
      return Buffer.concat(pieces).toString('utf8')
    } finally {
      endLarge?.()
    }
  }

  /** Asks one URL, within the time and the size of an answer. */
  async function post(url: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    // `AbortSignal.any` leaves something behind in a signal that lives as long as the replica.
    const ends = new AbortController()
    const stop = (): void => ends.abort(signal.reason)
    signal.addEventListener('abort', stop, { once: true })
    const timer = setTimeout(() => ends.abort(new Error('no answer in time')), timeoutMs)
    try {
      signal.throwIfAborted()
      const answer = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        // A node must not make the follower ask other hosts.
        redirect: 'error',
        signal: ends.signal,
      })
      const text = await textOf(answer)
      try {
        return JSON.parse(text)
      } catch {
        throw new Error(`it answers status ${answer.status} without JSON`)
      }
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
    }
  }

  /** Asks the URL in use, then each other one once. */
  async function ask(body: unknown, signal: AbortSignal): Promise<unknown> {
    const failures: string[] = []
    const first = current
    for (let i = 0; i < urls.length; i++) {
      const index = (first + i) % urls.length
      const url = urls[index]!
      try {
        const answer = await post(url, body, signal)
        // Meanwhile another request, or its caller, may have left the URL in use.
        if (current === first) current = index
        return answer
      } catch (error) {
        signal.throwIfAborted()
        const reason = reasonOf(error)
        failures.push(`${url}: ${reason}`)
        onFailure?.(url, reason)
      }
    }
    throw queryError('unavailable', `the RPC of the node does not answer (${failures.join('; ')})`)
  }

  async function batch(calls: readonly RpcCall[], signal: AbortSignal): Promise<readonly RpcOutcome[]> {
    const bodies = calls.map(({ method, params }, id) => ({ jsonrpc: '2.0', id, method, params }))
    const found = await ask(bodies, signal)
    // CometBFT answers a batch of one without a list.
    const answers = (Array.isArray(found) ? found : [found]) as readonly Answer[]
    const byId = new Map(answers.map((answer) => [answer?.id, answer]))
    return calls.map((_, id) => outcomeOf(byId.get(id) ?? answers[0]))
  }

  return {
    batch,
    async call(method, params, signal) {
      const outcome = outcomeOf((await ask({ jsonrpc: '2.0', id: 0, method, params }, signal)) as Answer)
      if ('refused' in outcome) throw queryError('unknown', `the node refuses ${method}: ${outcome.refused}`)
      return outcome.result
    },
    turn() {
      current = (current + 1) % urls.length
    },
  }
}

function outcomeOf(answer: Answer | undefined): RpcOutcome {
  if (answer?.error) return { refused: String(answer.error.data || answer.error.message || 'without a reason') }
  return answer?.result ? { result: answer.result } : { refused: 'it gives no result' }
}

/** Returns the reason of a failed request: `fetch` itself says only that it failed. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error
  return cause instanceof Error && cause.message !== '' ? cause.message : message
}
