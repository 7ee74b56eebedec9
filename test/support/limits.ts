/** The document of limits: settings with what happens beyond them, and constants whose comment says so after `Beyond:`. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Setting } from '../../src/node/settings/setting.ts'
import { ALL_SETTINGS } from '../../src/node/settings.ts'

const root = resolve(import.meta.dirname, '../..')
export const LIMITS_FILE = join(root, 'docs/limits.md')

/** Kinds of settings that can be limits. */
const NUMERIC: ReadonlySet<string> = new Set(['integer', 'bigint', 'memory', 'duration'])

/** Numeric settings that limit nothing. */
const NO_LIMITS: ReadonlySet<string> = new Set([
  'chain.accounts',
  'chain.validators',
  'chain.balance',
  'chain.voting_period',
  'chain.evm_chain_id',
  'chain.initial_height',
  'node.port_offset',
  'rest.port',
  'grpc.port',
  'jsonrpc.port',
  'jsonrpc.ws_port',
  'comet.port',
  'metrics.port',
  'rpc.slots_in_an_epoch',
  'api.workers',
  'compute.workers',
  'feeder.seed',
  'snapshots.interval',
  'statesync.trust_height',
  'follow.trust_height',
  'statesync.trust_period',
])

/** Returns the names of settings that are numbers, without what happens beyond them. */
export function incompleteSettings(): string[] {
  return ALL_SETTINGS.flatMap(({ setting: { section, key, kind, beyond } }) => {
    const name = `${section}.${key}`
    return NUMERIC.has(kind) && beyond === undefined && !NO_LIMITS.has(name) ? [name] : []
  })
}

/** A constant with its comment. */
interface Constant {
  readonly path: string
  readonly name: string
  readonly value: string
  readonly comment: string
}

const CONSTANT = /(?:^\/\*\*((?:(?!\*\/)[\s\S])*?)\*\/\n)?^(?:export )?const ([A-Z][A-Z0-9_]*)(?:: [\w<>]+)? = (.+)$/gm

const sources = (): string[] =>
  readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `src/${path}`)

function* constants(): Generator<Constant> {
  for (const path of sources().sort()) {
    if (path.endsWith('.test.ts') || path.startsWith('src/gen/')) continue
    for (const match of readFileSync(join(root, path), 'utf8').matchAll(CONSTANT)) {
      const [, comment = '', name, value] = match as unknown as [string, string | undefined, string, string]
      yield { path, name, value, comment: comment.replaceAll(/\s*\n\s*\*\s*/g, ' ').trim() }
    }
  }
}

/** Names of constants of the gateways that sound like limits of clients. */
const SOUNDS_LIKE_LIMIT = /^(MAX|MOST)_|_(LIMIT|TIMEOUT)(_|$)/
const GATEWAYS = /^src\/api\//

/** Constants of the gateways that sound like limits and that no client meets: sizes of caches, and steps inside of an answer. */
const INTERNAL: ReadonlySet<string> = new Set([
  'MAX_ANY_DEPTH',
  'MAX_CHECKSUMMED',
  'MAX_DETAILS_BYTES',
  'MAX_DIGITS',
  'MAX_ENTRIES',
  'MAX_KEY_LENGTH',
  'MAX_LENGTH',
  'MAX_MESSAGE_BYTES',
  'MAX_MILLISECONDS',
  'MAX_RESULT_LENGTH',
  'MAX_WAIT_MS',
  'MAX_WHOLE_BYTES',
  'MAX_WORD',
  'DEFAULT_LIMIT',
  'MOST_AGE_NS',
  'MOST_TRIES',
  'NO_GAS_LIMIT',
  'NO_LIMIT',
])

/** Returns the constants of the gateways that sound like limits of clients, and whose comment says nothing about it. */
export function incompleteConstants(): string[] {
  return [...constants()].flatMap(({ path, name, value, comment }) => {
    const isLimit = GATEWAYS.test(path) && SOUNDS_LIKE_LIMIT.test(name) && /^[\d(]/.test(value)
    return isLimit && !/\bBeyond: /.test(comment) && !INTERNAL.has(name) ? [`${path}: ${name}`] : []
  })
}

/** Returns the product of an expression such as `10 * 1024 * 1024`. Throws for any other expression. */
function amountOf({ path, name, value }: Constant): number {
  const product = value.split(' * ').reduce((before, factor) => {
    const [base, exponent] = factor.split(/ \*\* | << /)
    const number = Number(base!.replace(/n$/, '').replaceAll('_', ''))
    if (exponent === undefined) return before * number
    return before * (factor.includes('<<') ? number * 2 ** Number(exponent) : number ** Number(exponent))
  }, 1)
  if (!Number.isFinite(product)) throw new Error(`${path}: ${name} = ${value} is not a product of numbers`)
  return product
}

const grouped = (number: number | bigint): string => String(number).replaceAll(/\B(?=(\d{3})+$)/g, ',')

function formatBytes(bytes: number): string {
  for (const [unit, size] of [
    ['GiB', 2 ** 30],
    ['MiB', 2 ** 20],
    ['GB', 1e9],
    ['MB', 1e6],
    ['KiB', 2 ** 10],
    ['kB', 1e3],
  ] as const) {
    if (bytes >= size && bytes % size === 0) return `${grouped(bytes / size)} ${unit}`
  }
  return `${grouped(bytes)} bytes`
}

function formatTime(ms: number): string {
  for (const [unit, size] of [
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ] as const) {
    if (ms >= size && ms % size === 0) return `${ms / size} ${unit}`
  }
  return `${ms} ms`
}

function formatConstant(constant: Constant, unit: string | undefined): string {
  const value = amountOf(constant)
  if (/_MS$/.test(constant.name)) return formatTime(value)
  if (/_BYTES$/.test(constant.name)) return formatBytes(value)
  return unit === undefined ? grouped(value) : `${grouped(value)} ${unit}`
}

function formatDefault({ key, kind, fallback }: Setting): string {
  if (typeof fallback === 'string') return fallback
  const number = fallback as number | bigint
  if (number === 0n || number === 0) return '0'
  return kind === 'integer' && key === 'body_limit' ? formatBytes(Number(number)) : grouped(number)
}

/** Returns the first sentence of a text, without its full stop. */
const sentence = (text: string): string => text.replace(/\.(?: [\s\S]*)?$/, '')

/** Returns the rows of the constants by the folder of their file. */
function constantRows(): string[] {
  return [...constants()].flatMap((constant) => {
    const [limit, beyond] = constant.comment.split(/ ?\bBeyond: /)
    if (beyond === undefined) return []
    const unit = /\bUnit: ([^.]*)\./.exec(constant.comment)?.[1]
    const about = sentence(limit!.replace(/ ?\bUnit: [^.]*\./, ''))
    const then = sentence(beyond.replace(/ ?\bUnit: [^.]*\./, ''))
    const value = formatConstant(constant, /_MS$/.test(constant.name) ? undefined : unit)
    return [`| ${about} | ${value} | ${then} | \`${constant.path}\` |`]
  })
}

/** Returns the text of `docs/limits.md`. */
export function renderLimits(): string {
  const settings = ALL_SETTINGS.flatMap(({ setting }) => {
    const { section, key, about, beyond } = setting
    if (beyond === undefined) return []
    return [`| \`${section}.${key}\` | ${formatDefault(setting)} | ${sentence(about)} | ${beyond} |`]
  })
  return `# Limits

A node limits everything that a client can make it keep, compute or send. \`npm run limits\` writes this page from the settings
and from the comments of constants. Codes are those of HTTP and gRPC, or of JSON-RPC if they are negative.

## Settings

\`docs/operating.md\` describes how to change them.

| Setting | Default | Limit | Beyond |
|---|---|---|---|
${settings.join('\n')}

## Fixed limits

| Limit | Value | Beyond | Defined in |
|---|---|---|---|
${constantRows().join('\n')}
`
}

if (process.argv[1] === import.meta.filename) writeFileSync(LIMITS_FILE, renderLimits())
