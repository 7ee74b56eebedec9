/** Methods that a process beside the main one cannot answer by reading: those of the pool, of filters, of keys and of verbs. */
import { developmentMethods } from './development/development.ts'
import { signingMethods } from './eth/eth.ts'
import type { Method, Methods } from './method.ts'
import { txpoolMethods } from './txpool.ts'

const OF_THE_MAIN_PROCESS: readonly string[] = [
  ...['eth_accounts', 'eth_getTransactionCount', 'eth_getTransactionByHash', 'eth_getRawTransactionByHash'],
  ...['eth_pendingTransactions', 'eth_getPendingTransactions', 'eth_fillTransaction', 'debug_getRawTransaction'],
  ...['eth_newFilter', 'eth_newBlockFilter', 'eth_newPendingTransactionFilter', 'eth_uninstallFilter'],
  ...['eth_getFilterChanges', 'eth_getFilterLogs', 'web3_clientVersion'],
  ...Object.keys(txpoolMethods),
  ...Object.keys(signingMethods),
  ...Object.keys(developmentMethods),
]

/** These methods as questions to the main process, which knows whether they exist here. */
export function forwardedMethods(
  ask: (method: string, params: unknown, signal: AbortSignal) => Promise<unknown>,
): Methods {
  const forward = (name: string): Method => ({ run: ({ signal }, params) => ask(name, params, signal()) })
  return Object.fromEntries(OF_THE_MAIN_PROCESS.map((name) => [name, forward(name)]))
}
