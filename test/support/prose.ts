/** Reads the text files of the repository, and finds in them the sentences that people read. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const root = resolve(import.meta.dirname, '../..')

const ROOMS = [
  '.ci',
  'bench',
  'contracts',
  'docs',
  'evm',
  'examples',
  'proto',
  'scripts',
  'src',
  'test',
  'trees',
  'web',
  'witness',
]
const SKIPPED = ['node_modules', 'gen', 'build', 'dist']
const TEXT = /\.(tsx?|mjs|cjs|css|sol|proto|md)$/

export interface TextFile {
  /** Path below the root of the repository, with forward slashes. */
  readonly path: string
  readonly text: string
}

export interface Sentence {
  readonly line: number
  readonly text: string
}

/** Returns every source file, test, script, proto file and document, except generated ones. */
export function textFiles(): TextFile[] {
  const files: TextFile[] = []
  const add = (path: string) => files.push({ path, text: readFileSync(join(root, path), 'utf8') })
  const visit = (folder: string) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = `${folder}/${entry.name}`
      if (SKIPPED.includes(entry.name)) continue
      if (entry.isDirectory()) visit(path)
      else if (TEXT.test(entry.name)) add(path)
    }
  }
  for (const name of readdirSync(root)) if (name.endsWith('.md') || name === 'vitest.config.ts') add(name)
  for (const room of ROOMS) if (statSync(join(root, room), { throwIfNoEntry: false })) visit(room)
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

export const isDocument = ({ path }: TextFile): boolean => path.endsWith('.md')

export const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length

/** Returns the text of every block comment on one line. */
export function commentOpenings({ text }: TextFile): Sentence[] {
  return [...text.matchAll(/\/\*\*?(?![*/])([\s\S]*?)\*\//g)].map((match) => ({
    line: lineAt(text, match.index),
    text: match[1]!.replace(/\n\s*\* ?/g, ' ').trim(),
  }))
}

/** Blanks out fenced code of a document, so that line numbers stay. */
export const withoutCode = (text: string): string =>
  text.replace(/```[\s\S]*?```/g, (block) => block.replace(/[^\n]/g, ' '))

/** Returns the prose of a file by line: a document without its code; of a source, comments and texts of several words. */
export function proseOf(file: TextFile): Sentence[] {
  if (isDocument(file)) return withoutCode(file.text).split('\n').map(asSentence)
  return file.text.split('\n').map((line, i) => asSentence(proseOfLine(line), i))
}

const asSentence = (text: string, i: number): Sentence => ({ line: i + 1, text: text.trim() })

function proseOfLine(line: string): string {
  if (/^\s*(\/\/|\/?\*)/.test(line)) return line
  const texts = [...line.matchAll(/'((?:[^'\\]|\\.)* [^']*)'|"((?:[^"\\]|\\.)* [^"]*)"|`([^`]* [^`]*)`/g)]
  const comment = /\s(?:\/\/|\/\*\*?) (.*)$/.exec(line)
  return [...texts.map((match) => match[1] ?? match[2] ?? match[3]), comment?.[1] ?? ''].join(' ')
}

/** Returns the anchors of the headings of a document, as GitHub makes them. */
export function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading] of withoutCode(text).matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = heading!
      .toLowerCase()
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    let anchor = slug
    for (let n = 1; anchors.has(anchor); n++) anchor = `${slug}-${n}`
    anchors.add(anchor)
  }
  return anchors
}

/** Throws an `Error` that lists the findings by file; does nothing if there are no findings. */
export function reportFindings(findings: ReadonlyMap<string, readonly string[]>): void {
  const total = [...findings.values()].reduce((sum, { length }) => sum + length, 0)
  if (total === 0) return
  const files = [...findings].filter(([, lines]) => lines.length > 0)
  const listing = files.map(([path, lines]) => `${path} (${lines.length})\n${lines.map((l) => `  ${l}`).join('\n')}`)
  throw new Error(`${total} findings in ${files.length} files\n${listing.join('\n')}`)
}
