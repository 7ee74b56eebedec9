/** Parameters of every module, with the unit and the meaning that the node's OpenAPI document gives. */

import { ask } from '../api/ask.ts'
import { useHeight } from '../api/height.ts'
import { useLoad, useRound } from '../api/load.ts'
import { rest } from '../api/question.ts'
import { openApi } from '../ask/document.ts'
import { formatDecimal } from '../format/amount.ts'
import { formatDuration } from '../format/time.ts'
import { mapFew } from '../time/few.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Section } from '../ui/section.tsx'
import { Table } from '../ui/table.tsx'
import { Coin } from '../ui/values.tsx'
import { type Meaning, meaningsOf, parameterQuestions, rowsOf } from './meanings.ts'

interface ModuleParameters {
  readonly module: string
  readonly path: string
  readonly params: unknown
  readonly meanings: ReadonlyMap<string, Meaning>
}

/** Parameters change by votes: they are read again with every hundredth block. */
const BLOCKS = 100n

export function ParametersPage() {
  const height = useHeight()
  const round = useRound(BLOCKS)
  const modules = useLoad(['parameters', round], async (signal) => {
    const document = await openApi()
    return mapFew(parameterQuestions(document), async ({ module, path, schema }): Promise<ModuleParameters> => {
      const answer = await ask<{ readonly params?: unknown }>(rest(path), { height, signal })
      return { module, path, params: answer.params ?? answer, meanings: meaningsOf(document, schema) }
    })
  })
  return (
    <Loaded of={modules} lines={20}>
      {(list) => list.map((one) => <Module key={one.path} of={one} />)}
    </Loaded>
  )
}

function Module({ of: { module, path, params, meanings } }: { readonly of: ModuleParameters }) {
  return (
    <Section title={module} question={rest(path)}>
      <Table
        class="chain-parameters"
        rows={rowsOf(params)}
        keyOf={({ name }) => name}
        columns={[
          { name: 'Name', class: 'mono', cell: ({ name }) => name },
          { name: 'Value', cell: ({ value }) => <Value value={value} /> },
          { name: 'Unit', cell: ({ name }) => meanings.get(name)?.unit ?? <span class="muted">–</span> },
          { name: 'Meaning', cell: ({ name }) => meanings.get(name)?.text },
        ]}
      />
    </Section>
  )
}

function Value({ value }: { readonly value: unknown }) {
  if (value === null) return <span class="muted">none</span>
  if (typeof value === 'boolean') return <>{value ? 'yes' : 'no'}</>
  if (Array.isArray(value)) {
    if (value.length === 0) return <span class="muted">empty list</span>
    return (
      <ul class="chain-values">
        {value.map((item) => (
          <li key={JSON.stringify(item)}>
            <Value value={item} />
          </li>
        ))}
      </ul>
    )
  }
  if (typeof value === 'object') {
    const { denom, amount } = value as Record<string, unknown>
    if (typeof denom === 'string' && typeof amount === 'string' && /^\d+$/.test(amount))
      return <Coin denom={denom} amount={amount} />
    return <code>{JSON.stringify(value)}</code>
  }
  const text = String(value)
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(text)?.[1]
  if (seconds !== undefined) {
    const words = formatDuration(Number(seconds))
    return (
      <>
        <span class="num">{text}</span> {words !== `${seconds} s` && <span class="muted">{words}</span>}
      </>
    )
  }
  return <span class="num">{/^-?\d+(\.\d+)?$/.test(text) ? formatDecimal(text) : text}</span>
}
