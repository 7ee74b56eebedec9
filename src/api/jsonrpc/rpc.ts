/** The JSON-RPC 2.0 envelope: one request or a batch of them as text in, the answers as text out. */
import { formatUtf8 } from '../../primitives/bytes.ts'
import { ChainError } from '../../primitives/errors.ts'
import { parseRequestJson } from '../../primitives/request-json.ts'
import { toChainError } from '../errors.ts'
import type { GatewayNode, PartTaker } from '../gateway.ts'
import { createPause } from '../slices.ts'
import { createSpool, type StreamedBody } from '../spool.ts'
import { collect } from '../traces.ts'
import type { AnswerCache } from './answers.ts'
import { invalidRequest, limitExceeded, methodNotFound, parseError, type RpcErrorObject, toRpcError } from './errors.ts'
import type { Methods, RpcCall } from './method.ts'
import { runOf } from './streamed.ts'

type Id = string | number | null

/** The text of an answer; undefined where none is sent, or it went out as it came. */
type Text = string | undefined

interface Request {
  readonly id: Id
  readonly notification: boolean
  readonly method: string
  readonly params: unknown
}

/** Bytes of all answers of a batch together, as geth limits them. */
const BATCH_RESPONSE_BYTES = 25_000_000

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

/** Takes an answer that is longer than what is held back; nothing else is answered then. */
type OnStream = (body: StreamedBody) => void

/** The text of a result that is made in parts; undefined if it went out as it came. */
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
    if (spool.held() !== undefined) throw error
    spool.finish(true)
    return undefined
  }
  const held = spool.held()
  if (held !== undefined) return formatUtf8(held)
  spool.finish(false)
  return undefined
}

/** Runs one request. Undefined for a notification, which is never answered. No promise where its method made none. */
function answerOne(call: RpcCall, methods: Methods, value: unknown, onStream?: OnStream): Text | Promise<Text> {
  const request = readRequest(value)
  if ('refusal' in request) return errorText(call, request.id, request.refusal)
  if (request.notification) return undefined
  const { id, method, params } = request
  const found = Object.hasOwn(methods, method) ? methods[method] : undefined
  let place: ReturnType<AnswerCache['placeOf']>

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
    if (place) call.answers.set(place, result)
    return succeeded(result)
  }

  try {
    if (!found) throw methodNotFound(method)
    place = call.answers.placeOf(method, params)
    const kept = place && call.answers.get(place.key)
    if (kept !== undefined) return succeeded(kept)
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
 * Answers a batch in order, until its client leaves. Requests run one after the other, except transactions that follow one
 * another: they are submitted together, so that one block can take them all.
 */
async function answerBatch(call: RpcCall, methods: Methods, batch: readonly unknown[]): Promise<Text> {
  if (batch.length === 0) return errorText(call, null, invalidRequest('empty batch'))
  if (batch.length > call.node.settings.batchLimit) return errorText(call, null, invalidRequest('batch too large'))
  const answers: (Text | Promise<Text>)[] = []
  const pause = createPause()
  let size = 0
  let settled = 0
  for (const value of batch) {
    if (isSubmission(value)) {
      answers.push(answerOne(call, methods, value))
      continue
    }
    const rest = pause()
    if (rest) {
      await rest
      if (call.signal().aborted) return undefined
    }
    for (; settled < answers.length; settled++) answers[settled] = await answers[settled]
    const answer = await answerOne(call, methods, value)
    settled++
    size += answer?.length ?? 0
    answers.push(size > BATCH_RESPONSE_BYTES ? errorText(call, null, limitExceeded('response too large')) : answer)
    if (size > BATCH_RESPONSE_BYTES) break
  }
  const texts = (await Promise.all(answers)).filter((answer) => answer !== undefined)
  return texts.length === 0 ? undefined : `[${texts.join(',')}]`
}

/** The answer to a message; undefined when it holds only notifications. At once where no promise is needed. Never rejects. */
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
  return Array.isArray(parsed) ? answerBatch(call, methods, parsed) : answerOne(call, methods, parsed, onStream)
}
