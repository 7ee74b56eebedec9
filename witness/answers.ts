/** `npm run answers -- FOLDER`: repeats the requests of a recording on a node with its state, and compares the answers. */
import { parseArgs } from 'node:util'
import { evmChainIdOf } from '../src/identity/identity.ts'
import { identityOf } from '../src/identity/profiles.ts'
import { placesOf } from './asked-heights.ts'
import { formatMismatch } from './compare.ts'
import { DIFFERENCES } from './differences.ts'
import { followRecording } from './follow-recording.ts'
import { loadRecording } from './load.ts'
import { openGateways } from './questions.ts'
import { openRecording } from './recording.ts'
import { UNBUILT_MODULES } from './unbuilt.ts'
import { compareAnswers, type Outcome, type Verdict } from './verdict.ts'

const USAGE = `usage: npm run answers -- FOLDER [--follow [--snapshot DIR]] [--only PATTERN] [--verbose] [--json]

  --follow        loads the state as a replica does: from files and the RPC of a node that has the recorded blocks
  --snapshot DIR  begins the replica with a snapshot in DIR; requests about earlier heights are left out
  --only PATTERN  repeats only requests whose operation, path or method matches PATTERN, a regular expression
  --verbose       also prints listed differences, and does not truncate values
  --json          prints one JSON object for each answer that is not equal
`

/** Different answers of one operation that are printed with values. Further ones have a line each, unless `verbose` is set. */
const SHOWN_PER_OPERATION = 5
const SHOWN_MISMATCHES = 12

type Counts = Record<Verdict, number>

const noCounts = (): Counts => ({ equal: 0, listed: 0, different: 0, 'not built': 0 })

interface Options {
  readonly only: RegExp | undefined
  readonly verbose: boolean
  readonly json: boolean
  readonly follow: boolean
  readonly snapshot: string | undefined
}

async function run(folder: string, { only, verbose, json, follow, snapshot }: Options): Promise<boolean> {
  const started = performance.now()
  const recording = openRecording(folder)
  const identity = identityOf(recording.profile)
  const loaded = follow ? await followRecording(recording, snapshot) : await loadRecording(recording, identity)
  const loadedAt = performance.now()
  const places = await placesOf(recording, identity, evmChainIdOf(identity, loaded.node.chainId))
  const gateways = await openGateways(loaded, places)
  const byOperation = new Map<string, Counts & { readonly module: string }>()
  const byDifference = new Map<string, number>()
  const total = noCounts()
  let exact = 0
  /** Requests about heights before the first one here. */
  let before = 0
  try {
    for await (const question of gateways.questions(recording)) {
      if (only && !only.test(`${question.operation} ${question.text}`)) continue
      if (loaded.begin !== undefined && question.lowest !== undefined && question.lowest < loaded.begin) {
        before++
        continue
      }
      const { module, operation } = question
      const outcome = UNBUILT_MODULES.includes(module)
        ? ({ question, verdict: 'not built', isExact: false, listed: [], unlisted: [] } satisfies Outcome)
        : compareAnswers(question, await question.ask(), DIFFERENCES)
      const counts = byOperation.get(operation) ?? { ...noCounts(), module }
      byOperation.set(operation, counts)
      counts[outcome.verdict]++
      total[outcome.verdict]++
      if (outcome.isExact) exact++
      for (const id of outcome.listed) byDifference.set(id, (byDifference.get(id) ?? 0) + 1)
      if (json) printJson(outcome)
      else if (verbose || counts.different <= SHOWN_PER_OPERATION) printOutcome(outcome, verbose)
      else printBriefly(outcome)
    }
  } finally {
    await gateways.close()
    await loaded.close()
  }
  if (!json) {
    printTable(byOperation, byDifference, total)
    print(
      `\n${exact} answers are equal byte for byte; the other equal answers differ in whitespace, in the order of members, or in clock, build and envelope`,
    )
    if (before > 0)
      print(`${before} requests are about heights before ${loaded.begin}, where this node begins, and are left out`)
    const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1)
    print(`loaded in ${seconds(started, loadedAt)} s, compared in ${seconds(loadedAt, performance.now())} s`)
  }
  return total.different === 0
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

function printJson({ question, verdict, listed, unlisted }: Outcome): void {
  if (verdict === 'equal' || verdict === 'not built') return
  const { operation, text } = question
  print(JSON.stringify({ operation, question: text, verdict, listed, unlisted }))
}

function printOutcome({ question, verdict, listed, unlisted }: Outcome, verbose: boolean): void {
  if (verdict !== 'different' && !(verbose && verdict === 'listed')) return
  print(`\n${verdict}: ${question.operation}  ${question.text.slice(0, verbose ? undefined : 200)}`)
  if (listed.length > 0) print(`    listed: ${listed.join(', ')}`)
  for (const mismatch of unlisted.slice(0, verbose ? undefined : SHOWN_MISMATCHES))
    print(`    ${formatMismatch(mismatch)}`)
  if (unlisted.length > SHOWN_MISMATCHES && !verbose) print(`    … ${unlisted.length} differences in total`)
}

function printBriefly({ question, verdict, unlisted }: Outcome): void {
  if (verdict !== 'different') return
  const places = unlisted.slice(0, 3).map(({ at }) => at)
  const more = unlisted.length > places.length ? ` and ${unlisted.length - places.length} more` : ''
  print(`different: ${question.operation}  ${question.text.slice(0, 160)}  in ${places.join(', ')}${more}`)
}

function printTable(
  byOperation: ReadonlyMap<string, Counts & { readonly module: string }>,
  byDifference: ReadonlyMap<string, number>,
  total: Counts,
): void {
  const row = (name: string, { equal, listed, different, ...counts }: Counts, note = ''): string => {
    const requests = equal + listed + different + counts['not built']
    const cells = [requests, equal, listed, different, counts['not built']].map((count) => String(count).padStart(10))
    return `${name.padEnd(44)}${cells.join('')}${note && `  ${note}`}`
  }
  const heads = ['requests', 'equal', 'listed', 'different', 'not built'].map((head) => head.padStart(10))
  print(`\n${'operation'.padEnd(44)}${heads.join('')}`)
  for (const name of [...byOperation.keys()].sort()) {
    const counts = byOperation.get(name)!
    print(row(name, counts, counts['not built'] > 0 ? `module ${counts.module}` : ''))
  }
  print(row('total', total))
  if (byDifference.size > 0) print('\nlisted differences (witness/differences.ts):')
  for (const { id, where, explanation, source } of DIFFERENCES) {
    const count = byDifference.get(id)
    if (count !== undefined)
      print(`${String(count).padStart(6)}  ${id}: ${where}: ${explanation}${source ? ` (${source})` : ''}`)
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ only: { type: 'string' }, verbose: { type: 'boolean' }, json: { type: 'boolean' } },
    ...{ follow: { type: 'boolean' }, snapshot: { type: 'string' } },
  },
})
const [folder, ...others] = positionals
if (folder === undefined || others.length > 0) {
  process.stderr.write(USAGE)
  process.exit(2)
}
try {
  const { only, verbose = false, json = false, follow = false, snapshot } = values
  const isEqual = await run(folder, {
    only: only === undefined ? undefined : new RegExp(only),
    verbose,
    json,
    follow,
    snapshot,
  })
  process.exitCode = isEqual ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
