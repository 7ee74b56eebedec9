/** Requests that the form of an operation makes, and sending them. */
import { ApiError, ask, urlOf } from '../api/ask.ts'
import type { Question } from '../api/question.ts'
import type { Operation, Parameter } from './catalog.ts'

export type Values = Readonly<Record<string, string>>

/** Reads the text of a parameter of a method: JSON where it is no text by itself. */
function argumentOf({ schema }: Parameter, text: string): unknown {
  if ([schema.type ?? []].flat().includes('string') && !/^[{[]|^null$/.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** Returns the question of an operation with these values. */
export function questionOf(operation: Operation, values: Values): Question {
  const { parameters, protocol, title, by } = operation
  if (protocol === 'REST') {
    const path = title.replace(/\{([^}]+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''))
    const query = new URLSearchParams()
    for (const { name, in: place } of parameters) {
      if (place === 'query' && values[name]) query.append(name, values[name])
    }
    if (by !== undefined) query.set('by', by)
    return { kind: 'rest', path: query.size > 0 ? `${path}?${query}` : path }
  }
  if (protocol === 'engine RPC') {
    const given = parameters.filter(({ name }) => values[name])
    return {
      kind: 'engine',
      method: title,
      params: Object.fromEntries(given.map((one) => [one.name, argumentOf(one, values[one.name]!)])),
    }
  }
  const all = parameters.map((one) => (values[one.name] ? argumentOf(one, values[one.name]!) : null))
  while (all.length > 0 && all.at(-1) === null) all.pop()
  return { kind: 'eth', method: title, params: all }
}

/** Sends an operation with a body, and returns the answer. Rejects with `ApiError`. */
async function post(path: string, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(urlOf(path), { method: 'POST', headers, body }).catch(() => {
    throw new ApiError('The node does not answer.', 0)
  })
  const text = await response.text()
  let answer: { readonly message?: string; readonly code?: number }
  try {
    answer = JSON.parse(text) as typeof answer
  } catch {
    throw new ApiError(text || response.statusText, response.status)
  }
  if (!response.ok) throw new ApiError(answer.message ?? response.statusText, response.status, answer.code)
  return answer
}

/** Sends a question and returns its answer. Rejects with `ApiError`. */
export function send(operation: Operation, question: Question, body: string, height: bigint | undefined) {
  if (operation.protocol === 'REST' && operation.verb === 'POST' && question.kind === 'rest') {
    return post(question.path, body)
  }
  return ask<unknown>(question, { height: operation.isTimed ? height : undefined })
}

const CHEAP =
  /^(eth_(block|chain|gas|get|base|max|syncing|config|cap|fee|call|estimate|proto|network|accounts)|net_|web3_|rpc|ots_(get|has)|txpool_status)/
const SILENT = /^(broadcast|dial|unsafe|subscribe|unsubscribe|genesis|check_tx)/

/** Whether an operation can be asked without being told to: it changes nothing, and is no long work. */
export function asksItself({ protocol, verb, title }: Operation): boolean {
  if (protocol === 'REST') return verb === 'GET' && !/trace_/.test(title)
  return protocol === 'JSON-RPC' ? CHEAP.test(title) && !/Logs|Filter/.test(title) : !SILENT.test(title)
}
