/**
 * Sessions of a document: its blocks ```console, with commands behind `$ ` and what they print. Hidden lines of a page, `[//]: # 'WORD: TEXT'`,
 * steer how they run: `not run: REASON` and `needs: PROGRAM` are about the next block, `first: COMMAND` runs before it, and what the pattern of
 * `varies: PATTERN` matches can differ in every output of the page. With `where: TEXT = OTHER`, a text of the next block that a reader replaces,
 * such as the address of another machine, is another one in its commands and in those of `first`. A command before `echo $?` can fail.
 */
import { spawnSync } from 'node:child_process'
import { lineAt } from '../prose.ts'

export interface Command {
  /** Line of the document. */
  readonly line: number
  readonly text: string
  /** Lines that the page shows; empty if it shows none. A line `…` is any number of lines, `…` within a line any text. */
  readonly printed: readonly string[]
  /** Whether it can fail: the page shows its exit code next. */
  readonly showsCode: boolean
}

/** A text of a command, and what stands for it where the command runs. */
export type Replacement = readonly [text: string, other: string]

export interface Session {
  readonly line: number
  readonly commands: readonly Command[]
  /** Commands that run before, which the page does not show. */
  readonly first: readonly string[]
  /** Programs that must be installed. */
  readonly needs: readonly string[]
  readonly where: readonly Replacement[]
  /** Reason why the commands are not run. */
  readonly notRun: string | undefined
}

export interface Sessions {
  readonly sessions: readonly Session[]
  readonly varies: readonly RegExp[]
  /** Blocks without a language and hidden lines that readers would see, as `line N: …`. */
  readonly mistakes: readonly string[]
}

const BLOCK = /^(?<fence>`{3,})(?<language>[^\n]*)\n(?<body>[\s\S]*?)^\k<fence>$|^\[\/\/\]:(?<hidden>.*)$/gm
const HIDDEN = /^ # '(?<word>not run|needs|first|where|varies): (?<text>[^']+)'$/

/** Reads the sessions of a Markdown document. */
export function sessionsOf(document: string): Sessions {
  const sessions: Session[] = []
  const varies: RegExp[] = []
  const mistakes: string[] = []
  let next = nothing()
  for (const match of document.matchAll(BLOCK)) {
    const line = lineAt(document, match.index)
    const { language, body = '', hidden } = match.groups!
    if (hidden !== undefined) {
      const { word, text = '' } = HIDDEN.exec(hidden)?.groups ?? {}
      // Directly below a paragraph the line is text of it.
      const isSeen = match.index > 0 && !/(^|\n)(\n|\[\/\/\]:[^\n]*\n)$/.test(document.slice(0, match.index))
      if (!word || isSeen) mistakes.push(`line ${line}: readers see it, or it has no known word`)
      else if (word === 'varies') varies.push(new RegExp(text, 'g'))
      else if (word === 'first') next.first.push(text)
      else if (word === 'needs') next.needs.push(text)
      else if (word === 'not run') next.notRun = text
      else if (!text.includes(' = ')) mistakes.push(`line ${line}: where: needs TEXT = OTHER`)
      else next.where.push([text.slice(0, text.indexOf(' = ')), text.slice(text.indexOf(' = ') + 3)])
    } else if (language === '') {
      mistakes.push(`line ${line}: a block needs a language: console for commands, text for the rest`)
    } else if (language === 'console' || language === 'sh') {
      const commands = commandsOf(body, line + 1)
      // A text that no command has would replace nothing.
      const texts = [...next.first, ...commands.map((command) => command.text)]
      for (const [text] of next.where) {
        if (!texts.some((one) => one.includes(text))) mistakes.push(`line ${line}: no command has "${text}"`)
      }
      sessions.push({ line, commands, ...next })
      next = nothing()
    }
  }
  return { sessions, varies, mistakes }
}

/** Returns what steers a block without hidden lines. */
const nothing = () => ({
  first: [] as string[],
  needs: [] as string[],
  where: [] as Replacement[],
  notRun: undefined as string | undefined,
})

/** Returns a command as it runs. */
export const replaced = (text: string, where: readonly Replacement[]): string =>
  where.reduce((rest, [one, other]) => rest.replaceAll(one, () => other), text)

/** Splits a block into commands, which go on until the shell can read them, and their output. `#` is the prompt of root. */
function commandsOf(body: string, begin: number): readonly Command[] {
  const commands: { line: number; text: string; printed: string[] }[] = []
  let isOpen = false
  for (const [i, line] of body.replace(/\n$/, '').split('\n').entries()) {
    const last = commands.at(-1)
    if (isOpen) last!.text += `\n${line}`
    else if (/^[$#] /.test(line)) commands.push({ line: begin + i, text: line.slice(2), printed: [] })
    else last?.printed.push(line)
    if (isOpen || /^[$#] /.test(line)) isOpen = !isWhole(commands.at(-1)!.text)
  }
  return commands.map((command, i) => ({ ...command, showsCode: commands[i + 1]?.text === 'echo $?' }))
}

function isWhole(command: string): boolean {
  return !command.endsWith('\\') && spawnSync('bash', ['-n'], { input: `${command}\n` }).status === 0
}

/** Returns the first line that differs from what the page shows; undefined if none does. */
export function difference(printed: readonly string[], output: string, varies: readonly RegExp[]): string | undefined {
  const plain = (text: string) => varies.reduce((rest, pattern) => rest.replace(pattern, '\u0000'), text).trimEnd()
  const lines = output.replace(/\n+$/, '').split('\n').map(plain)
  const isAny = (line: string) => line.trim() === '…' || line.trim() === '...'
  const patterns = printed.map((line) =>
    isAny(line) ? '(?:.*\n)*' : `${plain(line).split('…').map(escaped).join('.*')}\n`,
  )
  const text = `${lines.join('\n')}\n`
  const matches = (count: number, end: string) => new RegExp(`^${patterns.slice(0, count).join('')}${end}`).test(text)
  if (matches(patterns.length, '$')) return undefined
  const wrong = patterns.findIndex((_, i) => !matches(i + 1, ''))
  return wrong < 0
    ? `more than the page shows: ${output}`
    : `no line is ${JSON.stringify(printed[wrong])} in: ${output}`
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
