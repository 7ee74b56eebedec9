/** Generates `docs/reference.md`, the differences from the reference with their reasons, from the list of differences. */
import type { Difference } from './difference.ts'
import { ANSWER_SECTIONS, REPLAY_DIFFERENCES } from './differences.ts'
import { NEVER_REPRODUCED } from './never-reproduced.ts'
import { UNBUILT_MODULES } from './unbuilt.ts'

/** Returns a link to a page beside this one. */
const linkTo = (page: string, anchor = ''): string => `[${page}](${page}.md${anchor})`

const INTRODUCTION = `# Differences from the reference

Under \`--profile nibiru\` (its line v2.11) and \`--profile nibiru@2.17\` Almanac is compared with recordings of the reference
implementation. Two tools compare, and each fails if there is a difference that this page does not list
(${linkTo('witness')}):

- \`npm run replay -- FOLDER\` executes every recorded block on its recorded parent state. It compares the writes key by key,
  and the gas and results of the transactions.
- \`npm run answers -- FOLDER\` loads the recorded states and blocks, and repeats every recorded request over the gateways of
  the node. It compares status, headers and body, JSON value by JSON value.

Everything that this page does not list is equal: the app hash of every block from its changes, the keys and values that a
block writes, the gas of EVM transactions, and the answers of every operation of this build. The page is generated from the
list that the tools use (\`npm run reference\`), and a test compares the two.

Some differences of the reference from the API document are not listed here, because its users rely on them. Almanac
reproduces these as named behaviours of the profile, which are off by default (${linkTo('profiles', '#behaviours')}).
`

const cell = (text: string): string => text.replaceAll('|', '\\|')

function table(rows: readonly Difference[]): string {
  const lines = rows.map(
    ({ where, explanation, source, id }) =>
      `| ${cell(where)} | ${cell(explanation)} | ${cell(source ?? '')} | \`${id}\` |`,
  )
  return ['| Where | Difference | Source | Rule |', '|---|---|---|---|', ...lines].join('\n')
}

function neverReproduced(): string {
  const lines = NEVER_REPRODUCED.map(
    ({ where, explanation, source }) => `| ${cell(where)} | ${cell(explanation)} | ${cell(source)} |`,
  )
  return ['| Where | Difference | Source |', '|---|---|---|', ...lines].join('\n')
}

const list = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ')

/** Returns the page as Markdown. */
export function renderReference(): string {
  const answers = Object.entries(ANSWER_SECTIONS).filter(([, rows]) => rows.length > 0)
  const parts = [
    INTRODUCTION,
    '## Answers',
    ...answers.flatMap(([title, rows]) => [`### ${title}`, table(rows)]),
    '## Blocks',
    table(REPLAY_DIFFERENCES),
    '## Never reproduced',
    'No profile has these holes of the reference, which endanger a node or its users. Recordings do not show them.',
    neverReproduced(),
    '## Not executed',
    `This build does not have these modules: ${list(UNBUILT_MODULES)}. Replay takes the effects of their messages from the ` +
      'recording, and `npm run answers` counts their operations separately. The reference writes to their stores even while ' +
      'they are unused; Almanac reproduces these writes (ADR 0015).',
  ]
  return `${parts.map((part) => part.trim()).join('\n\n')}\n`
}
