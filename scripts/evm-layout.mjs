/**
 * Generates `src/evm/layout.ts`, the host's view of the interpreter's memory, from `evm/layout.ts`. `scripts/build-evm.mjs`
 * runs it before every build. The result is checked in: the sources of the host compile, and editors resolve their imports,
 * in a fresh clone before anything is built, and a change of the layout shows in review. `test/evm/layout.test.ts` fails if
 * the two disagree.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const source = join(root, 'evm/layout.ts')
const target = join(root, 'src/evm/layout.ts')

const HEADER =
  "/** The layout of the interpreter's memory, and how runs end. Generated from `evm/layout.ts` by `npm run build:evm`: do not edit. */\n"

/** Constants that share a prefix become the fields of one object. */
const GROUPS = [
  { prefix: 'F_', name: 'FRAME', about: 'Offsets in a frame record.' },
  { prefix: 'U_', name: 'UNPRICED', about: 'The gas after an opcode that has no price, by reason.' },
  { prefix: 'S_', name: 'STATUS', about: 'How a run ended.' },
]

const CONSTANT = /^export const ([A-Z][A-Z0-9_]*): (usize|u32|u64|i32|i64) = (.+)$/

/** Returns a value in JavaScript. 64-bit numbers become `bigint`. Throws for an expression that it does not know. */
function translate(type, value) {
  if (type === 'i64' || type === 'u64') {
    const reason = /^i64\.MIN_VALUE \+ (\d+)$/.exec(value)
    if (reason) return `-(1n << 63n) + ${reason[1]}n`
    if (/^(0x[0-9a-f]+|\d+)$/.test(value)) return `${value}n`
  } else if (/^(0x[0-9a-f]+|\d+|[A-Z][A-Z0-9_]*)$/.test(value)) {
    return value
  }
  throw new Error(`evm/layout.ts: no translation for the value "${value}" of type ${type}`)
}

const camelCase = (name) => name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase())

/** Returns the text of `src/evm/layout.ts` for the text of `evm/layout.ts`. Throws at a line that is not of its form. */
export function hostLayout(text) {
  const body = text.replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
  const fields = new Map(GROUPS.map(({ prefix }) => [prefix, []]))
  const constants = []
  let comment = []
  for (const line of body.split('\n')) {
    if (/^(\/\*\*| \*)/.test(line)) {
      comment.push(line)
      continue
    }
    if (line === '') continue
    const match = CONSTANT.exec(line)
    if (!match) throw new Error(`evm/layout.ts: expected a comment or a constant, got "${line}"`)
    const [, name, type, value] = match
    const group = GROUPS.find(({ prefix }) => name.startsWith(prefix))
    if (group) fields.get(group.prefix).push(`  ${camelCase(name.slice(2))}: ${translate(type, value)},`)
    else constants.push(...comment, `export const ${name} = ${translate(type, value)}`)
    comment = []
  }
  const groups = GROUPS.map(
    ({ prefix, name, about }) =>
      `/** ${about} */\nexport const ${name} = {\n${fields.get(prefix).join('\n')}\n} as const\n`,
  )
  return `${HEADER}\n${constants.join('\n')}\n\n${groups.join('\n')}`
}

/** Writes `src/evm/layout.ts` if it differs. */
export function writeHostLayout() {
  const text = hostLayout(readFileSync(source, 'utf8'))
  if (readFileSync(target, 'utf8') !== text) writeFileSync(target, text)
}
