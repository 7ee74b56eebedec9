/** Messages of the SDK, each with its fields by name. */
import { type MessageJson, shortType } from '../api/blocks.ts'
import type { Question } from '../api/question.ts'
import { Empty } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Coin } from '../ui/values.tsx'
import { AttributeValue } from './events.tsx'

const isCoin = (value: unknown): value is { denom: string; amount: string } =>
  typeof value === 'object' &&
  value !== null &&
  Object.keys(value).length === 2 &&
  typeof (value as Record<string, unknown>)['denom'] === 'string' &&
  /^\d+$/.test(String((value as Record<string, unknown>)['amount']))

/** Time of a message whose time is not set. */
const NO_TIME = '0001-01-01T00:00:00Z'

/** Depth of nested fields that are laid out. Deeper ones are shown as JSON. */
const MAX_DEPTH = 4

function FieldValue({ value, depth = 0 }: { readonly value: unknown; readonly depth?: number }) {
  if (value === null || value === undefined || value === '' || value === NO_TIME)
    return <span class="muted">empty</span>
  if (typeof value !== 'object') return <AttributeValue value={String(value)} />
  if (isCoin(value)) return <Coin {...value} />
  if (depth >= MAX_DEPTH) return <span class="mono">{JSON.stringify(value)}</span>
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="muted">empty</span>
    return (
      <ol class="plain-list">
        {value.map((item, i) => (
          <li key={i}>
            <FieldValue value={item} depth={depth + 1} />
          </li>
        ))}
      </ol>
    )
  }
  return <Fields value={value as Readonly<Record<string, unknown>>} depth={depth + 1} />
}

export function Fields({
  value,
  depth = 0,
}: {
  readonly value: Readonly<Record<string, unknown>>
  readonly depth?: number
}) {
  return (
    <dl class="facts">
      {Object.entries(value)
        .filter(([name]) => name !== '@type')
        .map(([name, field]) => (
          <div class="fact" key={name}>
            <dt>{name.replaceAll('_', ' ')}</dt>
            <dd>
              <FieldValue value={field} depth={depth} />
            </dd>
          </div>
        ))}
    </dl>
  )
}

/** A message with its type and its fields. */
export const MessageView = ({ message }: { readonly message: MessageJson }) => (
  <>
    <div class="log-head">
      <strong>{shortType(message['@type'])}</strong> <span class="muted mono">{message['@type']}</span>
    </div>
    <Fields value={message} />
  </>
)

export function Messages({
  messages,
  question,
}: {
  readonly messages: readonly MessageJson[]
  readonly question: Question
}) {
  return (
    <Section title="Messages" question={question}>
      {messages.length === 0 ? (
        <Empty>This transaction cannot be decoded.</Empty>
      ) : (
        <ol class="logs">
          {messages.map((message, i) => (
            <li key={i}>
              <MessageView message={message} />
            </li>
          ))}
        </ol>
      )}
    </Section>
  )
}
