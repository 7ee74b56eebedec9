/** The steps of a transaction and the storage that it read and wrote, asked on demand: they can be long. */
import { useState } from 'preact/hooks'
import { ask } from '../api/ask.ts'
import { useLoad } from '../api/load.ts'
import { eth } from '../api/question.ts'
import { formatInteger } from '../format/amount.ts'
import { Loaded } from '../ui/loaded.tsx'
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
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: an area that scrolls is reached by keyboard */}
            <div class="table-box" tabIndex={0} role="region" aria-label="Steps">
              <table>
                <thead>
                  <tr>
                    <th scope="col">Step</th>
                    <th scope="col">Depth</th>
                    <th scope="col">Code</th>
                    <th scope="col">Operation</th>
                    <th scope="col" class="right">
                      Gas left
                    </th>
                    <th scope="col" class="right">
                      Cost
                    </th>
                    <th scope="col">Operands, the top first</th>
                  </tr>
                </thead>
                <tbody>
                  {shown.slice(at * PAGE_STEPS, (at + 1) * PAGE_STEPS).map((step) => (
                    <tr key={step.index}>
                      <td>{formatInteger(step.index)}</td>
                      <td>{step.depth}</td>
                      <td class="mono">0x{step.pc.toString(16)}</td>
                      <td class="mono">{step.op}</td>
                      <td class="right">{formatInteger(step.gas)}</td>
                      <td class="right">{formatInteger(step.gasCost)}</td>
                      <td class="mono wrap">{operands(step.op, step.stack ?? []).join(' ')}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
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
