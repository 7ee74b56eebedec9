/** The table of `docs/cli.md`, held by the help of each command that it names. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { runCommand } from '../src/cli/commands.ts'

const page = readFileSync(join(resolve(import.meta.dirname, '..'), 'docs/cli.md'), 'utf8')

interface Row {
  readonly family: string
  readonly here: string
  /** Words of the command, without its arguments, which are in capitals. */
  readonly words: readonly string[]
  readonly note: string
}

const rows: readonly Row[] = [...page.matchAll(/^\| `([^`]+)` \| (\w+) \| (?:`([^`]+)`)? *\| (.*) \|$/gm)].map(
  ([, family, here, command = '', note]) => ({
    family: family!,
    here: here!,
    words: command.split(' ').filter((word) => word !== '' && !/^[A-Z0-9]+$/.test(word)),
    note: note!.trim(),
  }),
)

afterEach(() => vi.restoreAllMocks())

/** Returns the exit code of a command's help, and the words of its usage line. An alias follows a name after a bar. */
async function helpOf(words: readonly string[]): Promise<{ readonly code: number; readonly usage: readonly string[] }> {
  const printed: string[] = []
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
  const code = await runCommand([...words, '--help'])
  vi.restoreAllMocks()
  const usage = /^Usage: almanac (.*)$/m.exec(printed.join(''))?.[1] ?? ''
  return { code, usage: usage.split(' ').map((word) => word.split('|')[0]!) }
}

test('the page counts its rows', () => {
  const count = (here: string) => rows.filter((row) => row.here === here).length
  expect(rows.length).toBe(page.match(/^\| `/gm)?.length)
  expect(page).toContain(
    `${count('works')} work, ${count('differs')} differ in a detail that the table names, ${count('refused')} are refused.`,
  )
  expect(new Set(rows.map(({ family }) => family)).size).toBe(rows.length)
})

test('each command of the table exists, and its help is that of the command', async () => {
  const wrong: string[] = []
  for (const { family, here, words, note } of rows) {
    if (here === 'refused') {
      if (note === '' || words.length > 0) wrong.push(`${family}: refused without a reason`)
      continue
    }
    if (here === 'differs' && note === '') wrong.push(`${family}: differs without saying how`)
    const { code, usage } = await helpOf(words)
    if (code !== 0 || words.some((word, i) => usage[i] !== word)) wrong.push(`${words.join(' ')}: ${usage.join(' ')}`)
  }
  expect(wrong).toEqual([])
})

test('an alias that a note names leads to the same command', async () => {
  const wrong: string[] = []
  for (const { words, note } of rows) {
    const alias = /^also `([\w-]+)`$/.exec(note)?.[1]
    if (alias === undefined) continue
    const { code, usage } = await helpOf([...words.slice(0, -1), alias])
    if (code !== 0 || words.some((word, i) => usage[i] !== word)) wrong.push(`${alias}: ${usage.join(' ')}`)
  }
  expect(wrong).toEqual([])
})
