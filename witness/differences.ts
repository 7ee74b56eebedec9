/** Where we differ from the reference, and why: every row a rule. Whatever differs otherwise is a bug. */
import type { AnswerDifference, Difference } from './difference.ts'
import {
  differsInZeroWords,
  errorOf,
  hasSlashes,
  inGethWords,
  isAdded,
  isErrorPart,
  isUnreadAny,
  referenceError,
  statuses,
} from './explain.ts'
import type { ResultDifference } from './replay-block.ts'
import type { KeyDifference } from './replay-compare.ts'
import { JSON_RPC } from './rpc-differences.ts'
import { TRACES } from './trace-differences.ts'

/** Texts of the reference's libraries about values that cannot be read. */
const LIBRARY_TEXT =
  /strconv\.Parse|illegal base64|invalid character|unexpected end of JSON|type mismatch|parsing field/
const HEIGHT_TEXT = /codespace sdk code (18|26): |height header|height must be|block height is bigger/
const NOT_IMPLEMENTED = 501
/** The failing precompile's name, as text and inside returned bytes. */
const OTHER_VM = ['precompileWasm', Buffer.from('precompileWasm').toString('hex')]

const EVERYWHERE: readonly AnswerDifference[] = [
  {
    id: 'error-member',
    where: 'error bodies over REST',
    why: 'carry `error`, equal to `message`, beside `code`, `message` and `details`',
    decision: 'D1',
    everywhere: true,
    explains: ({ at, reference, ours }, { oursBody }) =>
      at === 'body.error' && reference === undefined && ours === errorOf(oursBody)?.message,
  },
  {
    id: 'error-details',
    where: 'error bodies over REST, `error.data` over JSON-RPC',
    why: 'name the field, the heights or the revert in a typed message where the reference has nothing',
    decision: 'D23',
    everywhere: true,
    explains: ({ at, reference, ours }) =>
      reference === undefined &&
      /^body\.(details\[\d+\]|error\.data)$/.test(at) &&
      String((ours as { '@type'?: string } | undefined)?.['@type']).startsWith('/chain.errors.v1.'),
  },
  {
    id: 'build',
    where: 'node_info, syncing, web3_clientVersion, x-server-time',
    why: 'tell of the build, of the machine and of the moment, not of the chain',
    everywhere: true,
    operation: /Service\/(GetNodeInfo|GetSyncing)$|^web3_clientVersion$/,
    explains: ({ at }) => /^body\.(syncing|default_node_info\..*|application_version\..*|result)$/.test(at),
  },
]

const ROUTES: readonly AnswerDifference[] = [
  {
    id: 'unknown-route',
    where: 'paths without an operation',
    why: 'are 404 with code 5, not 501 with code 12; `/` is an index of what there is',
    decision: 'D2',
    operation: /^no route$/,
    explains: (part, exchange) =>
      (isErrorPart(part) && statuses(exchange, [NOT_IMPLEMENTED], [404])) ||
      (exchange.question.text === 'GET /' && statuses(exchange, [NOT_IMPLEMENTED], [200])),
  },
  {
    id: 'slashes',
    where: 'denoms with slashes in a path, raw or encoded',
    why: 'are looked up, where the reference is 501',
    decision: 'D4',
    explains: (_, exchange) => statuses(exchange, [NOT_IMPLEMENTED], [200, 400, 404]) && hasSlashes(exchange.question),
  },
  {
    id: 'served-here',
    where: 'operations that the reference has and does not mount over REST: consensus parameters, node configuration',
    why: 'are served',
    decision: 'gateway.md §9',
    explains: (_, exchange) =>
      statuses(exchange, [NOT_IMPLEMENTED], [200, 400, 404]) && exchange.question.operation !== 'no route',
  },
]

const STATUSES: readonly AnswerDifference[] = [
  {
    id: 'height-errors',
    where: 'heights that cannot be read',
    why: 'are 400, 404 or 503 with the bounds in `details`, not 500 with code 2',
    decision: 'D17',
    explains: (part, exchange) => isErrorPart(part) && HEIGHT_TEXT.test(referenceError(exchange).message ?? ''),
  },
  {
    id: 'panics',
    where: 'calls that make a precompile of the reference panic',
    why: 'fail as the call they are: 200 with `vm_error`, or 400 in an estimate',
    decision: 'D30',
    explains: (_, exchange) => /runtime error: /.test(referenceError(exchange).message ?? ''),
  },
  {
    id: 'true-status',
    where: 'failures that the reference reports as 500 with code 2 or 13',
    why: 'have their true status: 400 bad input, 404 not found, and what else they are; the text may name more',
    decision: 'D1',
    explains: (part, exchange) =>
      isErrorPart(part) && statuses(exchange, [500], [400, 403, 404, 409, 429, 501, 503, 504]),
  },
  {
    id: 'named-parameters',
    where: 'values that cannot be read, 400 on both sides',
    why: 'are told with the name of the parameter, not in the words of a library',
    decision: 'gateway.md §4',
    explains: ({ at }, exchange) =>
      at === 'body.message' &&
      statuses(exchange, [400], [400]) &&
      LIBRARY_TEXT.test(referenceError(exchange).message ?? ''),
  },
]

/** What the reference says of every failure over `abci_query`. */
const REFUSED_CODE = 18

const FACTORY: readonly AnswerDifference[] = [
  {
    id: 'engine-failures',
    where: 'failures of module queries over `abci_query`',
    why: 'have the code and the text of their true status; the reference calls all of them an invalid request',
    decision: 'D1',
    operation: /^abci /,
    explains: ({ at, reference }) =>
      (at === 'body.code' && reference === REFUSED_CODE) ||
      (at === 'body.log' && String(reference).endsWith(': invalid request')),
  },
  {
    id: 'denoms-of-nobody',
    where: 'denoms of a creator that is no address',
    why: 'are an error, 400, where the reference finds an empty list',
    decision: 'tokenfactory.md §3.1',
    operation: /^tokenfactory\.Query\/Denoms$/,
    explains: (_, exchange) => statuses(exchange, [200], [400]),
  },
  {
    id: 'shares-of-nobody',
    where: 'fee shares of what is no address',
    why: 'are an error, 400, where the reference finds an empty list',
    decision: 'D5, devgas.md §4.2',
    operation: /^devgas\.Query\/FeeShares$/,
    explains: (_, exchange) => statuses(exchange, [200], [400]),
  },
  {
    id: 'shares-of-a-contract',
    where: 'fee shares of a contract',
    why: 'are its own record, or 404 where it has none; the reference reads every address as a deployer and finds an empty list',
    decision: 'D5',
    operation: /^devgas\.Query\/FeeShares$/,
    explains: (_, exchange) => statuses(exchange, [200], [404]),
  },
]

const FIELDS: readonly AnswerDifference[] = [
  {
    id: 'eth-account-balance',
    where: 'eth_account',
    why: 'has `balance` in the base denom, as the API document says; this line of the reference lacks it',
    decision: 'D13',
    operation: /^evm\.Query\/EthAccount$/,
    explains: (part) => isAdded(part, /^balance$/),
  },
  {
    id: 'balance-of-token',
    where: 'balances',
    why: 'has the parts `bank` and `erc20` of the `token` asked for; the line before v2.17 ignores the parameter',
    decision: 'api.md §4.1',
    operation: /^evm\.Query\/Balance$/,
    explains: (part) => isAdded(part, /^(bank|erc20)$/),
  },
  {
    id: 'wasm-plugins',
    where: 'evm params from v2.17 on',
    why: 'lack `wasm_plugins`: there is no other VM here whose plugins could be named',
    decision: 'api.md §2.2',
    operation: /^evm\.Query\/Params$/,
    explains: ({ at, reference }) => at === 'body.params.wasm_plugins' && (reference as unknown[]).length === 0,
  },
  {
    id: 'proto-json',
    where: 'redelegations',
    why: 'print 64-bit integers as strings and empty lists as `[]` like every other answer; the reference mixes two writers',
    decision: 'D3',
    operation: /^staking\.Query\/Redelegations$/,
    explains: (part) => {
      const { at, reference, ours } = part
      if (at.endsWith('.entries')) return reference === null && Array.isArray(ours) && ours.length === 0
      if (typeof reference === 'number') return ours === String(reference)
      return isAdded(part, /^unbonding_on_hold_ref_count$/) && ours === '0'
    },
  },
  {
    id: 'unknown-any',
    where: 'messages of modules that do not exist here, inside transactions and proposals',
    why: 'are `@type` and base64 `value`, so that the rest of the answer can be read',
    decision: 'D3',
    explains: ({ at, reference, ours }, { oursBody }) =>
      (ours === undefined || (at.endsWith('.value') && reference === undefined)) && isUnreadAny(oursBody, at),
  },
]

const CALLS: readonly AnswerDifference[] = [
  {
    id: 'block-of-calls',
    where: 'eth_call, over REST and JSON-RPC',
    why: 'shows COINBASE and GASLIMIT of the block that is read, where the reference reads 0',
    decision: 'evm.md §3.2, D38',
    operation: /^(eth_call|evm\.Query\/EthCall)$/,
    explains: ({ at, reference, ours }) => /^body\.(ret|result)$/.test(at) && differsInZeroWords(reference, ours),
  },
  {
    id: 'other-vm',
    where: 'calls that reach the precompile of the other VM',
    why: 'find no contract there: that VM is not part of this build',
    decision: 'evm.md §3.7',
    operation: /^(eth_|debug_|evm\.Query\/(EthCall|EstimateGas|Trace))/,
    explains: (_, { ours }) => OTHER_VM.some((text) => ours.body.includes(text)),
  },
  {
    id: 'gas-cap',
    where: 'eth_call without `gas_cap`',
    why: 'runs with the configured cap; in the reference a call that burns all gas burns 2^63-1',
    decision: 'D14',
    operation: /^evm\.Query\/EthCall$/,
    explains: ({ at, reference, ours }) =>
      at === 'body.gas_used' && BigInt(reference as string) > 25_000_000n && ours === '25000000',
  },
  {
    id: 'default-gas-cap',
    where: 'estimate_gas without `gas_cap`',
    why: 'means the configured cap, as the API document says; the reference refuses it',
    decision: 'D14',
    operation: /^evm\.Query\/EstimateGas$/,
    explains: (_, exchange) =>
      /^gas cap cannot be lower/.test(referenceError(exchange).message ?? '') && statuses(exchange, [400], [200, 400]),
  },
  {
    id: 'geth-failures',
    where: 'eth_call and eth_estimateGas that fail',
    why: "are told in geth's words, with code 3 and the revert bytes in `data` for a revert",
    decision: 'D24',
    operation: /^eth_(call|estimateGas)$/,
    explains: ({ at, ours }, exchange) =>
      at.startsWith('body.error.') &&
      inGethWords(referenceError(exchange).message ?? '') === errorOf(exchange.oursBody)?.message &&
      (at !== 'body.error.code' || ours === 3 || ours === -32000),
  },
]

/** Differences in answers by what they are about. */
export const ANSWER_SECTIONS: Readonly<Record<string, readonly AnswerDifference[]>> = {
  'Clock, build and envelope': EVERYWHERE,
  Routes: ROUTES,
  'Statuses and texts of errors': STATUSES,
  Fields: FIELDS,
  'The token factory': FACTORY,
  'Calls and estimates': CALLS,
  'JSON-RPC': JSON_RPC,
  Traces: TRACES,
}

/** Differences in answers, the first that explains a part counting. */
export const DIFFERENCES: readonly AnswerDifference[] = Object.values(ANSWER_SECTIONS).flat()

/** A difference in what a replayed block writes or answers. */
export interface ReplayDifference extends Difference {
  /** Explains a written key. */
  key?(difference: KeyDifference): boolean
  /** Explains a field of a transaction's result. */
  result?(difference: ResultDifference): boolean
}

const EVENT_OF_COINS =
  /^(coin_spent|coin_received|transfer|burn|coinbase|message\{sender=|wei_change\{wei_change_reason=bank\.)/

/** Whether the recorded events are ours and, among them, further ones of the bank. Both are texts of an event a line. */
function addsOnlyEventsOfCoins(ours: string, recorded: string): boolean {
  const own = ours.split('\n')
  let at = 0
  for (const event of recorded.split('\n')) {
    if (event === own[at]) at++
    else if (!EVENT_OF_COINS.test(event)) return false
  }
  return at === own.length
}

/** Differences in replayed blocks. */
export const REPLAY_DIFFERENCES: readonly ReplayDifference[] = [
  {
    id: 'compiler',
    where: 'the code of a contract that is made for a coin, and the app hash of that block',
    why: 'our source by our compiler; from there on replay runs the recorded code, so that what calls of it cost is compared',
    decision: 'ADR 0015',
  },
  {
    id: 'events-of-undone-precompile-calls',
    where: 'events of an Ethereum transaction whose code caught the failure of a frame that had called a precompile',
    why: 'go with the frame, as its writes do; the reference undoes the writes and keeps the events of coins that never moved',
    decision: 'design.md, The store',
    result: ({ isEvm, field, ours, recorded }) =>
      isEvm && (field === 'events' || field === 'log') && addsOnlyEventsOfCoins(ours, recorded),
  },
  {
    id: 'codes-of-plain-errors',
    where: 'results of transactions that fail with an error which the reference never registered',
    why: 'codespace and code name the failure, where the reference has `undefined` and 1 for all of them',
    decision: 'D1',
    result: ({ field, ours, recorded }) =>
      field === 'code' && recorded.startsWith('undefined/1 ') && !ours.startsWith('/0'),
  },
]
