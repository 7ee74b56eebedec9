/** The reports of honest clients, and the counts of attackers, as text. */
import type { Report, Waits } from './honest.ts'
import type { Counts } from './target.ts'

const cell = (text: string | number): string => String(text).padStart(10)
const row = (name: string, { requests, p50, p99, longest }: Waits): string =>
  `  ${name.padEnd(32)}${cell(requests)}${[p50, p99, longest].map((ms) => cell(ms.toFixed(1))).join('')}`

/** Returns the waits of a report as a table. Unit: milliseconds. */
export function waitTable(report: Report): string {
  const rows: readonly (readonly [string, Waits])[] = [
    ['REST', report.rest],
    ['JSON-RPC', report.jsonrpc],
    ['gRPC', report.grpc],
    ['bare server', report.bare],
    ['transfers', report.transfers],
    ['of a read: the thread worked', report.worked],
    ['of a read: it had no processor', report.queued],
  ]
  const head = `  ${'ms'.padEnd(32)}${['number', 'p50', 'p99', 'longest'].map(cell).join('')}`
  return [head, ...rows.filter(([, { requests }]) => requests > 0).map(([name, waits]) => row(name, waits))].join('\n')
}

/** Returns what became of each attack, as events a second. */
export const countTable = (counts: Readonly<Record<string, Counts>>, seconds: number): string =>
  Object.entries(counts)
    .map(([name, kinds]) => {
      const rates = Object.entries(kinds).map(([kind, number]) => `${kind} ${(number / seconds).toFixed(1)}/s`)
      return `  ${name.padEnd(20)} ${rates.join(', ') || 'nothing'}`
    })
    .join('\n')
