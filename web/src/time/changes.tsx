/** The differences of two heights as a table, with the question of each. */
import { AskButton } from '../ask/ask.tsx'
import { formatInteger } from '../format/amount.ts'
import { Empty } from '../ui/loaded.tsx'
import { type Change, changesOf, deltaOf } from './diff.ts'
import type { Compared } from './subjects.ts'

/** Changes of one question that are shown at first. */
const SHOWN = 200

const textOf = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value, null, 1)

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
        <section key={part.title} aria-label={part.title}>
          <div class="card-head">
            <h3 class="time-path">{part.title}</h3>
            {part.question && <AskButton question={part.question} label={part.title} />}
          </div>
          <div class="table-box">
            <table class="time-changes">
              <thead>
                <tr>
                  <th scope="col">Field</th>
                  <th scope="col">Before</th>
                  <th scope="col">After</th>
                  <th scope="col" class="right">
                    Difference
                  </th>
                </tr>
              </thead>
              <tbody>
                {changes.slice(0, SHOWN).map((change) => (
                  <tr key={change.path}>
                    <td class="time-path">{change.path || 'the answer'}</td>
                    <td>
                      <Side value={change.before} kind="before" />
                    </td>
                    <td>
                      <Side value={change.after} kind="after" />
                    </td>
                    <td class="right">
                      <Delta change={change} />
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
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
