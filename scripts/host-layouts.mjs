/**
 * Generates the host's views of the memory of the WebAssembly programs: `src/evm/layout.ts` from `evm/layout.ts`, and
 * `src/store/tree/layout.ts` from `trees/layout.ts`. `scripts/build-evm.mjs` runs it before every build. The results are
 * checked in: the sources of the host compile, and editors resolve their imports, in a fresh clone before anything is built,
 * and a change of a layout shows in review. `test/layouts.test.ts` fails if a layout and its view disagree.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
/** Constants that share a prefix become the fields of one object. */
export const LAYOUTS = [
  {
    source: 'evm/layout.ts',
    target: 'src/evm/layout.ts',
    about: "The layout of the interpreter's memory, and how runs end.",
    groups: [
      { prefix: 'F_', name: 'FRAME', about: 'Offsets in a frame record.' },
      { prefix: 'U_', name: 'UNPRICED', about: 'The gas after an opcode that has no price, by reason.' },
      { prefix: 'S_', name: 'STATUS', about: 'How a run ended.' },
    ],
  },
  {
    source: 'trees/layout.ts',
    target: 'src/store/tree/layout.ts',
    about: "The layout of the tree program's memory.",
    groups: [],
  },
]

const CONSTANT = /^(export )?const ([A-Z][A-Z0-9_]*): (usize|u32|u64|i32|i64) = (.+)$/

/** Returns a value in JavaScript. 64-bit numbers become `bigint`. Throws for an expression that it does not know. */
function translate(source, type, value) {
  if (type === 'i64' || type === 'u64') {
    const reason = /^i64\.MIN_VALUE \+ (\d+)$/.exec(value)
    if (reason) return `-(1n << 63n) + ${reason[1]}n`
    if (/^(0x[0-9a-f]+|\d+)$/.test(value)) return `${value}n`
  } else if (/^(0x[0-9a-f]+|\d+|[A-Z][A-Z0-9_]*( \+ \d+)?)$/.test(value)) {
    return value
  }
  throw new Error(`${source}: no translation for the value "${value}" of type ${type}`)
}

const camelCase = (name) => name.toLowerCase().replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase())

/** Returns the host's view for the text of a layout. Throws at a line that is not of its form. */
export function hostLayout({ source, about, groups }, text) {
  const body = text.replace(/^\/\*\*[\s\S]*?\*\/\n/, '')
  const fields = new Map(groups.map(({ prefix }) => [prefix, []]))
  const constants = []
  let comment = []
  for (const line of body.split('\n')) {
    if (/^(\/\*\*| \*)/.test(line)) {
      comment.push(line)
      continue
    }
    if (line === '') continue
    const match = CONSTANT.exec(line)
    if (!match) throw new Error(`${source}: expected a comment or a constant, got "${line}"`)
    const [, exported = '', name, type, value] = match
    const group = groups.find(({ prefix }) => name.startsWith(prefix))
    if (group) fields.get(group.prefix).push(`  ${camelCase(name.slice(2))}: ${translate(source, type, value)},`)
    else constants.push(...comment, `${exported}const ${name} = ${translate(source, type, value)}`)
    comment = []
  }
  const objects = groups.map(
    (group) =>
      `\n/** ${group.about} */\nexport const ${group.name} = {\n${fields.get(group.prefix).join('\n')}\n} as const\n`,
  )
  const header = `/** ${about} Generated from \`${source}\` by \`npm run build:evm\`: do not edit. */`
  return `${header}\n\n${constants.join('\n')}\n${objects.join('')}`
}

/** Writes the views that differ. */
export function writeHostLayouts() {
  for (const layout of LAYOUTS) {
    const text = hostLayout(layout, readFileSync(join(root, layout.source), 'utf8'))
    const target = join(root, layout.target)
    if (!existsSync(target) || readFileSync(target, 'utf8') !== text) writeFileSync(target, text)
  }
}
