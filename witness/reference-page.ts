/** `docs/reference.md`: where we are equal to the reference, where we are not, and why. Made from the lists alone. */
import type { Difference } from './difference.ts'
import { ANSWER_SECTIONS, REPLAY_DIFFERENCES } from './differences.ts'
import { UNBUILT_MODULES } from './unbuilt.ts'

const INTRODUCTION = `# Beside the reference

Under \`--profile nibiru\` (its line v2.11) and \`--profile nibiru@2.17\` Almanac is held against recordings of the reference
implementation. Two tools do it, and each ends with an error when anything differs that is not named on this page:

- \`npm run replay -- FOLDER\` executes every recorded block on its recorded parent and compares what it writes, key by key,
  and the gas and results of its transactions.
- \`npm run answers -- FOLDER\` loads the recorded states and blocks, asks every recorded question over the gateways of the
  node, and compares status, headers and body, JSON value by JSON value. It prints counts by operation and every difference;
  \`--only PATTERN\` asks less, \`--verbose\` shows whole values and listed differences, \`--json\` an object a line.

**Equal** is whatever is not named here: the app hash of every block from its changes, the keys and values that a block
writes, the gas of EVM transactions, and the answers of every operation that is built. This page is made from the list that
the tools obey (\`npm run reference\`); a test holds the two together.

What the reference does differently from the API document and that its users may rely on is not listed here but reproduced:
a named behaviour of the profile, off by default (\`docs/profiles.md\`).
`

const cell = (text: string): string => text.replaceAll('|', '\\|')

function table(rows: readonly Difference[]): string {
  const lines = rows.map(
    ({ where, why, decision, id }) => `| ${cell(where)} | ${cell(why)} | ${cell(decision ?? '')} | \`${id}\` |`,
  )
  return ['| Where | What is different, and why | Settled by | Rule |', '|---|---|---|---|', ...lines].join('\n')
}

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** The whole page. */
export function renderReference(): string {
  const answers = Object.entries(ANSWER_SECTIONS).filter(([, rows]) => rows.length > 0)
  const parts = [
    INTRODUCTION,
    '## Answers',
    ...answers.flatMap(([title, rows]) => [`### ${title}`, table(rows)]),
    '## Blocks',
    table(REPLAY_DIFFERENCES),
    '## Not executed',
    `Messages of these modules are taken from the recording, and questions of them are counted apart: ${list(UNBUILT_MODULES)}. ` +
      'What the reference writes in their stores while nobody uses them is written here as well (ADR 0015).',
  ]
  return `${parts.map((part) => part.trim()).join('\n\n')}\n`
}
