/** The table of published findings: every row has a verdict, and tests that exist. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const PAGE = 'docs/security-findings.md'
const VERDICTS = ['held', 'fixed', 'not ours']

interface Row {
  readonly line: number
  readonly id: string
  readonly link: string | undefined
  readonly flaw: string
  readonly verdict: string
  readonly tests: readonly { readonly path: string; readonly name: string }[]
  /** Text of the last column without its tests. */
  readonly reason: string
}

const read = (path: string): string => readFileSync(join(root, path), 'utf8')

/** Returns the rows of every table that begins with the column `Finding`. */
function rowsOf(page: string): Row[] {
  const rows: Row[] = []
  let isTable = false
  for (const [index, text] of page.split('\n').entries()) {
    if (!text.startsWith('|')) isTable = false
    else if (text.startsWith('| Finding |')) isTable = true
    else if (isTable && !text.startsWith('|---')) rows.push(rowOf(text, index + 1))
  }
  return rows
}

function rowOf(text: string, line: number): Row {
  const cells = text.split('|').slice(1, -1)
  if (cells.length !== 4) throw new Error(`${PAGE}:${line} has ${cells.length} cells, not 4`)
  const [finding, flaw, verdict, shown] = cells.map((cell) => cell.trim()) as [string, string, string, string]
  const [, id = finding, link] = /^\[([^\]]+)\]\(([^)]+)\)$/.exec(finding) ?? []
  const named = /`([\w./-]+\.test\.ts)` › (.+?)(?=<br>|$)/g
  const tests = [...shown.matchAll(named)].map(([, path, name]) => ({ path: path!, name: name!.trim() }))
  return { line, id, link, flaw, verdict, tests, reason: shown.replace(named, '').replaceAll('<br>', '').trim() }
}

/** Returns the names of the tests or groups in a file, with the placeholders of `each`, without those that are skipped. */
function namesIn(path: string, callee: 'test' | 'describe' = 'test'): ReadonlySet<string> {
  const each = String.raw`(?:\.(?:each|runIf|skipIf)(?:<[^\n]*>)?\((?:[^()]|\([^()]*\))*\))?`
  // The end of a table over several lines, which belongs to `each`.
  const table = String.raw`\n *\](?: as const)?,?\s*\)`
  const call = new RegExp(String.raw`(?:\b${callee}${each}|${table})\(\s*(['"\`])((?:\\.|(?!\1)[^\\])+)\1\s*,`, 'g')
  return new Set([...read(path).matchAll(call)].map(([, , name]) => name!.replace(/\\(.)/g, '$1')))
}

/** Whether a file has a test under a name; the names of groups around it come before ` > `. */
function hasTest(path: string, name: string): boolean {
  const groups = name.split(' > ')
  const own = groups.pop()!
  return namesIn(path).has(own) && groups.every((group) => namesIn(path, 'describe').has(group))
}

const rows = rowsOf(read(PAGE))

test('the page lists findings, each once, with a public link and one sentence', () => {
  expect(rows.length).toBeGreaterThan(100)
  const ids = rows.map(({ id }) => id)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  const wrong = rows.filter(({ id, link, flaw }) => {
    const isOwn = /^(Audit|Attack) 2026 /.test(id)
    return (isOwn ? link !== undefined : !link?.startsWith('https://')) || !/^[A-Z].*\.$/.test(flaw)
  })
  expect(wrong.map(({ line, id }) => `${PAGE}:${line} ${id}`)).toEqual([])
})

test('every finding has a verdict with its tests, or the reason why it is not ours', () => {
  const wrong = rows.filter(({ verdict, tests, reason }) => {
    if (!VERDICTS.includes(verdict)) return true
    if (verdict === 'not ours') return !/\.$/.test(reason)
    return tests.length === 0 || (verdict === 'fixed' && !/\.$/.test(reason))
  })
  expect(wrong.map(({ line, id, verdict }) => `${PAGE}:${line} ${id}: ${verdict}`)).toEqual([])
})

test('every test that the page names exists and runs', () => {
  const missing = rows.flatMap(({ line, tests }) =>
    tests.flatMap(({ path, name }) => {
      if (!existsSync(join(root, path))) return [`${PAGE}:${line} ${path} does not exist`]
      return hasTest(path, name) ? [] : [`${PAGE}:${line} ${path} has no test "${name}"`]
    }),
  )
  expect(missing).toEqual([])
})

test('a name that only looks like a test is not found', () => {
  const own = namesIn('test/security-findings.test.ts')
  expect(own.has('every test that the page names exists and runs')).toBe(true)
  expect(own.has('not a test')).toBe(false)
  expect(namesIn('test/findings/admission.test.ts').has('the message %s is unknown, alone and in an execution')).toBe(
    true,
  )
  expect(namesIn('src/modules/staking/evasion.test.ts').size).toBe(3)
  expect(hasTest('src/modules/staking/staking.test.ts', 'the set > never loses its last validator')).toBe(true)
  expect(hasTest('src/modules/staking/staking.test.ts', 'no set > never loses its last validator')).toBe(false)
})
