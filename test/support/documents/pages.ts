/** The pages with commands, and the test of each. */
import { test } from 'vitest'
import { ENGINE } from '../../network/processes.ts'
import { findProgram } from '../programs.ts'
import { isDocument, textFiles } from '../prose.ts'
import { type Session, type Sessions, sessionsOf } from './sessions.ts'
import { openShell } from './shell.ts'

export interface Page extends Sessions {
  readonly path: string
}

export const pages: readonly Page[] = textFiles()
  .filter(isDocument)
  .filter(({ path }) => path === 'README.md' || path.startsWith('docs/'))
  .map(({ path, text }) => ({ path, ...sessionsOf(text) }))

export const isRun = ({ notRun }: Session): boolean => notRun === undefined

/** Programs for which the gate has steps of their own. */
const APART = ['cometbft', 'forge'] as const

/** Returns the pages that need a program of `APART`; without one, the pages that need none. */
export const pagesFor = (program?: (typeof APART)[number]): readonly Page[] =>
  pages.filter(({ sessions }) => {
    const needed = APART.filter((one) => sessions.some(({ needs }) => needs.includes(one)))
    return sessions.some(isRun) && (program === undefined ? needed.length === 0 : needed.includes(program))
  })

const isInstalled = (program: string, subject: string): boolean =>
  (program === 'cometbft' && ENGINE !== undefined) || findProgram([program], subject) !== undefined

/** Limit of a page that hangs. Its commands have limits of their own. */
const LONGEST_PAGE_MS = 900_000

/** Declares the test of a page. */
export function testPage({ path, sessions, varies }: Page): void {
  test.concurrent(`the commands of ${path} print what it shows`, { timeout: LONGEST_PAGE_MS }, async () => {
    await using shell = await openShell()
    const results: (string | undefined)[] = []
    for (const { first, commands, needs, where, line } of sessions.filter(isRun)) {
      if (!needs.every((program) => isInstalled(program, `${path}, line ${line}`))) continue
      for (const text of first) {
        results.push(await shell.run({ text, printed: [], line, showsCode: false }, { where, varies: [] }))
      }
      for (const command of commands) results.push(await shell.run(command, { where, varies }))
    }
    const wrong = results.filter((result) => result !== undefined)
    if (wrong.length > 0) throw new Error(`${path}\n${wrong.join('\n')}`)
  })
}
