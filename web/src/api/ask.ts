/** Asks questions over HTTP. All URLs are relative to the console's own, so that it works below any path. */
import { noteHalt } from './halt.ts'
import type { Question } from './question.ts'

/** A failure that the node reported, or a request that did not arrive (status 0). */
export class ApiError extends Error {
  readonly status: number
  /** Code of the protocol: of the chain's error over REST, of JSON-RPC otherwise. */
  readonly code: number | undefined
  readonly data: unknown

  constructor(message: string, status: number, code?: number, data?: unknown) {
    super(message)
    this.status = status
    this.code = code
    this.data = data
  }

  /** Whether the thing does not exist, rather than that the question failed. */
  get isAbsent(): boolean {
    return this.status === 404
  }
}

export interface AskOptions {
  /** Height of the state for REST; the latest without it. The other protocols take a height as a parameter. */
  readonly height?: bigint | undefined
  readonly signal?: AbortSignal | undefined
}

/** Returns the URL of a path of this node's REST port. */
export const urlOf = (path: string): string =>
  new URL(path.replace(/^\//, ''), document.baseURI.replace(/\/docs\/?(#.*)?$/, '/')).href

const RPC_PATHS = { eth: 'console/rpc', engine: 'console/engine' } as const

async function send(url: string, init: RequestInit): Promise<Response> {
  try {
    const response = await fetch(url, init)
    noteHalt(response.headers.get('x-chain-halted'))
    return response
  } catch (error) {
    if (init.signal?.aborted) throw error
    throw new ApiError('The node does not answer.', 0)
  }
}

async function bodyOf(response: Response): Promise<Record<string, unknown>> {
  const text = await response.text()
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    throw new ApiError(text.trim() || `The node answered with status ${response.status}.`, response.status)
  }
}

/** Asks, and returns the answer as parsed JSON; `Answer` is its shape. Rejects with `ApiError`. */
export async function ask<Answer>(question: Question, { height, signal }: AskOptions = {}): Promise<Answer> {
  if (question.kind === 'rest') {
    const headers = height === undefined ? undefined : { 'x-cosmos-block-height': height.toString() }
    const response = await send(urlOf(question.path), { headers, signal })
    const body = await bodyOf(response)
    if (!response.ok)
      throw new ApiError(
        String(body['message'] ?? response.statusText),
        response.status,
        body['code'] as number,
        body['details'],
      )
    return body as Answer
  }
  const { kind, method, params } = question
  const response = await send(urlOf(RPC_PATHS[kind]), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    signal,
  })
  const body = await bodyOf(response)
  const error = body['error'] as { message: string; code: number; data?: unknown } | undefined
  if (error) {
    const detail = kind === 'engine' && typeof error.data === 'string' ? error.data : error.message
    throw new ApiError(detail, response.status, error.code, error.data)
  }
  if (!response.ok) throw new ApiError(String(body['message'] ?? response.statusText), response.status)
  return body['result'] as Answer
}
