/** `docs/compatibility.md`: every method, command and flag of the programs of this field, tried on a running node. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type Answer, type Chain, openChain } from './chain.ts'
import { DIFFERENCES, EXPECTED_ERRORS, REASONS } from './differences.ts'
import { renderFlags } from './flags.ts'
import { ALONE, cometParamsOf, paramsOf } from './params.ts'

export const COMPATIBILITY_FILE = resolve(import.meta.dirname, '../../../docs/compatibility.md')

const LISTS = join(import.meta.dirname, 'methods')
/** Names of the programs by their files, in the order of the columns. */
const PROGRAMS: readonly (readonly [file: string, name: string])[] = [
  ['anvil', 'anvil 1.7'],
  ['hardhat-2', 'Hardhat 2.29'],
  ['hardhat-3', 'Hardhat 3.18'],
  ['geth', 'geth'],
  ['cosmos-evm', 'cosmos/evm'],
]
const COMET = 'cometbft'

/** Returns the methods of a program. */
function listOf(file: string): readonly string[] {
  return readFileSync(join(LISTS, `${file}.txt`), 'utf8')
    .trim()
    .split('\n')
}

/** Returns the names of the lists that no column shows. */
export function unusedLists(): string[] {
  const used = new Set([...PROGRAMS.map(([file]) => `${file}.txt`), `${COMET}.txt`])
  return readdirSync(LISTS).filter((name) => !used.has(name))
}

interface Verdict {
  readonly kind: 'works' | 'differs' | 'refused'
  readonly why?: string
}

/** Code of a method that the node does not have. Its text has no reason. */
const METHOD_NOT_FOUND = -32601

/** Replaces what is not the same in each run. */
function stable(text: string): string {
  return text
    .replace(/0x[0-9a-f]{40,}/gi, '0x…')
    .replace(/\d{1,5}\.\d\.\d\.\d:\d+|127\.0\.0\.1:\d+/g, '127.0.0.1')
    .replaceAll('|', '\\|')
    .replaceAll('\n', ' ')
}

function verdictOf(method: string, answer: Answer): Verdict {
  if ('error' in answer) {
    const { code, message, data } = answer.error
    // CometBFT puts the reason into `data`.
    const text = stable(typeof data === 'string' && !data.startsWith('0x') ? data : message)
    if (EXPECTED_ERRORS[method] === text) return { kind: 'works' }
    const reason = code === METHOD_NOT_FOUND ? REASONS.find(([pattern]) => pattern.test(method))?.[1] : undefined
    return { kind: 'refused', why: reason ?? text }
  }
  const why = DIFFERENCES[method]
  return why === undefined ? { kind: 'works' } : { kind: 'differs', why }
}

/** Calls every method. Methods that change what others rely on get chains of their own. */
async function verdicts(methods: readonly string[]): Promise<ReadonlyMap<string, Verdict>> {
  const found = new Map<string, Verdict>()
  const ask = async (method: string, chain: Chain): Promise<void> => {
    found.set(method, verdictOf(method, await chain.rpc(method, await paramsOf(method, chain))))
  }
  const shared = await openChain()
  for (const method of methods) if (!ALONE.test(method)) await ask(method, shared)
  await shared.close()
  for (const method of methods) {
    if (!ALONE.test(method)) continue
    const own = await openChain()
    await ask(method, own)
    await own.close()
  }
  return found
}

async function cometVerdicts(): Promise<ReadonlyMap<string, Verdict>> {
  const chain = await openChain()
  const found = new Map<string, Verdict>()
  const { facts } = chain
  for (const method of listOf(COMET)) {
    if (method === 'unsubscribe_all') await chain.comet('subscribe', { query: "tm.event='Tx'" })
    const params = cometParamsOf(method, facts)
    found.set(method, verdictOf(method, await chain.comet(method, params)))
  }
  await chain.close()
  return found
}

const cell = ({ kind, why }: Verdict): string => (why === undefined ? kind : `${kind}: ${why}`)

function count(methods: readonly string[], of: ReadonlyMap<string, Verdict>): string {
  const number = (kind: Verdict['kind']) => methods.filter((method) => of.get(method)!.kind === kind).length
  return `${methods.length} | ${number('works')} | ${number('differs')} | ${number('refused')}`
}

/** Returns the page. Takes about half a minute, since it starts a node for each method that changes a chain. */
export async function renderCompatibility(): Promise<string> {
  const lists = PROGRAMS.map(([file]) => new Set(listOf(file)))
  const methods = [...new Set(lists.flatMap((list) => [...list]))].sort((a, b) => (a < b ? -1 : 1))
  const [ethereum, comet] = [await verdicts(methods), await cometVerdicts()]
  const rows = methods.map((method) => {
    const marks = lists.map((list) => (list.has(method) ? '•' : ''))
    return `| \`${method}\` | ${marks.join(' | ')} | ${cell(ethereum.get(method)!)} |`
  })
  const names = PROGRAMS.map(([, name]) => name)
  return `# Compatibility

<!-- npm run compatibility writes this page; a test compares it with the answers of a node. -->

Every method of the programs that users know, called on a development chain of this node with parameters that it can answer,
and their [commands and flags](#commands-and-flags).
*Works*: it answers with a result. *Differs*: it does, with a difference in meaning. *Refused*: the error of the
node, or the reason for which it does not have the method.

| Program | Methods | Work | Differ | Refused |
|---|---|---|---|---|
${PROGRAMS.map(([file, name]) => `| ${name} | ${count(listOf(file), ethereum)} |`).join('\n')}
| CometBFT 0.37 to 0.38 | ${count(listOf(COMET), comet)} |

## JSON-RPC

• means that the program has the method.

| Method | ${names.join(' | ')} | Here |
|---|${names.map(() => '---|').join('')}---|
${rows.join('\n')}

## CometBFT RPC

| Method | Here |
|---|---|
${listOf(COMET)
  .map((method) => `| \`${method}\` | ${cell(comet.get(method)!)} |`)
  .join('\n')}

${await renderFlags()}
`
}
