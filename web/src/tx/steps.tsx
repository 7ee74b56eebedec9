/** The steps of a transaction and the storage that it read and wrote, asked on demand: they can be long. */
import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { useLoad } from '../api/load.ts'
import { eth } from '../api/question.ts'
import { formatInteger } from '../format/amount.ts'
import { Loaded } from '../ui/loaded.tsx'
import { Table } from '../ui/table.tsx'
import type { StructLog } from './trace-types.ts'

/** Number of steps on one page of the table. */
const PAGE_STEPS = 200

const ACCESSES = new Set(['SLOAD', 'SSTORE', 'TLOAD', 'TSTORE'])

export function Steps({ hash }: { readonly hash: string }) {
  const [isWanted, setWanted] = useState(false)
  if (!isWanted) {
    return (
      <button type="button" onClick={() => setWanted(true)}>
        Show steps and storage accesses
      </button>
    )
  }
  return <LoadedSteps hash={hash} />
}

function LoadedSteps({ hash }: { readonly hash: string }) {
  const [page, setPage] = useState(0)
  const [onlyStorage, setOnlyStorage] = useState(true)
  const log = useLoad([hash, 'steps'], (signal) =>
    ask<StructLog>(eth('debug_traceTransaction', hash, { disableMemory: true, disableReturnData: true }), { signal }),
  )
  return (
    <Loaded of={log} lines={6}>
      {({ structLogs }) => {
        const all = structLogs.map((step, index) => ({ ...step, index }))
        const shown = onlyStorage ? all.filter(({ op }) => ACCESSES.has(op)) : all
        const pages = Math.max(1, Math.ceil(shown.length / PAGE_STEPS))
        const at = Math.min(page, pages - 1)
        return (
          <>
            <div class="bar">
              <label>
                <input
                  type="checkbox"
                  checked={onlyStorage}
                  onChange={(event) => setOnlyStorage(event.currentTarget.checked)}
                />{' '}
                Storage accesses only
              </label>
              <span class="muted num">
                {formatInteger(shown.length)} of {formatInteger(structLogs.length)} steps
              </span>
              {pages > 1 && (
                <span>
                  <button type="button" disabled={at === 0} onClick={() => setPage(at - 1)}>
                    Previous
                  </button>{' '}
                  page {at + 1} of {pages}{' '}
                  <button type="button" disabled={at === pages - 1} onClick={() => setPage(at + 1)}>
                    Next
                  </button>
                </span>
              )}
            </div>
            <Table
              rows={shown.slice(at * PAGE_STEPS, (at + 1) * PAGE_STEPS)}
              keyOf={({ index }) => String(index)}
              label="Steps"
              columns={[
                { name: 'Step', cell: ({ index }) => formatInteger(index) },
                { name: 'Depth', cell: ({ depth }) => depth },
                { name: 'Code', class: 'mono', cell: ({ pc }) => `0x${pc.toString(16)}` },
                { name: 'Operation', class: 'mono', cell: ({ op }) => op },
                { name: 'Gas left', isRight: true, cell: ({ gas }) => formatInteger(gas) },
                { name: 'Cost', isRight: true, cell: ({ gasCost }) => formatInteger(gasCost) },
                {
                  name: 'Operands, the top first',
                  class: 'mono wrap',
                  cell: ({ op, stack = [] }) => operands(op, stack).join(' '),
                },
              ]}
            />
          </>
        )
      }}
    </Loaded>
  )
}

/** Returns the operands that matter: of an access its slot, and of a write its value; else the top of the stack. */
function operands(op: string, stack: readonly string[]): readonly string[] {
  const fromTop = [...stack].reverse()
  if (op === 'SLOAD' || op === 'TLOAD') return fromTop.slice(0, 1)
  if (op === 'SSTORE' || op === 'TSTORE') return fromTop.slice(0, 2)
  return fromTop.slice(0, 3)
}
