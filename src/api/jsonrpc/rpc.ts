/** The JSON-RPC 2.0 envelope: takes one request or a batch as text, and returns the answers as text. */
import { formatUtf8, utf8 } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { parseRequestJson } from '../../primitives/request-json.ts'
import { toChainError } from '../errors.ts'
import type { PartTaker } from '../gateway.ts'
import { collect, WHOLE_BYTES } from '../traces.ts'
import { tooManyRequests } from '../transport/rate-limit.ts'
import { createSignalPause } from '../transport/slices.ts'
import { type BodySink, createSpool, type StreamedBody } from '../transport/spool.ts'
import { createBatchAnswers } from './batch-answers.ts'
import {
  invalidRequest,
  limitExceeded,
  messageTooLong,
  methodNotFound,
  parseError,
  type RpcErrorObject,
  responseTooLarge,
  toRpcError,
} from './errors.ts'
import { formatId, type Id, isLongId, keepExactIds, MAX_ID_CHARACTERS, readId } from './exact-ids.ts'
import { longBytesOf, sendHex } from './long-hex.ts'
import type { Methods, RpcCall } from './method.ts'
import type { ResultCache } from './result-cache.ts'
import { runOf } from './streamed.ts'

/** The text of an answer; undefined if no answer is sent, or it was streamed. */
type Text = string | undefined

interface Request {
  readonly id: Id
  readonly notification: boolean
  readonly method: string
  readonly params: unknown
}

/** Size of all answers of a batch together, as in geth. Beyond: -32003 in place of each further one. */
const BATCH_RESPONSE_BYTES = 25_000_000

const INTERNAL: RpcErrorObject = { code: -32603, message: 'internal error' }

/** Returns the text of an answer up to its result. */
const openingOf = (id: Id): string => `{"jsonrpc":"2.0","id":${formatId(id)},"result":`

function errorText({ writer }: RpcCall, id: Id, error: unknown): string {
  const shown = toRpcError(error, writer) ?? INTERNAL
  return `{"jsonrpc":"2.0","id":${formatId(id)},"error":${JSON.stringify(shown)}}`
}

function readRequest(value: unknown): Request | { readonly id: Id; readonly refusal: Error } {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { id: null, refusal: invalidRequest('invalid request') }
  }
  const { jsonrpc, id, method, params } = value as Readonly<Record<string, unknown>>
  const knownId = readId(id)
  if (jsonrpc !== '2.0' || typeof method !== 'string' || (id !== undefined && knownId === undefined)) {
    return {
      id: knownId === undefined || isLongId(knownId) ? null : knownId,
      refusal: invalidRequest('invalid request'),
    }
  }
  if (knownId !== undefined && isLongId(knownId)) {
    return { id: null, refusal: invalidRequest(`the id is longer than ${MAX_ID_CHARACTERS} characters`) }
  }
  return { id: knownId ?? null, notification: id === undefined, method, params }
}

/** Receives an answer that is too long to buffer. No other answer is sent then. */
type OnStream = (body: StreamedBody) => void

/** The ways in which one answer can be sent while it is made. */
interface Streams {
  /** For an answer of unknown length. */
  readonly onStream?: OnStream
  /**
   * For an answer of known length. Returns false if it must be one text, and throws if that is too long. `before` is the text
   * that precedes the answer.
   */
  readonly sendParts: (size: number, send: (sink: BodySink, before: string) => Promise<void>) => Promise<void> | false
}

/** Returns the streams of a request that is not in a batch. `isMessage` as in `answerMessage`. */
function singleStreams(onStream: OnStream, isMessage: boolean): Streams {
  return {
    ...(!isMessage && { onStream }),
    sendParts(size, send) {
      if (isMessage && size > WHOLE_BYTES) throw messageTooLong()
      return new Promise((resolve) => {
        onStream((sink) => {
          void send(sink, '').then(() => {
            sink.end()
            resolve()
          })
        })
      })
    },
  }
}

/** Returns the answer of a method that makes its result in parts; undefined if it was streamed. */
async function textOf(
  id: Id,
  run: (onPart: PartTaker) => Promise<void>,
  onStream: OnStream | undefined,
): Promise<Text> {
  if (!onStream) {
    const whole = collect()
    await run(whole.onPart)
    if (whole.isTooLong()) throw messageTooLong()
    return formatUtf8(whole.bytes())
  }
  const frame = { before: utf8(openingOf(id)), after: '}' }
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

/** Sends a long result in parts. Returns undefined for any other result, and where it must be one text. */
function sendLong(
  { hold, signal }: RpcCall,
  id: Id,
  answer: unknown,
  streamsOf: (() => Streams) | undefined,
): Promise<void> | undefined {
  const bytes = longBytesOf(answer)
  if (!bytes || !streamsOf) return undefined
  const opening = openingOf(id)
  const sent = streamsOf().sendParts(opening.length + bytes.length * 2, (sink, before) =>
    sendHex(bytes, { before: before + opening, after: '}' }, sink, createSignalPause(signal())),
  )
  if (!sent) return undefined
  hold?.(bytes.length)
  return sent.then(() => hold?.(-bytes.length))
}

/** Counts a request. Returns the error if its address sends too many. */
function refusalOf({ node, client }: RpcCall): ChainError | undefined {
  const waitMs = node.rates.take(client)
  return waitMs === undefined ? undefined : limitExceeded(tooManyRequests(waitMs).message)
}

/**
 * Runs one request. Returns undefined for a notification, and a promise only if the method does. `streamsOf` makes the streams of a
 * long answer.
 */
function answerOne(call: RpcCall, methods: Methods, value: unknown, streamsOf?: () => Streams): Text | Promise<Text> {
  const startedMs = call.node.observe ? performance.now() : 0
  const request = readRequest(value)
  const tooMany = refusalOf(call)
  if ('refusal' in request) return errorText(call, request.id, tooMany ?? request.refusal)
  if (request.notification) return undefined
  const { id, method, params } = request
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  let key: ReturnType<ResultCache['keyOf']>

  function succeeded(result: Text): Text {
    call.node.observe?.({ gateway: 'jsonrpc', operation: method, status: 'ok', startedMs })
    return result && `${openingOf(id)}${result}}`
  }
  function failed(error: unknown): string {
    const operation = found ? method : ''
    call.node.observe?.({ gateway: 'jsonrpc', operation, status: toChainError(error).status, startedMs, asked: method })
    if (!(error instanceof ChainError)) logBug(call, method, error)
    return errorText(call, id, error)
  }
  function made(answer: unknown): Text | Promise<Text> {
    const run = runOf(answer)
    if (run) return textOf(id, run, streamsOf?.().onStream).then(succeeded, failed)
    const sent = sendLong(call, id, answer, streamsOf)
    if (sent) return sent.then(() => succeeded(undefined))
    const result = JSON.stringify(answer ?? null)
    if (key) call.results.set(key, result)
    return succeeded(result)
  }

  try {
    if (tooMany) throw tooMany
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

function logBug({ node, requestId }: RpcCall, method: string, error: unknown): void {
  node.log('error', `JSON-RPC ${method} failed`, {
    ...(requestId !== undefined && { request: requestId }),
    error: error instanceof Error ? (error.stack ?? error.message) : String(error),
  })
}

const isSubmission = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && (value as { method?: unknown }).method === 'eth_sendRawTransaction'

/**
 * Answers a batch in order, until the client disconnects. Requests run one after the other. Consecutive transactions are
 * submitted together, so that one block can include them all. Once the answers exceed their limit, the rest of the requests
 * does not run, and each is answered with -32003, as in geth.
 */
async function answerBatch(
  call: RpcCall,
  methods: Methods,
  batch: readonly unknown[],
  onStream: OnStream | undefined,
): Promise<Text> {
  if (batch.length === 0) return errorText(call, null, invalidRequest('empty batch'))
  if (batch.length > call.node.settings.batchLimit) return errorText(call, null, invalidRequest('batch too large'))
  const answers = createBatchAnswers(call, onStream)
  const pause = createSignalPause(call.signal())
  /** Transactions that were submitted and not answered yet. */
  let submitted: { readonly value: unknown; readonly answer: Text | Promise<Text> }[] = []
  let isFull = false
  const refuse = (value: unknown): Promise<void> | undefined => {
    const request = readRequest(value)
    if ('notification' in request && request.notification) return undefined
    return answers.add(errorText(call, request.id, responseTooLarge()))
  }
  const put = (value: unknown, answer: Text): Promise<void> | undefined => {
    if (answer === undefined) return undefined
    isFull ||= answers.size() + answer.length > BATCH_RESPONSE_BYTES
    return isFull ? refuse(value) : answers.add(answer)
  }
  const streams: Streams = {
    sendParts: (size, send) => answers.size() + size <= BATCH_RESPONSE_BYTES && answers.addParts(size, send),
  }
  // Plain functions: a suspended frame of the loop would keep its last answer while the next one is made.
  const putNext = (value: unknown): Promise<void> | undefined => {
    const made = answerOne(call, methods, value, () => streams)
    return made instanceof Promise ? made.then((answer) => put(value, answer)) : put(value, made)
  }
  const settle = async (): Promise<void> => {
    for (const { value, answer } of submitted) await put(value, await answer)
    submitted = []
  }
  for (const value of batch) {
    const rest = pause()
    if (rest) await rest
    if (call.signal().aborted) break
    if (isSubmission(value) && !isFull) {
      submitted.push({ value, answer: answerOne(call, methods, value) })
      continue
    }
    if (submitted.length > 0) await settle()
    call.checkUnsent?.()
    await (isFull ? refuse(value) : putNext(value))
  }
  await settle()
  if (!call.signal().aborted) return answers.end()
  answers.drop()
  return undefined
}

/**
 * Answers a message; undefined if it contains only notifications. Returns a promise only if it must. Never rejects. With
 * `isMessage` the answer is one message of WebSocket, which clients hold whole: -32000 replaces one of more than 64 MiB. A
 * result of unknown length is then collected first.
 */
export function answerMessage(
  call: RpcCall,
  methods: Methods,
  message: string,
  onStream?: OnStream,
  isMessage = false,
): Text | Promise<Text> {
  let parsed: unknown
  try {
    parsed = parseRequestJson(message)
    keepExactIds(message, parsed)
  } catch {
    const refusal = refusalOf(call)
    return errorText(call, null, refusal ?? parseError())
  }
  return Array.isArray(parsed)
    ? answerBatch(call, methods, parsed, onStream)
    : answerOne(call, methods, parsed, onStream && (() => singleStreams(onStream, isMessage)))
}
