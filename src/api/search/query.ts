/** The search language of CometBFT: `tm.event='Tx' AND transfer.amount > 5` (docs/cometbft.md#searches). */
import { queryError } from '../../primitives/errors.ts'
import { parseRfc3339 } from '../../primitives/time.ts'
import type { ChainEvent } from '../../store/types.ts'

type Operator = '=' | '<' | '<=' | '>' | '>=' | 'CONTAINS' | 'EXISTS'

type Operand =
  /** `others` are further texts that match as well. */
  | { readonly kind: 'text'; readonly text: string; readonly others?: readonly string[] }
  /** A decimal number as text. */
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'time'; readonly timeNs: bigint }
  | { readonly kind: 'none' }

export interface Condition {
  /** `type.attribute`; `type` alone is possible for EXISTS. */
  readonly key: string
  readonly operator: Operator
  readonly operand: Operand
}

export type Query = readonly Condition[]

/** Length of a query for transactions, blocks or events, as in CometBFT. Unit: characters. Beyond: an error. */
const MAX_LENGTH = 512
const CONDITION =
  /^\s*([^\s()"'=<>\\]+)\s*(?:(EXISTS)(?=\s|$)|(<=|>=|=|<|>|CONTAINS(?=[\s']))\s*(?:'([^']*)'|TIME\s+(\S+)|DATE\s+(\S+)|(-?\d+(?:\.\d+)?)(?=\s|$)))/
const AND = /^\s+AND\s+/

/** Parses a query. Throws `invalidArgument` naming the offset of a syntax error. */
export function parseQuery(text: string): Query {
  if (text.length > MAX_LENGTH) throw queryError('invalidArgument', `maximum query length exceeded: ${MAX_LENGTH}`)
  const conditions: Condition[] = []
  let rest = text
  for (;;) {
    const match = CONDITION.exec(rest)
    if (!match) throw syntaxError(text, rest)
    const [whole, key, exists, operator, quoted, time, date, number] = match
    conditions.push({
      key: key!,
      operator: (exists ?? operator) as Operator,
      operand: exists ? { kind: 'none' } : operandOf(quoted, time, date, number),
    })
    rest = rest.slice(whole.length)
    if (rest.trim() === '') return conditions
    const and = AND.exec(rest)
    if (!and) throw syntaxError(text, rest)
    rest = rest.slice(and[0].length)
  }
}

function syntaxError(text: string, rest: string): Error {
  return queryError('invalidArgument', `failed to parse query: syntax error at offset ${text.length - rest.length}`)
}

function operandOf(quoted?: string, time?: string, date?: string, number?: string): Operand {
  if (quoted !== undefined) return { kind: 'text', text: quoted }
  if (number !== undefined) return { kind: 'number', text: number }
  const timeNs = time === undefined ? parseRfc3339(`${date}T00:00:00Z`) : parseRfc3339(time)
  if (timeNs === undefined) throw queryError('invalidArgument', `failed to parse query: invalid time ${time ?? date}`)
  return { kind: 'time', timeNs }
}

/** Whether a value fulfils a condition. A number is compared with the first number in the value, as in `12unative`. */
export function matchesValue({ operator, operand }: Condition, value: string): boolean {
  if (operator === 'EXISTS') return true
  if (operator === 'CONTAINS') return operand.kind === 'text' && textsOf(operand).some((text) => value.includes(text))
  switch (operand.kind) {
    case 'text':
      return operator === '=' && textsOf(operand).includes(value)
    case 'number': {
      const number = /-?\d+(?:\.\d+)?/.exec(value)
      return number !== null && holds(operator, compareDecimal(number[0], operand.text))
    }
    case 'time': {
      const timeNs = parseRfc3339(value) ?? parseRfc3339(`${value}T00:00:00Z`)
      return timeNs !== undefined && holds(operator, compareBigint(timeNs, operand.timeNs))
    }
    case 'none':
      return false
  }
}

function textsOf({ text, others = [] }: Operand & { readonly kind: 'text' }): readonly string[] {
  return others.length === 0 ? [text] : [text, ...others]
}

function holds(operator: Operator, order: number): boolean {
  switch (operator) {
    case '=':
      return order === 0
    case '<':
      return order < 0
    case '<=':
      return order <= 0
    case '>':
      return order > 0
    case '>=':
      return order >= 0
    default:
      return false
  }
}

const compareBigint = (a: bigint, b: bigint): number => (a < b ? -1 : a > b ? 1 : 0)

function compareDecimal(a: string, b: string): number {
  const [aWhole, aFraction = ''] = a.split('.')
  const [bWhole, bFraction = ''] = b.split('.')
  const places = Math.max(aFraction.length, bFraction.length)
  return compareBigint(BigInt(aWhole! + aFraction.padEnd(places, '0')), BigInt(bWhole! + bFraction.padEnd(places, '0')))
}

/** Flattened events of a subscription: values by `type.attribute`. */
export type EventMap = Readonly<Record<string, readonly string[]>>

/** Flattens events in order. Omits attributes without a key and events without a type. */
export function flattenEvents(events: readonly ChainEvent[], more: Readonly<Record<string, string>>): EventMap {
  const map: Record<string, string[]> = {}
  const put = (key: string, value: string) => {
    const values = map[key]
    if (values) values.push(value)
    else map[key] = [value]
  }
  for (const { type, attributes } of events) {
    for (const { key, value } of attributes) if (type !== '' && key !== '') put(`${type}.${key}`, value)
  }
  for (const [key, value] of Object.entries(more)) put(key, value)
  return map
}

/** Whether flattened events fulfil every condition, each by any event. Subscriptions use this rule. */
export function matchesMap(query: Query, map: EventMap): boolean {
  return query.every((condition) => {
    const values = Object.hasOwn(map, condition.key) ? map[condition.key] : undefined
    if (values) return values.some((value) => matchesValue(condition, value))
    return condition.operator === 'EXISTS' && Object.keys(map).some((key) => key.startsWith(`${condition.key}.`))
  })
}

/** Returns the event type of a key: an event type can contain dots, as in `chain.evm.v1.EventTx.hash`, an attribute cannot. */
function eventTypeOf({ key, operator }: Condition, events: readonly ChainEvent[]): string {
  if (operator === 'EXISTS' && events.some(({ type }) => type === key)) return key
  return key.slice(0, Math.max(key.lastIndexOf('.'), 0))
}

/** Whether events fulfil every condition, all conditions of one type by the same event. Searches use this rule. */
export function matchesEvents(query: Query, events: readonly ChainEvent[]): boolean {
  const byType = new Map<string, Condition[]>()
  for (const condition of query) {
    const type = eventTypeOf(condition, events)
    const conditions = byType.get(type)
    if (conditions) conditions.push(condition)
    else byType.set(type, [condition])
  }
  for (const [type, conditions] of byType) {
    const found = events.some((event) => event.type === type && conditions.every((c) => matchesEvent(c, event)))
    if (!found) return false
  }
  return true
}

function matchesEvent(condition: Condition, event: ChainEvent): boolean {
  if (condition.key === event.type) return true
  const name = condition.key.slice(event.type.length + 1)
  return event.attributes.some(({ key, value }) => key === name && matchesValue(condition, value))
}
