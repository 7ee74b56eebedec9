/** The table of `docs/dev.md`: each flag of anvil, and what `almanac dev` makes of it. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DEV_FLAGS, type DevFlag } from '../../src/cli/dev/flags.ts'

export const DEV_FILE = join(resolve(import.meta.dirname, '../..'), 'docs/dev.md')

const BEGIN = '<!-- flags: npm run limits -->\n'
const END = '<!-- end of flags -->'

const namesOf = ({ flag, short, value, aliases = [] }: DevFlag): string => {
  const names = [`--${flag}`, ...aliases.map((alias) => `--${alias}`), ...(short === undefined ? [] : [`-${short}`])]
  const [first, ...others] = names.map((name) => `\`${name}\``)
  const takes = value === undefined ? '' : ` \`${value.replaceAll('|', '\\|')}\``
  return `${first}${takes}${others.length > 0 ? `, ${others.join(', ')}` : ''}`
}

function rowOf(flag: DevFlag): string {
  const { about, differs, refused } = flag
  if (refused !== undefined) return `| ${namesOf(flag)} | refused | ${about} ${refused}. |`
  return `| ${namesOf(flag)} | ${differs === undefined ? 'works' : 'differs'} | ${about}${differs === undefined ? '' : ` ${differs}.`} |`
}

const sentence = (text: string): string => text.replace(/(?<=\. )[a-z]/g, (letter) => letter.toUpperCase())

/** Returns the rows of the table. */
export function renderDevFlags(): string {
  return ['| Flag | Here | Meaning |', '|---|---|---|', ...DEV_FLAGS.map((flag) => sentence(rowOf(flag)))].join('\n')
}

/** Returns the text of the document with the table of the flags. */
export function renderDevDocument(text: string): string {
  const [start, end] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)]
  return `${text.slice(0, start)}\n${renderDevFlags()}\n\n${text.slice(end)}`
}

if (process.argv[1] === import.meta.filename) {
  writeFileSync(DEV_FILE, renderDevDocument(readFileSync(DEV_FILE, 'utf8')))
}
