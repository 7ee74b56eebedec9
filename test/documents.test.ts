/**
 * The commands that the documents show, run in order against a real node; what they print is what the page shows. Pages that need
 * programs for which the gate has steps of their own are in `documents-engine.test.ts` and `documents-foundry.test.ts`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isRun, pages, pagesFor, testPage } from './support/documents/pages.ts'
import { difference, replaced, sessionsOf } from './support/documents/sessions.ts'
import { isRefusedByFetch } from './support/ports.ts'
import { root } from './support/prose.ts'

/** Blocks that cannot run here. The number only shrinks. */
const NOT_RUN = 7

test('every block has a language, and what steers the commands is not seen', () => {
  expect(pages.flatMap(({ path, mistakes }) => mistakes.map((mistake) => `${path}: ${mistake}`))).toEqual([])
})

test('every console block has commands, and those that are not run have a reason', () => {
  const blocks = pages.flatMap(({ path, sessions }) => sessions.map((session) => ({ path, session })))
  expect(blocks.filter(({ session }) => session.commands.length === 0)).toEqual([])
  const left = blocks.filter(({ session }) => !isRun(session))
  const count = (list: typeof blocks) => list.reduce((sum, { session }) => sum + session.commands.length, 0)
  console.log(
    `${count(blocks)} commands in ${blocks.length} blocks, of which ${count(left)} in ${left.length} blocks are not run:`,
  )
  for (const { path, session } of left) console.log(`  ${path}:${session.line} ${session.notRun}`)
  expect(left.length).toBeLessThanOrEqual(NOT_RUN)
})

test('a port that fetch never connects to is told from others', async () => {
  expect(await Promise.all([6000, 6001, 6665, 6670].map(isRefusedByFetch))).toEqual([true, false, true, false])
})

test('README stays short', () => {
  expect(readFileSync(join(root, 'README.md'), 'utf8').split('\n').length - 1).toBeLessThanOrEqual(150)
})

test('an output that the page does not show is found', () => {
  const varies = [/height \d+/g]
  const shown = ['begin', '…', 'height 7 of a…z']
  expect(difference(shown, 'begin\nheight 12 of a to z\n', varies)).toBeUndefined()
  expect(difference(shown, 'begin\none\ntwo\nheight 12 of az\n', varies)).toBeUndefined()
  expect(difference(shown, 'begin\nheight 12 of bz\n', varies)).toContain('no line is "height 7 of a…z"')
  expect(difference(shown, 'begin\nheight 12 of az\nmore\n', varies)).toContain('more than the page shows')
  const document =
    "[//]: # 'first: a'\n\n```console\n$ b \\\n  c\nd\n$ e\n```\ntext\n[//]: # 'varies: x'\n\n```\nf\n```\n"
  const { sessions, mistakes } = sessionsOf(document)
  expect(sessions).toMatchObject([
    {
      first: ['a'],
      commands: [
        { text: 'b \\\n  c', printed: ['d'] },
        { text: 'e', printed: [] },
      ],
    },
  ])
  expect(mistakes).toEqual([
    'line 10: readers see it, or it has no known word',
    'line 12: a block needs a language: console for commands, text for the rest',
  ])
})

test('a text of the reader is replaced, and only the command whose exit code is shown can fail', () => {
  const document = "[//]: # 'where: HOST = a = b'\n\n```console\n$ ask HOST HOST\n$ echo $?\n1\n```\n"
  const [session] = sessionsOf(document).sessions
  expect(session!.commands.map(({ showsCode }) => showsCode)).toEqual([true, false])
  expect(replaced(session!.commands[0]!.text, session!.where)).toBe('ask a = b a = b')
  expect(sessionsOf(document.replace('ask HOST HOST', 'ask')).mistakes).toEqual(['line 3: no command has "HOST"'])
})

for (const page of pagesFor()) testPage(page)
