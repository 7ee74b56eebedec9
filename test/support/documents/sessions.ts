/**
 * Sessions of a document: its blocks ```console, with commands behind `$ ` and what they print. Hidden lines of a page, `[//]: # 'WORD: TEXT'`,
 * steer how they run: `not run: REASON` and `needs: PROGRAM` are about the next block, `first: COMMAND` runs before it, and what the pattern of
 * `varies: PATTERN` matches can differ in every output of the page.
 */
import { spawnSync } from 'node:child_process'
import { lineAt } from '../prose.ts'

export interface Command {
  /** Line of the document. */
  readonly line: number
  readonly text: string
  /** Lines that the page shows; empty if it shows none. A line `…` is any number of lines, `…` within a line any text. */
  readonly printed: readonly string[]
}

export interface Session {
  readonly line: number
  readonly commands: readonly Command[]
  /** Commands that run before, which the page does not show. */
  readonly first: readonly string[]
  /** Program that must be installed. */
  readonly needs: string | undefined
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
const HIDDEN = /^ # '(?<word>not run|needs|first|varies): (?<text>[^']+)'$/

/** Reads the sessions of a Markdown document. */
export function sessionsOf(document: string): Sessions {
  const sessions: Session[] = []
  const varies: RegExp[] = []
  const mistakes: string[] = []
  let first: string[] = []
  let next: { needs?: string; notRun?: string } = {}
  for (const match of document.matchAll(BLOCK)) {
    const line = lineAt(document, match.index)
    const { language, body = '', hidden } = match.groups!
    if (hidden !== undefined) {
      const { word, text = '' } = HIDDEN.exec(hidden)?.groups ?? {}
      // Directly below a paragraph the line is text of it.
      const isSeen = match.index > 0 && !/(^|\n)(\n|\[\/\/\]:[^\n]*\n)$/.test(document.slice(0, match.index))
      if (!word || isSeen) mistakes.push(`line ${line}: readers see it, or it has no known word`)
      else if (word === 'varies') varies.push(new RegExp(text, 'g'))
      else if (word === 'first') first.push(text)
      else next = { ...next, [word === 'needs' ? 'needs' : 'notRun']: text }
    } else if (language === '') {
      mistakes.push(`line ${line}: a block needs a language: console for commands, text for the rest`)
    } else if (language === 'console' || language === 'sh') {
      sessions.push({ line, commands: commandsOf(body, line + 1), first, needs: next.needs, notRun: next.notRun })
      first = []
      next = {}
    }
  }
  return { sessions, varies, mistakes }
}

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
  return commands
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
