/** The JSON-RPC 2.0 envelope: takes one request or a batch as text, and returns the answers as text. */
import { formatUtf8 } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { parseRequestJson } from '../../primitives/request-json.ts'
import { toChainError } from '../errors.ts'
import type { GatewayNode, PartTaker } from '../gateway.ts'
import { createPause } from '../slices.ts'
import { createSpool, type StreamedBody } from '../spool.ts'
import { collect } from '../traces.ts'
import { invalidRequest, limitExceeded, methodNotFound, parseError, type RpcErrorObject, toRpcError } from './errors.ts'
import type { Methods, RpcCall } from './method.ts'
import type { ResultCache } from './result-cache.ts'
import { runOf } from './streamed.ts'

type Id = string | number | null

/** The text of an answer; undefined if no answer is sent, or it was streamed. */
type Text = string | undefined

interface Request {
  readonly id: Id
  readonly notification: boolean
  readonly method: string
  readonly params: unknown
}

/** Limit of all answers of a batch together, as in geth. */
const BATCH_RESPONSE_BYTES = 25_000_000

/** Size of the answers of a batch above which they are sent one by one. */
const STREAM_FROM_BYTES = 256 * 1024

const INTERNAL: RpcErrorObject = { code: -32603, message: 'internal error' }

function errorText({ writer }: RpcCall, id: Id, error: unknown): string {
  const shown = toRpcError(error, writer) ?? INTERNAL
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":${JSON.stringify(shown)}}`
}

function readRequest(value: unknown): Request | { readonly id: Id; readonly refusal: Error } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { id: null, refusal: invalidRequest('invalid request') }
  }
  const { jsonrpc, id, method, params } = value as Readonly<Record<string, unknown>>
  const knownId = typeof id === 'string' || typeof id === 'number' || id === null ? id : undefined
  if (jsonrpc !== '2.0' || typeof method !== 'string' || (id !== undefined && knownId === undefined)) {
    return { id: knownId ?? null, refusal: invalidRequest('invalid request') }
  }
  return { id: knownId ?? null, notification: id === undefined, method, params }
}

/** Receives an answer that is too long to buffer. No other answer is sent then. */
type OnStream = (body: StreamedBody) => void

/** Returns the answer of a method that makes its result in parts; undefined if it was streamed. */
async function textOf(
  id: Id,
  run: (onPart: PartTaker) => Promise<void>,
  onStream: OnStream | undefined,
): Promise<Text> {
  if (!onStream) {
    const whole = collect()
    await run(whole.onPart)
    return formatUtf8(whole.bytes())
  }
  const frame = { before: `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`, after: '}\n' }
  const spool = createSpool((part) => part ?? '', frame, onStream)
  try {
    await run(spool.onPart)
  } catch (error) {
    if (spool.buffered() !== undefined) throw error
    spool.finish(true)
    return undefined
  }
  const buffered = spool.buffered()
  if (buffered !== undefined) return formatUtf8(buffered)
  spool.finish(false)
  return undefined
}

/** Runs one request. Returns undefined for a notification, and a promise only if the method does. */
function answerOne(call: RpcCall, methods: Methods, value: unknown, onStream?: OnStream): Text | Promise<Text> {
  const request = readRequest(value)
  if ('refusal' in request) return errorText(call, request.id, request.refusal)
  if (request.notification) return undefined
  const { id, method, params } = request
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  let key: ReturnType<ResultCache['keyOf']>

  function succeeded(result: Text): Text {
    call.node.observe?.(method, 'ok')
    return result && `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
  }
  function failed(error: unknown): string {
    call.node.observe?.(found ? method : '', toChainError(error).status)
    if (!(error instanceof ChainError)) logBug(call.node, method, error)
    return errorText(call, id, error)
  }
  function made(answer: unknown): Text | Promise<Text> {
    const run = runOf(answer)
    if (run) return textOf(id, run, onStream).then(succeeded, failed)
    const result = JSON.stringify(answer ?? null)
    if (key) call.results.set(key, result)
    return succeeded(result)
  }

  try {
    if (!found) throw methodNotFound(method)
    key = call.results.keyOf(method, params)
    const cached = key && call.results.get(key)
    if (cached !== undefined) return succeeded(cached)
    const answer = found.run(call, params)
    return answer instanceof Promise ? answer.then(made).catch(failed) : made(answer)
  } catch (error) {
    return failed(error)
  }
}

function logBug(node: GatewayNode, method: string, error: unknown): void {
  node.log('error', `JSON-RPC ${method} failed`, {
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
}

const isSubmission = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (value as { method?: unknown }).method === 'eth_sendRawTransaction'

/**
 * Answers a batch in order, until the client disconnects. Requests run one after the other. Consecutive transactions are
 * submitted together, so that one block can include them all.
 */
async function answerBatch(
  call: RpcCall,
  methods: Methods,
  batch: readonly unknown[],
  onStream: OnStream | undefined,
): Promise<Text> {
  if (batch.length === 0) return errorText(call, null, invalidRequest('empty batch'))
  if (batch.length > call.node.settings.batchLimit) return errorText(call, null, invalidRequest('batch too large'))
  const answers: (Text | Promise<Text>)[] = []
  const pause = createPause()
  let size = 0
  let settled = 0
  for (const value of batch) {
    const rest = pause()
    if (rest) await rest
    if (call.signal().aborted) break
    if (isSubmission(value)) {
      answers.push(answerOne(call, methods, value))
      continue
    }
    for (; settled < answers.length; settled++) answers[settled] = await answers[settled]
    call.node.outgoing.check()
    const answer = await answerOne(call, methods, value)
    settled++
    size += answer?.length ?? 0
    call.hold?.(answer?.length ?? 0)
    answers.push(size > BATCH_RESPONSE_BYTES ? errorText(call, null, limitExceeded('response too large')) : answer)
    if (size > BATCH_RESPONSE_BYTES) break
  }
  const texts = (await Promise.all(answers)).filter((answer) => answer !== undefined)
  if (onStream && size > STREAM_FROM_BYTES && !call.signal().aborted) {
    onStream(batchBody(texts, size, call))
    return undefined
  }
  call.hold?.(-size)
  return texts.length === 0 || call.signal().aborted ? undefined : `[${texts.join(',')}]`
}

/** Returns the answers of a batch as a body that is sent one answer after the other, and counted as held until then. */
function batchBody(texts: string[], size: number, { hold }: RpcCall): StreamedBody {
  return (sink) => {
    let held = size
    const release = (bytes: number): void => {
      held -= bytes
      hold?.(-bytes)
    }
    let next = 0
    const send = (): void => {
      const text = texts[next]
      if (text === undefined) {
        release(held)
        sink.end()
        return
      }
      texts[next] = ''
      const opening = next === 0 ? '[' : ','
      next++
      // The sink can be done at once, if the client has left: a microtask keeps the stack short.
      sink.write(Buffer.from(`${opening}${text}${next === texts.length ? ']\n' : ''}`), () => {
        release(Math.min(held, text.length))
        queueMicrotask(send)
      })
    }
    send()
  }
}

/** Answers a message; undefined if it contains only notifications. Returns a promise only if it must. Never rejects. */
export function answerMessage(
  call: RpcCall,
  methods: Methods,
  message: string,
  onStream?: OnStream,
): Text | Promise<Text> {
  let parsed: unknown
  try {
    parsed = parseRequestJson(message)
  } catch {
    return errorText(call, null, parseError())
  }
  return Array.isArray(parsed)
    ? answerBatch(call, methods, parsed, onStream)
    : answerOne(call, methods, parsed, onStream)
}
