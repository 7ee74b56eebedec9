/** A question with both answers, and the predicates on it that the rules of `differences.ts` use. */
import { ZERO_WORD_HEX } from '../src/primitives/bytes.ts'
import { compareJson, type Mismatch } from './compare.ts'
import type { Answer, Question } from './questions.ts'

/** A question with both answers. */
export interface Exchange {
  readonly question: Question
  readonly reference: Answer
  readonly ours: Answer
  /** The bodies as JSON; undefined if a body is not JSON. */
  readonly referenceBody: unknown
  readonly oursBody: unknown
}

interface ErrorBody {
  readonly code?: number
  readonly message?: string
}

/** Returns the members of a REST error body, or the `error` of a JSON-RPC answer. */
export function errorOf(body: unknown): ErrorBody | undefined {
  const { error, code, message } = (body ?? {}) as ErrorBody & { readonly error?: unknown }
  if (typeof error === 'object' && error !== null) return error as ErrorBody
  if (code === undefined && message === undefined) return undefined
  return { ...(code !== undefined && { code }), ...(message !== undefined && { message }) }
}

export const referenceError = ({ referenceBody }: Exchange): ErrorBody => errorOf(referenceBody) ?? {}

/** Whether both answers have statuses of these lists. */
export function statuses({ reference, ours }: Exchange, from: readonly number[], to: readonly number[]): boolean {
  return from.includes(reference.status) && to.includes(ours.status)
}

/** Whether a mismatch is in the error itself: status, code or text. */
export const isInError = ({ at }: Mismatch): boolean => /^(status|body\.(code|message))$/.test(at)

/** Whether a mismatch is a member that only our answer has, with a name that matches. */
export const isAdded = ({ at, reference }: Mismatch, name: RegExp): boolean =>
  reference === undefined && name.test(at.slice(at.lastIndexOf('.') + 1))

/** Whether a path contains a denom with slashes, raw or encoded. */
export function hasSlashes({ text }: Question): boolean {
  return /%2f|\/(tf|factory|ibc|erc20)\//i.test(text.split('?')[0]!)
}

/** Whether the object that contains the path `at` is an undecoded `Any`: only type and bytes. */
export function isRawAny(body: unknown, at: string): boolean {
  let value: unknown = { body }
  for (const step of at.split(/[.[\]]+/).slice(0, -1)) {
    value = (value as Record<string, unknown> | undefined)?.[step]
  }
  return typeof value === 'object' && value !== null && Object.keys(value).sort().join() === '@type,value'
}

/** Decodes a JSON value of an answer: `0x` and hex, or base64. */
function bytesOf(value: unknown): Buffer {
  if (typeof value !== 'string') return Buffer.alloc(0)
  return value.startsWith('0x') ? Buffer.from(value.slice(2), 'hex') : Buffer.from(value, 'base64')
}

const WORD = 32

/** Whether two returned byte strings differ only in words that are zero in the reference. */
export function differsInZeroWords(reference: unknown, ours: unknown): boolean {
  const [before, now] = [bytesOf(reference), bytesOf(ours)]
  if (before.length === 0 || before.length !== now.length) return false
  for (let at = 0; at < before.length; at += WORD) {
    const word = before.subarray(at, at + WORD)
    if (!word.equals(now.subarray(at, at + WORD)) && word.some((byte) => byte !== 0)) return false
  }
  return true
}

interface Log {
  readonly transactionHash: string
}

/** Whether two lists of logs are equal except for recorded logs without a transaction, and fields that only we have. */
export function sameLogsOfTransactions({ referenceBody, oursBody }: Exchange): boolean {
  const [before, now] = [referenceBody, oursBody].map((body) => (body as { result?: readonly Log[] }).result ?? [])
  const expected = before!.filter(({ transactionHash }) => transactionHash !== ZERO_WORD_HEX)
  const mismatches = compareJson(expected, now)
  return expected.length < before!.length && mismatches.every((mismatch) => isAdded(mismatch, /^blockTimestamp$/))
}

/** Converts the reference's text of a failed call to geth's. */
export function toGethText(message: string): string {
  return message
    .replace(/^rpc error: code = \w+ desc = /, '')
    .replace(/^estimate gas VMError: /, '')
    .replace(/ with reason "(.*)"$/s, ': $1')
    .replace(/ with undecodable reason \(raw hex: [0-9a-f]*\)$/, '')
}
