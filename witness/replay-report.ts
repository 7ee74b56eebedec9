/** The printed report of a replay. */
import { formatHex } from '../src/primitives/bytes.ts'
import type { PlacedKeyDifference, PlacedResultDifference, ReplayReport } from './replay-run.ts'
import { UNBUILT_MODULES } from './unbuilt.ts'

interface PrintOptions {
  readonly json: boolean
  /** Prints every difference with its values, listed ones included. */
  readonly verbose: boolean
}

const hexOf = (value: Uint8Array | null | undefined): string =>
  value === undefined ? 'not written' : value === null ? 'deleted' : `0x${formatHex(value)}`

/** Returns the store and the leading bytes of a key, which determine its kind. */
const kindOf = (store: string, key: Uint8Array): string =>
  key[0]! >= 0x61
    ? `${store} ${new TextDecoder().decode(key).replace(/[^a-zA-Z].*$/s, '')}`
    : `${store} 0x${formatHex(key.slice(0, 1))}`

const SHOWN = 12

export function printReport(
  report: ReplayReport,
  { json, verbose }: PrintOptions,
  print: (line: string) => void,
): void {
  if (json) {
    print(JSON.stringify(report, (_, value) => plain(value), 1))
    return
  }
  const { stores, keys, results, resultDifferences, recordedHashes, ownHashes, resultsHashes, bugs } = report
  print(`${report.recording} under ${report.profile}: ${report.blocks} blocks in ${report.seconds.toFixed(1)} s`)
  print(`modules whose messages are not executed: ${UNBUILT_MODULES.join(', ')}`)
  print('')
  print(`${'store'.padEnd(14)}${'compared'.padStart(9)}${'equal'.padStart(9)}${'excluded'.padStart(10)}  because of`)
  let compared = 0
  let equal = 0
  let excluded = 0
  for (const [store, tally] of [...stores].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const out = [...tally.excluded.values()].reduce((sum, count) => sum + count, 0)
    const modules = [...tally.excluded].map(([module, count]) => `${module} ${count}`).join(', ')
    compared += tally.compared
    equal += tally.equal
    excluded += out
    print(line(store, tally.compared, tally.equal, out, modules))
  }
  print(line('all', compared, equal, excluded, ''))
  print('')
  const noOps = keys.filter(({ kind }) => kind === 'noOp')
  const values = keys.filter(({ kind }) => kind !== 'noOp')
  const unlistedKeys = values.filter(({ listed }) => listed === undefined)
  print(`keys with a different value: ${values.length}, not listed: ${unlistedKeys.length}`)
  print(`keys that differ only in a no-op write: ${noOps.length}`)
  print(
    `EVM transactions: ${results.evm} compared, ${results.evmExcluded} excluded; SDK transactions: ${results.sdk} compared`,
  )
  const unlistedResults = resultDifferences.filter(({ listed }) => listed === undefined)
  print(`result fields that differ: ${resultDifferences.length}, not listed: ${unlistedResults.length}`)
  for (const [id, group] of groupBy([...keys, ...resultDifferences], ({ listed }) => listed ?? '')) {
    if (id !== '') print(`  listed: ${id}: ${group.length}`)
  }
  print(`app hashes from the recorded changes: ${recordedHashes.equal} of ${recordedHashes.computed}`)
  for (const [what, { equal, computed, listed, different }] of [
    ['app hashes from our own changes', ownHashes],
    ['hashes of our own results', resultsHashes],
  ] as const) {
    print(`${what}: ${equal} of ${computed}`)
    for (const [reason, heights] of listed) print(`  listed: ${reason}: blocks ${heights.join(', ')}`)
    if (different.length > 0) print(`  not listed: blocks ${different.join(', ')}`)
  }
  printKeys(verbose ? keys : unlistedKeys.concat(noOps), verbose, print)
  printResults(verbose ? resultDifferences : unlistedResults, verbose, print)
  for (const bug of bugs) print(`bug: ${bug}`)
}

function line(name: string, compared: number, equal: number, out: number, modules: string): string {
  return `${name.padEnd(14)}${String(compared).padStart(9)}${String(equal).padStart(9)}${String(out).padStart(10)}  ${modules}`.trimEnd()
}

function printKeys(keys: readonly PlacedKeyDifference[], verbose: boolean, print: (line: string) => void): void {
  const groups = groupBy(
    keys,
    ({ store, key, kind, listed }) => `${kindOf(store, key)}, ${kind}${listed ? `, listed: ${listed}` : ''}`,
  )
  for (const [name, group] of [...groups].sort(([, a], [, b]) => b.length - a.length)) {
    print('')
    print(`${name}: ${group.length}`)
    for (const one of verbose ? group : group.slice(0, SHOWN)) {
      print(`  block ${one.height} key 0x${formatHex(one.key)}`)
      if (!verbose) continue
      print(`    parent   ${hexOf(one.parent)}`)
      print(`    ours     ${hexOf(one.ours)}`)
      print(`    recorded ${hexOf(one.recorded)}`)
    }
  }
}

function printResults(found: readonly PlacedResultDifference[], verbose: boolean, print: (line: string) => void): void {
  const groups = groupBy(found, ({ isEvm, field }) => `${isEvm ? 'EVM' : 'SDK'} ${field}`)
  for (const [name, group] of groups) {
    print('')
    print(`${name}: ${group.length}`)
    for (const { height, tx, ours, recorded } of verbose ? group : group.slice(0, SHOWN)) {
      print(`  block ${height} transaction ${tx}`)
      if (!verbose && ours.length + recorded.length > 400) continue
      print(`    ours     ${ours}`)
      print(`    recorded ${recorded}`)
    }
  }
}

function plain(value: unknown): unknown {
  if (value instanceof Map) return Object.fromEntries(value)
  return value instanceof Uint8Array ? formatHex(value) : value
}

function groupBy<T>(values: readonly T[], nameOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const value of values) {
    const name = nameOf(value)
    const group = groups.get(name)
    if (group) group.push(value)
    else groups.set(name, [value])
  }
  return groups
}
