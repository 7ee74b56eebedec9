/** Sample requests for every query operation, built from the answers of a state to requests without arguments. */
import { create, type DescField, type DescMethod, isMessage, type Message, ScalarType } from '@bufbuild/protobuf'
import { methods } from '../../identity/registry.ts'
import { ChainError } from '../../primitives/errors.ts'
import type { ReadContext } from '../../sdk/context.ts'
import type { QueryTable } from '../query.ts'

export interface Question {
  /** Neutral path of the method. */
  readonly path: string
  readonly request: Message
}

/** The outcome of a request: an answer, an error status, or `bug` for an error that no handler should throw. */
export type Outcome = { readonly kind: 'ok' } | { readonly kind: 'refused' | 'bug'; readonly message: string }

/** Maximum number of values stored for a field. */
const VALUES = 3
/** Maximum number of requests with arguments for an operation. */
const QUESTIONS = 3
/** Number of rounds: values in the answers of one round fill the requests of the next. */
const ROUNDS = 3

/** Calls one operation. */
export function ask(
  queries: QueryTable,
  ctx: ReadContext,
  { path, request }: Question,
  onAnswer?: (answer: Message) => void,
): Outcome {
  try {
    const answer = queries.get(path)!(ctx, request)
    onAnswer?.(answer)
    return { kind: 'ok' }
  } catch (error) {
    if (error instanceof ChainError) return { kind: 'refused', message: error.message }
    return { kind: 'bug', message: error instanceof Error ? error.message : String(error) }
  }
}

/** Returns requests for every operation of a table: one without arguments, then some with values of the state. */
export function questionsFor(queries: QueryTable, ctx: ReadContext): readonly Question[] {
  const values = new Map<string, Set<unknown>>()
  const asked = new Map<string, Question>()
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of queries.keys()) {
      const method = methods.get(path)
      if (!method) continue
      for (const request of requestsOf(ctx, method, values)) {
        const key = `${path} ${textOf(request)}`
        if (asked.has(key)) continue
        const question = { path, request }
        asked.set(key, question)
        ask(queries, ctx, question, (answer) => gather(answer, values))
      }
    }
  }
  return [...asked.values()]
}

function textOf(request: Message): string {
  return JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
}

/** Collects the texts and numbers of an answer by field name. Bounded by: the levels of an answer. */
function gather(value: unknown, values: Map<string, Set<unknown>>, field = ''): void {
  if (Array.isArray(value)) {
    for (const item of value.slice(0, VALUES)) gather(item, values, field)
  } else if (isMessage(value)) {
    for (const [name, part] of Object.entries(value)) if (!name.startsWith('$')) gather(part, values, name)
  } else if ((typeof value === 'string' && value !== '') || (typeof value === 'bigint' && value > 0n)) {
    const known = values.get(field) ?? new Set()
    values.set(field, known)
    if (known.size < VALUES) known.add(value)
  }
}

function requestsOf(ctx: ReadContext, { input }: DescMethod, values: ReadonlyMap<string, Set<unknown>>): Message[] {
  const requests: Message[] = [create(input)]
  const fields = input.fields.filter(({ fieldKind }) => fieldKind === 'scalar')
  for (let i = 0; i < QUESTIONS && fields.length > 0; i++) {
    const init = Object.fromEntries(
      fields.flatMap((field) => {
        const fitting = fittingValues(ctx, field, values)
        return fitting.length === 0 ? [] : [[field.localName, fitting[i % fitting.length]] as const]
      }),
    )
    if (Object.keys(init).length > 0) requests.push(create(input, init as never))
  }
  return requests
}

/** Returns values for a field: those of fields with the same name, or those whose form matches its name. */
function fittingValues(ctx: ReadContext, field: DescField, values: ReadonlyMap<string, Set<unknown>>): unknown[] {
  const isText = field.scalar === ScalarType.STRING
  const isNumber = field.scalar === ScalarType.UINT64 || field.scalar === ScalarType.INT64
  const fits = (value: unknown): boolean =>
    (isText && typeof value === 'string') || (isNumber && typeof value === 'bigint')
  const named = [...(values.get(field.localName) ?? [])].filter(fits)
  if (named.length > 0) return named
  if (isNumber) return [...(values.get('id') ?? []), 1n].filter(fits)
  if (!isText) return []
  const { account, validator } = ctx.identity.bech32
  const texts = [...values.values()].flatMap((known) => [...known]).filter((value) => typeof value === 'string')
  const starting = (prefix: string): string[] => texts.filter((text) => text.startsWith(`${prefix}1`)).slice(0, VALUES)
  if (/denom|token/i.test(field.localName)) return [...(values.get('denom') ?? [])].filter(fits)
  if (/valid/i.test(field.localName)) return starting(validator)
  return /addr|grant|deleg|account|creator|deployer|withdrawer|voter|depositor/i.test(field.localName)
    ? starting(account)
    : []
}
