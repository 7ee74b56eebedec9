/** `npm run answers -- FOLDER`: asks a node that holds a recording's state what the reference was asked. */
import { parseArgs } from 'node:util'
import { identityOf } from '../src/identity/profiles.ts'
import { formatPart } from './compare.ts'
import { DIFFERENCES } from './differences.ts'
import { judge, type Outcome, type Verdict } from './judge.ts'
import { loadRecording } from './load.ts'
import { openGateways } from './questions.ts'
import { openRecording } from './recording.ts'
import { UNBUILT_MODULES } from './unbuilt.ts'

const USAGE = `usage: npm run answers -- FOLDER [--only PATTERN] [--verbose] [--json]

  --only PATTERN  asks only what has PATTERN (a regular expression) in its operation, path or method
  --verbose       shows listed differences too, and long values whole
  --json          prints one JSON object per question that is not equal
`

/** Answers of one operation that are shown with their values; further ones have a line each, unless asked for all. */
const SHOWN_PER_OPERATION = 5
const SHOWN_PARTS = 12

type Counts = Record<Verdict, number>

const noCounts = (): Counts => ({ equal: 0, listed: 0, different: 0, 'not built': 0 })

interface Options {
  readonly only: RegExp | undefined
  readonly verbose: boolean
  readonly json: boolean
}

async function run(folder: string, { only, verbose, json }: Options): Promise<boolean> {
  const started = performance.now()
  const recording = openRecording(folder)
  const identity = identityOf(recording.profile)
  const loaded = await loadRecording(recording, identity)
  const loadedAt = performance.now()
  const gateways = await openGateways(loaded)
  const byOperation = new Map<string, Counts & { readonly module: string }>()
  const byDifference = new Map<string, number>()
  const total = noCounts()
  let exact = 0
  try {
    for await (const question of gateways.questions(recording)) {
      if (only && !only.test(`${question.operation} ${question.text}`)) continue
      const { module, operation } = question
      const outcome = UNBUILT_MODULES.includes(module)
        ? ({ question, verdict: 'not built', isExact: false, listed: [], unlisted: [] } satisfies Outcome)
        : judge(question, await question.ask(), DIFFERENCES)
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
      `\n${exact} answers are the same text, byte for byte; the other equal ones differ in blanks, in order or in what is listed once`,
    )
    const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(1)
    print(`loaded in ${seconds(started, loadedAt)} s, asked in ${seconds(loadedAt, performance.now())} s`)
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
  for (const part of unlisted.slice(0, verbose ? undefined : SHOWN_PARTS)) print(`    ${formatPart(part)}`)
  if (unlisted.length > SHOWN_PARTS && !verbose) print(`    … ${unlisted.length} differences in all`)
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
    const asked = equal + listed + different + counts['not built']
    const cells = [asked, equal, listed, different, counts['not built']].map((count) => String(count).padStart(10))
    return `${name.padEnd(44)}${cells.join('')}${note && `  ${note}`}`
  }
  const heads = ['asked', 'equal', 'listed', 'different', 'not built'].map((head) => head.padStart(10))
  print(`\n${'operation'.padEnd(44)}${heads.join('')}`)
  for (const name of [...byOperation.keys()].sort()) {
    const counts = byOperation.get(name)!
    print(row(name, counts, counts['not built'] > 0 ? `module ${counts.module}` : ''))
  }
  print(row('total', total))
  if (byDifference.size > 0) print('\nlisted differences (witness/differences.ts):')
  for (const { id, where, why, decision } of DIFFERENCES) {
    const count = byDifference.get(id)
    if (count !== undefined)
      print(`${String(count).padStart(6)}  ${id}: ${where}: ${why}${decision ? ` (${decision})` : ''}`)
  }
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, verbose: { type: 'boolean' }, json: { type: 'boolean' } },
})
const [folder, ...others] = positionals
if (folder === undefined || others.length > 0) {
  process.stderr.write(USAGE)
  process.exit(2)
}
try {
  const { only, verbose = false, json = false } = values
  const isEqual = await run(folder, { only: only === undefined ? undefined : new RegExp(only), verbose, json })
  process.exitCode = isEqual ? 0 : 1
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 2
}
