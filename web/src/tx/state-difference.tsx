/** The state before and after a transaction, by `prestateTracer`. */
import { ask } from '../api/ask.ts'
import { useLoad } from '../api/load.ts'
import { eth } from '../api/question.ts'
import { formatInteger } from '../format/amount.ts'
import { Empty, Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Address, Wei } from '../ui/values.tsx'
import type { AccountState, StateDifference } from './trace-types.ts'

interface Change {
  readonly name: string
  readonly before: preact.ComponentChildren
  readonly after: preact.ComponentChildren
}

/** Returns what has changed in an account. The tracer omits after a transaction what it did not change. */
function changesOf(pre: AccountState, post: AccountState | undefined): readonly Change[] {
  const changes: Change[] = []
  if (post?.balance !== undefined && post.balance !== pre.balance) {
    changes.push({
      name: 'Balance',
      before: <Wei wei={BigInt(pre.balance ?? 0)} />,
      after: <Wei wei={BigInt(post.balance)} />,
    })
  }
  if (post?.nonce !== undefined && post.nonce !== pre.nonce) {
    changes.push({ name: 'Nonce', before: formatInteger(pre.nonce ?? 0), after: formatInteger(post.nonce) })
  }
  if (post?.code !== undefined && post.code !== pre.code) {
    const size = (code: string | undefined) => `${formatInteger(((code?.length ?? 2) - 2) / 2)} bytes`
    changes.push({ name: 'Code', before: size(pre.code), after: size(post.code) })
  }
  const slots = new Set([...Object.keys(pre.storage ?? {}), ...Object.keys(post?.storage ?? {})])
  for (const slot of slots) {
    const [before, after] = [pre.storage?.[slot], post?.storage?.[slot]]
    if (before === after) continue
    changes.push({ name: `Slot ${slot}`, before: before ?? '0', after: after ?? '0' })
  }
  return changes
}

export function StateChanges({ hash }: { readonly hash: string }) {
  const question = eth('debug_traceTransaction', hash, { tracer: 'prestateTracer', tracerConfig: { diffMode: true } })
  const difference = useLoad([hash, 'difference'], (signal) => ask<StateDifference>(question, { signal }))
  return (
    <Section title="State before and after" question={question}>
      <Loaded of={difference} lines={4}>
        {({ pre, post }) => {
          const accounts = [...new Set([...Object.keys(pre), ...Object.keys(post)])]
          if (accounts.length === 0) return <Empty>Nothing has changed.</Empty>
          return accounts.map((address) => (
            <div key={address} class="difference">
              <h3>
                <Address address={address} />
              </h3>
              <Table
                class="mono-values"
                rows={changesOf(pre[address] ?? {}, post[address])}
                keyOf={({ name }) => name}
                label={`Changes of ${address}`}
                columns={[
                  { name: 'What', class: 'wrap', cell: ({ name }) => name },
                  { name: 'Before', class: 'wrap', cell: ({ before }) => before },
                  { name: 'After', class: 'wrap', cell: ({ after }) => after },
                ]}
              />
            </div>
          ))
        }}
      </Loaded>
    </Section>
  )
}
