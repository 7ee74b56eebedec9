/** The list of differences from the reference. Each entry is a rule with an explanation; any other difference is a bug. */
import type { AnswerDifference, Difference } from './difference.ts'
import {
  differsInZeroWords,
  errorOf,
  hasSlashes,
  isAdded,
  isInError,
  isRawAny,
  referenceError,
  statuses,
  toGethText,
} from './exchange.ts'
import type { ResultDifference } from './replay-block.ts'
import type { KeyDifference } from './replay-compare.ts'
import { JSON_RPC } from './rpc-differences.ts'
import { TRACES } from './trace-differences.ts'
import { isUnbuilt, ownerOfMessage } from './unbuilt.ts'

/** Texts of the reference's libraries about values that they cannot parse. */
const LIBRARY_TEXT =
  /strconv\.Parse|illegal base64|invalid character|unexpected end of JSON|type mismatch|parsing field/
const HEIGHT_TEXT = /codespace sdk code (18|26): |height header|height must be|block height is bigger/
const NOT_IMPLEMENTED = 501
/** The name of the Wasm precompile in its failures, as text and in returned bytes. */
const WASM_PRECOMPILE = ['precompileWasm', Buffer.from('precompileWasm').toString('hex')]

const ENVELOPE: readonly AnswerDifference[] = [
  {
    id: 'error-member',
    where: 'error bodies over REST',
    explanation: 'The body has the member `error`, equal to `message`, in addition to `code`, `message` and `details`.',
    source: 'D1',
    countsAsEqual: true,
    explains: ({ at, reference, ours }, { oursBody }) =>
      at === 'body.error' && reference === undefined && ours === errorOf(oursBody)?.message,
  },
  {
    id: 'error-details',
    where: 'error bodies over REST, `error.data` over JSON-RPC',
    explanation: 'A typed message names the field, the heights or the revert. The reference has no details.',
    source: 'D23',
    countsAsEqual: true,
    explains: ({ at, reference, ours }) =>
      reference === undefined &&
      /^body\.(details\[\d+\]|error\.data)$/.test(at) &&
      String((ours as { '@type'?: string } | undefined)?.['@type']).startsWith('/chain.errors.v1.'),
  },
  {
    id: 'build',
    where: 'node_info, syncing, web3_clientVersion, x-server-time',
    explanation: 'The answer describes the build, the machine and the time, not the chain.',
    countsAsEqual: true,
    operation: /Service\/(GetNodeInfo|GetSyncing)$|^web3_clientVersion$/,
    explains: ({ at }) => /^body\.(syncing|default_node_info\..*|application_version\..*|result)$/.test(at),
  },
]

const ROUTES: readonly AnswerDifference[] = [
  {
    id: 'unknown-route',
    where: 'paths without an operation',
    explanation: 'The answer is 404 with code 5, not 501 with code 12. `/` is an index of the API.',
    source: 'D2',
    operation: /^no route$/,
    explains: (mismatch, exchange) =>
      (isInError(mismatch) && statuses(exchange, [NOT_IMPLEMENTED], [404])) ||
      (exchange.question.text === 'GET /' && statuses(exchange, [NOT_IMPLEMENTED], [200])),
  },
  {
    id: 'slashes',
    where: 'denoms with slashes in a path, raw or encoded',
    explanation: 'The denom is looked up. The reference answers 501.',
    source: 'D4',
    explains: (_, exchange) => statuses(exchange, [NOT_IMPLEMENTED], [200, 400, 404]) && hasSlashes(exchange.question),
  },
  {
    id: 'served-here',
    where: 'operations that the reference has but does not serve over REST: consensus parameters, node configuration',
    explanation: 'The operation is served. The reference answers 501.',
    source: 'docs/gateways.md#routes',
    explains: (_, exchange) =>
      statuses(exchange, [NOT_IMPLEMENTED], [200, 400, 404]) && exchange.question.operation !== 'no route',
  },
]

/** The code `invalid request`, which the reference answers for every failure over `abci_query`. */
const INVALID_REQUEST = 18

const STATUSES: readonly AnswerDifference[] = [
  {
    id: 'height-errors',
    where: 'heights that cannot be read',
    explanation: 'The answer is 400, 404 or 503 with the bounds in `details`, not 500 with code 2.',
    source: 'D17',
    explains: (mismatch, exchange) => isInError(mismatch) && HEIGHT_TEXT.test(referenceError(exchange).message ?? ''),
  },
  {
    id: 'panics',
    where: 'calls that make a precompile of the reference panic',
    explanation: 'The call fails like any other: 200 with `vm_error`, or 400 in an estimate.',
    source: 'D30',
    explains: (_, exchange) => /runtime error: /.test(referenceError(exchange).message ?? ''),
  },
  {
    id: 'true-status',
    where: 'failures that the reference reports as 500 with code 2 or 13',
    explanation:
      'The answer has the status of the failure: 400 for bad input, 404 for not found, and so on. The text can contain more.',
    source: 'D1',
    explains: (mismatch, exchange) =>
      isInError(mismatch) && statuses(exchange, [500], [400, 403, 404, 409, 429, 501, 503, 504]),
  },
  {
    id: 'named-parameters',
    where: 'values that cannot be parsed, 400 on both sides',
    explanation: 'The text names the parameter. The text of the reference is that of a library.',
    source: 'docs/gateways.md#errors',
    explains: ({ at }, exchange) =>
      at === 'body.message' &&
      statuses(exchange, [400], [400]) &&
      LIBRARY_TEXT.test(referenceError(exchange).message ?? ''),
  },
  {
    id: 'engine-failures',
    where: 'failures of module queries over `abci_query`',
    explanation: 'Code and text are those of the failure. The reference answers `invalid request` for every failure.',
    source: 'D1',
    operation: /^abci /,
    explains: ({ at, reference }) =>
      (at === 'body.code' && reference === INVALID_REQUEST) ||
      (at === 'body.log' && String(reference).endsWith(': invalid request')),
  },
]

const DENOMS_AND_FEE_SHARES: readonly AnswerDifference[] = [
  {
    id: 'invalid-creator',
    where: 'denoms of an invalid creator address',
    explanation: 'The answer is an error, 400. The reference answers an empty list.',
    source: 'docs/modules/tokenfactory.md#queries',
    operation: /^tokenfactory\.Query\/Denoms$/,
    explains: (_, exchange) => statuses(exchange, [200], [400]),
  },
  {
    id: 'invalid-fee-share-address',
    where: 'fee shares of an invalid address',
    explanation: 'The answer is an error, 400. The reference answers an empty list.',
    source: 'D5, docs/modules/devgas.md#queries',
    operation: /^devgas\.Query\/FeeShares$/,
    explains: (_, exchange) => statuses(exchange, [200], [400]),
  },
  {
    id: 'shares-of-a-contract',
    where: 'fee shares of a contract',
    explanation:
      'The answer is the record of the contract, or 404 without a record. The reference takes every address for a deployer and answers an empty list.',
    source: 'D5',
    operation: /^devgas\.Query\/FeeShares$/,
    explains: (_, exchange) => statuses(exchange, [200], [404]),
  },
]

const FIELDS: readonly AnswerDifference[] = [
  {
    id: 'eth-account-balance',
    where: 'eth_account',
    explanation: 'The answer has `balance` in the base denom, as the API document says. The reference omits it.',
    source: 'D13',
    operation: /^evm\.Query\/EthAccount$/,
    explains: (mismatch) => isAdded(mismatch, /^balance$/),
  },
  {
    id: 'balance-of-token',
    where: 'balances',
    explanation:
      'The answer has the parts `bank` and `erc20` of the requested `token`. The reference before v2.17 ignores the parameter.',
    source: 'docs/modules/evm.md#queries',
    operation: /^evm\.Query\/Balance$/,
    explains: (mismatch) => isAdded(mismatch, /^(bank|erc20)$/),
  },
  {
    id: 'wasm-plugins',
    where: 'evm params from v2.17 on',
    explanation: 'The answer has no `wasm_plugins`, since this build has no Wasm.',
    source: 'docs/modules/evm.md#parameters',
    operation: /^evm\.Query\/Params$/,
    explains: ({ at, reference }) => at === 'body.params.wasm_plugins' && (reference as unknown[]).length === 0,
  },
  {
    id: 'proto-json',
    where: 'redelegations',
    explanation:
      '64-bit integers are strings and empty lists are `[]`, as in every other answer. The reference uses a second JSON writer here.',
    source: 'D3',
    operation: /^staking\.Query\/Redelegations$/,
    explains: (mismatch) => {
      const { at, reference, ours } = mismatch
      if (at.endsWith('.entries')) return reference === null && Array.isArray(ours) && ours.length === 0
      if (typeof reference === 'number') return ours === String(reference)
      return isAdded(mismatch, /^unbonding_on_hold_ref_count$/) && ours === '0'
    },
  },
  {
    id: 'undecoded-any',
    where: 'messages of unbuilt modules, inside transactions and proposals',
    explanation: 'The message consists of `@type` and a base64 `value`, so that the rest of the answer can be read.',
    source: 'D3',
    explains: ({ at, reference, ours }, { oursBody }) =>
      (ours === undefined || (at.endsWith('.value') && reference === undefined)) && isRawAny(oursBody, at),
  },
]

const CALLS: readonly AnswerDifference[] = [
  {
    id: 'block-of-calls',
    where: 'eth_call, over REST and JSON-RPC',
    explanation: 'COINBASE and GASLIMIT are those of the block that is read. In the reference they are 0.',
    source: 'docs/modules/evm.md#block-values, D38',
    operation: /^(eth_call|evm\.Query\/EthCall)$/,
    explains: ({ at, reference, ours }) => /^body\.(ret|result)$/.test(at) && differsInZeroWords(reference, ours),
  },
  {
    id: 'wasm-precompile',
    where: 'calls of the Wasm precompile',
    explanation: 'The precompile finds no contract, since this build has no Wasm.',
    source: 'docs/modules/evm.md#precompiles',
    operation: /^(eth_|debug_|evm\.Query\/(EthCall|EstimateGas|Trace))/,
    explains: (_, { ours }) => WASM_PRECOMPILE.some((text) => ours.body.includes(text)),
  },
  {
    id: 'gas-cap',
    where: 'eth_call without `gas_cap`',
    explanation: 'The call runs with the configured cap. In the reference a call that uses all its gas uses 2^63-1.',
    source: 'D14',
    operation: /^evm\.Query\/EthCall$/,
    explains: ({ at, reference, ours }) =>
      at === 'body.gas_used' && BigInt(reference as string) > 25_000_000n && ours === '25000000',
  },
  {
    id: 'default-gas-cap',
    where: 'estimate_gas without `gas_cap`',
    explanation: 'The estimate uses the configured cap, as the API document says. The reference refuses the request.',
    source: 'D14',
    operation: /^evm\.Query\/EstimateGas$/,
    explains: (_, exchange) =>
      /^gas cap cannot be lower/.test(referenceError(exchange).message ?? '') && statuses(exchange, [400], [200, 400]),
  },
  {
    id: 'geth-failures',
    where: 'failing eth_call and eth_estimateGas',
    explanation: "The text is geth's. A revert has code 3 and the revert bytes in `data`.",
    source: 'D24',
    operation: /^eth_(call|estimateGas)$/,
    explains: ({ at, ours }, exchange) =>
      at.startsWith('body.error.') &&
      toGethText(referenceError(exchange).message ?? '') === errorOf(exchange.oursBody)?.message &&
      (at !== 'body.error.code' || ours === 3 || ours === -32000),
  },
]

/** Differences in answers, by section of the generated page. */
export const ANSWER_SECTIONS: Readonly<Record<string, readonly AnswerDifference[]>> = {
  'Clock, build and envelope': ENVELOPE,
  Routes: ROUTES,
  'Statuses and texts of errors': STATUSES,
  Fields: FIELDS,
  'Denoms and fee shares': DENOMS_AND_FEE_SHARES,
  'Calls and estimates': CALLS,
  'JSON-RPC': JSON_RPC,
  Traces: TRACES,
}

/** Differences in answers. The first one that explains a mismatch counts. */
export const DIFFERENCES: readonly AnswerDifference[] = Object.values(ANSWER_SECTIONS).flat()

/** A difference in the writes or results of a replayed block. */
export interface ReplayDifference extends Difference {
  /** Whether it explains a difference in a key. */
  key?(difference: KeyDifference): boolean
  /** Whether it explains a difference in a field of a transaction's result. */
  result?(difference: ResultDifference): boolean
}

const BANK_EVENT =
  /^(coin_spent|coin_received|transfer|burn|coinbase|message\{sender=|wei_change\{wei_change_reason=bank\.)/

/** Whether the recorded events are ours with additional bank events in between. Both texts have one event per line. */
function addsOnlyBankEvents(ours: string, recorded: string): boolean {
  const own = ours.split('\n')
  let at = 0
  for (const event of recorded.split('\n')) {
    if (event === own[at]) at++
    else if (!BANK_EVENT.test(event)) return false
  }
  return at === own.length
}

/** Differences in replayed blocks. */
export const REPLAY_DIFFERENCES: readonly ReplayDifference[] = [
  {
    id: 'events-of-undone-precompile-calls',
    where: 'events of an EVM transaction in which a frame called a precompile and failed, and its caller continued',
    explanation:
      'The events of the frame are dropped with its writes. The reference drops the writes but keeps bank events of coins that never moved.',
    source: 'docs/evm-internals.md#one-call',
    result: ({ isEvm, field, ours, recorded }) =>
      isEvm && (field === 'events' || field === 'log') && addsOnlyBankEvents(ours, recorded),
  },
  {
    id: 'gas-of-unbuilt-modules',
    where: 'the gas of messages of modules that this build does not have',
    explanation: 'Their substitutes in a replay execute nothing.',
    source: 'docs/witness.md',
    result: ({ field, messages }) =>
      field === 'gas' && messages.some((type) => isUnbuilt(ownerOfMessage(type.slice(1)))),
  },
]
