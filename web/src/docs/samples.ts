/** Values of this node for the parameters of operations, so that each has a real answer. */
import { ask } from '../api/ask.ts'
import { head } from '../api/head.ts'
import { eth, rest } from '../api/question.ts'
import { fromHex } from '../format/address.ts'
import type { Operation, Parameter } from './catalog.ts'

export type Samples = Readonly<Record<string, string | undefined>>

/** Returns what a question gives, undefined if it fails: a sample is a convenience. */
async function from<Answer>(question: Parameters<typeof ask>[0], pick: (answer: Answer) => string | undefined) {
  return ask<Answer>(question)
    .then(pick)
    .catch(() => undefined)
}

interface Transactions {
  readonly tx_responses?: readonly {
    readonly txhash: string
    readonly events?: readonly { readonly attributes: readonly { readonly key: string; readonly value: string }[] }[]
  }[]
}

/** Returns the newest transactions that a query finds, at most five; none if the search fails. */
const newestTxs = (query: string): Promise<Transactions> =>
  ask<Transactions>(
    rest(`/sdk/tx/v1beta1/txs?query=${encodeURIComponent(query)}&limit=5&order_by=ORDER_BY_DESC`),
  ).catch(() => ({}))

/** Number of blocks below the tip in which a transaction is looked for: a search of all takes as long as the chain. */
const SEARCHED_BLOCKS = 100n

/** Reads the samples. */
export async function readSamples(): Promise<Samples> {
  const tip = head.get()?.height ?? 0n
  const [validator, consensus, height, pair, transactions, calls, blockHash, accounts] = await Promise.all([
    from<{ validators: { operator_address: string }[] }>(
      rest('/sdk/staking/v1beta1/validators?pagination.limit=1'),
      ({ validators }) => validators[0]?.operator_address,
    ),
    from<{ validators: { address: string }[] }>(
      rest('/sdk/base/tendermint/v1beta1/validatorsets/latest?pagination.limit=1'),
      ({ validators }) => validators[0]?.address,
    ),
    from<{ height: string }>(rest('/sdk/base/node/v1beta1/status'), (status) => status.height),
    from<{ actives: string[] }>(rest('/chain/oracle/v1beta1/pairs/actives'), ({ actives }) => actives[0]),
    newestTxs(`tx.height>${tip > SEARCHED_BLOCKS ? tip - SEARCHED_BLOCKS : 0n}`),
    newestTxs("message.module='evm'"),
    from<{ hash: string }>(eth('eth_getBlockByNumber', 'latest', false), ({ hash }) => hash),
    from<string[]>(eth('eth_accounts'), ([first]) => first),
  ])
  const account = consensus && (await accountOf(consensus))
  const latest = transactions.tx_responses?.[0]
  const attributes = (calls.tx_responses ?? []).flatMap(({ events = [] }) =>
    events.flatMap((event) => event.attributes),
  )
  return {
    validator,
    consensus,
    height,
    pair,
    account,
    hexAccount: accounts,
    hash: latest?.txhash,
    // Typed events write texts as JSON, with quotes.
    ethHash: attributes.find(({ key }) => key === 'eth_hash')?.value.replaceAll('"', ''),
    blockHash,
  }
}

const accountOf = (consensus: string) =>
  from<{ account_address: string }>(
    rest(`/chain/evm/v1/validator_account/${consensus}`),
    ({ account_address }) => account_address,
  )

/** Returns the hash of the newest block or transaction in the form that a method of the engine takes. */
function engineHash({ title }: Operation, { blockHash, hash }: Samples): string | undefined {
  const digits = (title === 'tx' ? hash : blockHash)?.replace(/^0x/, '')
  if (digits === undefined || title === 'header_by_hash') return digits
  return btoa(String.fromCharCode(...fromHex(digits)))
}

/** Kinds of samples by names of parameters. */
const KINDS: readonly (readonly [RegExp, string])[] = [
  [/^(validator_addr(ess)?)$/, 'validator'],
  [/^cons_address$/, 'consensus'],
  [/^(address_string|delegator_addr(ess)?|address|granter|grantee|creator|voter|depositor|account|sender)$/, 'account'],
  [/^pair$/, 'pair'],
  [/^(height|block_number|minHeight|maxHeight)$/, 'height'],
]

/** Parameters of queries that an answer needs, though the request can leave them out. */
const NEEDED = /^(pair|identifier|denom|args|query|granter|grantee|path|data|msg\.hash)$/

/** Returns the text with which the form of a parameter begins. */
export function firstValue(operation: Operation, parameter: Parameter, samples: Samples, block: string): string {
  const { name, example, schema } = parameter
  const isNeeded = parameter.required || (parameter.in === 'query' && NEEDED.test(name))
  if (parameter.in === 'param' && schema.title?.startsWith('block:')) return block
  if (!isNeeded && !(operation.protocol === 'engine RPC' && /^(hash|query|path|data)$/.test(name))) return ''
  const sample = sampleOf(operation, parameter, samples)
  if (sample !== undefined) return sample
  if (example === undefined || example === null) return ''
  return typeof example === 'string' ? example : JSON.stringify(example)
}

function sampleOf(operation: Operation, { name, in: place }: Parameter, samples: Samples): string | undefined {
  if (name === 'msg.hash') return samples['ethHash']
  if (operation.protocol === 'JSON-RPC') {
    if (name === 'hash') return /Block|Header|Uncle/.test(operation.title) ? samples['blockHash'] : samples['ethHash']
    if (/^(account|sender|owner|holder)$/.test(name)) return samples['hexAccount']
    return undefined
  }
  if (name === 'hash') return operation.protocol === 'REST' ? samples['hash'] : engineHash(operation, samples)
  if (operation.title.includes('/codes/') || operation.title.includes('/storage/')) return undefined
  if (place === 'param' && name !== 'height') return undefined
  const kind = KINDS.find(([pattern]) => pattern.test(name))?.[1]
  return kind && samples[kind]
}
