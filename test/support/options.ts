/** The document of all options: each setting as an option of `startNode`, with its flag, type, default and meaning. */
import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Setting } from '../../src/node/settings/setting.ts'
import { ALL_SETTINGS } from '../../src/node/settings.ts'

export const OPTIONS_FILE = join(resolve(import.meta.dirname, '../..'), 'docs/options.md')

/** A value of each kind, as a program writes it, and the name of its type on the page. */
export const KINDS: Readonly<Record<Setting['kind'], { readonly type: string; readonly example: unknown }>> = {
  text: { type: 'text', example: 'a text' },
  integer: { type: 'number', example: 1 },
  bigint: { type: 'bigint', example: 1n },
  boolean: { type: 'boolean', example: false },
  list: { type: 'list of texts', example: ['a'] },
  origins: { type: 'list of texts', example: ['https://app.example'] },
  heights: { type: 'list of texts', example: ['100', '200'] },
  blockTime: { type: 'text', example: '500ms' },
  duration: { type: 'text, a duration', example: '2s' },
  memory: { type: 'text, a size', example: '64MB' },
  gasPrices: { type: 'text, prices', example: '0.025unative' },
  logLevels: { type: 'text, levels', example: 'warn,api=debug' },
}

/** Defaults that depend on the machine, and those that differ in a program. */
const DEFAULTS: Readonly<Record<string, string>> = {
  'api.workers': '0; on the command line 1, or 0 with one processor',
  'compute.workers': '0; on the command line 1',
  'feeder.enabled': '`false`; on the command line `true`',
}
const FREE_PORT = /^(port|ws_port)$/

/** Settings of the command line alone. */
const COMMAND_LINE: Readonly<Record<string, string>> = {
  'node.silent': 'of `almanac start` alone',
  'node.config_out': 'of `almanac start` alone',
}

function defaultOf({ section, key, fallback }: Setting): string {
  const given = DEFAULTS[`${section}.${key}`]
  if (given !== undefined) return given
  if (FREE_PORT.test(key)) return `a free port; on the command line ${fallback}`
  if (Array.isArray(fallback)) return fallback.length === 0 ? 'empty' : fallback.map((item) => `\`${item}\``).join(', ')
  if (fallback === '') return 'empty'
  return `\`${String(fallback)}${typeof fallback === 'bigint' ? 'n' : ''}\``
}

function typeOf({ kind, oneOf, min, max }: Setting): string {
  if (oneOf) return oneOf.map((one) => `\`${one}\``).join(', ')
  const { type } = KINDS[kind]
  const isCounted = kind === 'integer' || kind === 'bigint'
  return isCounted && min !== undefined && max !== undefined ? `${type}, ${min} to ${max}` : type
}

function rowOf(name: string, setting: Setting): string {
  const { section, key, flag, about, genesis } = setting
  const notes = [COMMAND_LINE[`${section}.${key}`], genesis && 'fixed at the first start of a home'].filter(Boolean)
  const meaning = `${about.replace(/\.$/, '')}${notes.map((note) => `; ${note}`).join('')}`
  return `| \`${name}\` | \`--${flag}\` | ${typeOf(setting)} | ${defaultOf(setting)} | ${meaning.replaceAll('|', '\\|')} |`
}

/** Returns the text of `docs/options.md`. */
export function renderOptions(): string {
  const sections = [...new Set(ALL_SETTINGS.map(({ setting }) => setting.section))].map((section) => {
    const rows = ALL_SETTINGS.filter(({ setting }) => setting.section === section)
    return `## ${section}

| Option | Flag | Type | Default | Meaning |
|---|---|---|---|---|
${rows.map(({ name, setting }) => rowOf(name, setting)).join('\n')}
`
  })
  return `# Options

Every setting of a node, as an option of \`startNode\` and \`testNode\` by section (\`docs/library.md\`):

\`\`\`ts
await startNode({ chain: { accounts: 3 }, blocks: { time: 'manual' }, evm: { gasCap: 30_000_000n, timeout: '2s' } })
\`\`\`

On the command line the same setting is a flag, a key of \`config.toml\` in snake case (\`[evm] gas_cap\`; \`upgrade.skip\` is
\`unsafe_skip_upgrades\`), and a variable of the environment (\`ALMANAC_EVM_GAS_CAP\`); \`docs/operating.md\` says which of them wins. \`npm run limits\` writes this page from
the settings. Two more options belong to no section: \`home\`, the folder of a chain that stays on disk, whose \`config.toml\` applies
too, and \`ports\`, which with \`false\` opens no port.

A duration is a text such as \`5s\` or \`500ms\`, a size one such as \`256MB\`. A value out of range, or an unknown option, rejects with an
error that names it.

${sections.join('\n')}`
}

if (process.argv[1] === import.meta.filename) writeFileSync(OPTIONS_FILE, renderOptions())
