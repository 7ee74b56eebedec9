/** The differences of two heights as a table, with the question of each. */
import { AskButton } from '../ask/ask.tsx'
import { formatDecimal, formatInteger } from '../format/amount.ts'
import { Empty } from '../ui/loaded.tsx'
import { Table } from '../ui/table.tsx'
import { type Change, changesOf, deltaOf } from './diff.ts'
import type { Compared } from './subjects.ts'

/** Changes of one question that are shown at first. */
const SHOWN = 200

/** Shows a value in words: a number with its digits in groups, of an object or a list each part on its line. */
function textOf(value: unknown): string {
  if (value === null) return 'nothing'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value === 'string')
    return value === '' ? 'empty' : /^-?\d+(\.\d+)?$/.test(value) ? formatDecimal(value) : value
  if (typeof value !== 'object') return String(value)
  const parts = Object.entries(value as object)
  if (parts.length === 0) return Array.isArray(value) ? 'empty list' : 'empty'
  return parts
    .map(([name, inner]) => {
      const text = textOf(inner)
      const label = Array.isArray(value) ? '–' : `${name}:`
      return text.includes('\n') ? `${label}\n${text.replace(/^/gm, '  ')}` : `${label} ${text}`
    })
    .join('\n')
}

function Delta({ change }: { readonly change: Change }) {
  const delta = deltaOf(change)
  if (delta === undefined) return null
  return <span class="num">{delta > 0n ? `+${formatInteger(delta)}` : formatInteger(delta)}</span>
}

function Side({ value, kind }: { readonly value: unknown; readonly kind: 'before' | 'after' }) {
  if (value === undefined) return <span class="muted">not there</span>
  return <span class={`time-value time-${kind}`}>{textOf(value)}</span>
}

export function Changes({ parts }: { readonly parts: readonly Compared[] }) {
  const changed = parts.map((part) => ({ part, changes: changesOf(part.before, part.after) }))
  const different = changed.filter(({ changes }) => changes.length > 0)
  const same = changed.filter(({ changes }) => changes.length === 0)
  return (
    <>
      {different.length === 0 && <Empty>Nothing changed: every answer is the same at both heights.</Empty>}
      {different.map(({ part, changes }) => (
        <section key={part.title} class="time-question" aria-label={part.title}>
          <div class="card-head">
            <h3 class="time-path">{part.title}</h3>
            {part.question && <AskButton question={part.question} label={part.title} />}
          </div>
          <Table
            class="time-changes"
            rows={changes.slice(0, SHOWN)}
            keyOf={({ path }) => path}
            columns={[
              { name: 'Field', class: 'time-path', cell: ({ path }) => path || 'the answer' },
              { name: 'Before', cell: ({ before }) => <Side value={before} kind="before" /> },
              { name: 'After', cell: ({ after }) => <Side value={after} kind="after" /> },
              { name: 'Difference', isRight: true, cell: (change) => <Delta change={change} /> },
            ]}
          />
          {changes.length > SHOWN && (
            <p class="muted">{formatInteger(changes.length - SHOWN)} further changes are not shown.</p>
          )}
        </section>
      ))}
      {same.length > 0 && (
        <details>
          <summary class="muted">
            {same.length === 1 ? 'One answer is the same' : `${same.length} answers are the same`}
          </summary>
          <ul>
            {same.map(({ part }) => (
              <li key={part.title} class="time-path">
                {part.title}
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
  )
}
