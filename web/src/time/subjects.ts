/** Things that two heights are compared by: an account, a contract, a module. */
import { keccak_256 } from '@noble/hashes/sha3.js'
import { ApiError, ask } from '../api/ask.ts'
import { blockTag } from '../api/height.ts'
import { eth, type Question, rest } from '../api/question.ts'
import type { OpenApi } from '../ask/operations.ts'
import { fromHex, toHex } from '../format/address.ts'
import { mapFew } from './few.ts'

/** Questions of an account. Each list shows its first thousand entries. */
const ACCOUNT = (address: string, bech32: string): readonly string[] => [
  `/chain/evm/v1/eth_account/${address}`,
  `/sdk/auth/v1beta1/accounts/${bech32}`,
  `/sdk/bank/v1beta1/balances/${bech32}?pagination.limit=1000`,
  `/sdk/staking/v1beta1/delegations/${bech32}?pagination.limit=1000`,
  `/sdk/staking/v1beta1/delegators/${bech32}/unbonding_delegations?pagination.limit=1000`,
  `/sdk/distribution/v1beta1/delegators/${bech32}/rewards`,
  `/sdk/authz/v1beta1/grants/granter/${bech32}?pagination.limit=1000`,
  `/sdk/authz/v1beta1/grants/grantee/${bech32}?pagination.limit=1000`,
  `/sdk/feegrant/v1beta1/allowances/${bech32}?pagination.limit=1000`,
]

/** Returns the questions about an account. */
export const accountQuestions = (address: string, bech32: string): readonly Question[] =>
  ACCOUNT(address, bech32).map(rest)

/** Returns the questions about a contract, apart from its storage. */
export const contractQuestions = (address: string): readonly Question[] => [
  rest(`/chain/evm/v1/eth_account/${address}`),
  rest(`/chain/evm/v1/codes/${address}`),
]

/** Operations that no height belongs to, or that compute instead of reading. */
const NOT_STATE = /\/(eth_call|estimate_gas|trace_tx|trace_block|trace_call|simulate)$/

/** Returns the name of a module in a path: `oracle` in `/chain/oracle/v1beta1/params`. */
const moduleOfPath = (path: string): string => path.split('/')[2] ?? ''

/** Lists the modules whose state can be read without further arguments, with the paths of their queries. */
export function moduleQueries(document: OpenApi): ReadonlyMap<string, readonly string[]> {
  const modules = new Map<string, string[]>()
  for (const [path, verbs] of Object.entries(document.paths)) {
    const parameters = verbs['get']?.parameters
    if (!parameters?.some((parameter) => parameter.in === 'header') || NOT_STATE.test(path)) continue
    const needed = parameters.filter(
      ({ name, in: place }) => place === 'path' || (place === 'query' && !name.startsWith('pagination.')),
    )
    const isGovParams = /\/gov\/v1\/params\/\{params_type\}$/.test(path)
    if (needed.length > 0 && !isGovParams && !/\/(validators|proposals)$/.test(path)) continue
    if (/\{/.test(path) && !isGovParams) continue
    const query = parameters.some(({ name }) => name === 'pagination.limit') ? '?pagination.limit=1000' : ''
    const list = modules.get(moduleOfPath(path)) ?? []
    list.push(isGovParams ? path.replace('{params_type}', 'voting') : path + query)
    modules.set(moduleOfPath(path), list)
  }
  return new Map([...modules].sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The answers to one question at two heights. A refusal is an answer too, since an account may not exist yet. */
export interface Compared {
  readonly title: string
  /** Absent for what several questions together give. */
  readonly question: Question | undefined
  readonly before: unknown
  readonly after: unknown
}

async function answerAt(question: Question, height: bigint, signal: AbortSignal): Promise<unknown> {
  try {
    return await ask<unknown>(question, { height, signal })
  } catch (error) {
    if (error instanceof ApiError && error.status >= 400 && error.status < 500) return { error: error.message }
    throw error
  }
}

/** Asks each question at both heights, a few at a time. */
export async function compare(
  questions: readonly Question[],
  [first, second]: readonly [bigint, bigint],
  signal: AbortSignal,
): Promise<Compared[]> {
  const asked = questions.flatMap((question) => [first, second].map((height) => ({ question, height })))
  const answers = await mapFew(asked, ({ question, height }) => answerAt(question, height, signal))
  return questions.map((question, i) => ({
    title: question.kind === 'rest' ? question.path : question.method,
    question,
    before: answers[2 * i],
    after: answers[2 * i + 1],
  }))
}

/** Slots of a contract that the node shows. */
const MAX_SLOTS = 10_000

interface Dump {
  readonly accounts: Readonly<Record<string, { readonly storage?: Readonly<Record<string, string>> }>>
}

/** Reads the slots of a contract after a block, by their numbers. Values have 64 digits after `0x`. */
export async function storageAt(
  address: string,
  height: bigint,
  signal: AbortSignal,
): Promise<{ readonly slots: Readonly<Record<string, string>>; readonly isComplete: boolean }> {
  // Accounts are listed in the order of the hashes of their addresses.
  const start = toHex(keccak_256(fromHex(address)))
  const { accounts } = await ask<Dump>(eth('debug_accountRange', blockTag(height), start, 1, true, false, false), {
    signal,
  })
  const found = Object.entries(accounts).find(([name]) => name.toLowerCase() === address.toLowerCase())
  const storage = Object.entries(found?.[1].storage ?? {})
  const slots = Object.fromEntries(storage.map(([slot, digits]) => [slot, `0x${digits.padStart(64, '0')}`]))
  return { slots, isComplete: storage.length < MAX_SLOTS }
}
