/** The outcome of a transaction: sending it, and waiting until a block contains it. */
import { formatBase64, formatHex } from '../../primitives/bytes.ts'
import { ChainError, queryError } from '../../primitives/errors.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { NodeClient } from '../client.ts'
import { formatOutput, type OutputFormat } from '../output.ts'
import type { Terminal } from '../terminal.ts'

/** A transaction's result as the node shows it. */
export interface TxResponse {
  readonly code: number
  readonly codespace: string
  readonly txhash: string
  readonly raw_log: string
  readonly height: string
  readonly [field: string]: unknown
}

const POLL_MS = 100
const MAX_POLL_MS = 1000

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Returns the result of a transaction that is in a block; undefined for another. */
async function find(node: NodeClient, hash: string): Promise<TxResponse | undefined> {
  try {
    const answer = (await node.get(`/cosmos/tx/v1beta1/txs/${hash}`)) as { readonly tx_response: TxResponse }
    return answer.tx_response
  } catch (error) {
    if (error instanceof ChainError && error.status === 'notFound') return undefined
    throw error
  }
}

/** Waits until a block contains a transaction. Throws `deadlineExceeded` after `timeoutMs`, and `unavailable` without a node. */
export async function waitForTx(node: NodeClient, hash: string, timeoutMs: number): Promise<TxResponse> {
  const waitsOn = `\`almanac query wait-tx ${hash}\` waits on`
  const end = performance.now() + timeoutMs
  let found = await find(node, hash)
  for (let wait = POLL_MS; !found; wait = Math.min(wait * 1.5, MAX_POLL_MS)) {
    const rest = end - performance.now()
    if (rest <= 0) {
      throw queryError(
        'deadlineExceeded',
        `no block contains ${hash} after ${timeoutMs / 1000} s: it can still come; ${waitsOn}`,
      )
    }
    await pause(Math.min(wait, rest))
    found = await find(node, hash).catch((error: unknown) => {
      if (!(error instanceof ChainError) || error.status !== 'unavailable') throw error
      throw queryError(
        'unavailable',
        `the node at ${node.url} has stopped, and no block contained ${hash} before: ${waitsOn} once it runs again`,
      )
    })
  }
  return found
}

/** Parses a time such as `15s`, `500ms`, `2m` or `30` (seconds). Returns milliseconds. Throws `invalidArgument`. */
export function parseTimeout(flag: string, text: string): number {
  const [, digits, unit = 's'] = /^(\d{1,7}(?:\.\d{1,3})?)(ms|s|m)?$/.exec(text) ?? []
  const factor = { ms: 1, s: 1000, m: 60_000 }[unit]
  if (digits === undefined || factor === undefined)
    throw queryError('invalidArgument', `${flag} ${text}: must be a time such as 30s, 500ms or 2m`)
  return Number(digits) * factor
}

/** The moment at which sending a transaction ends. */
export interface SendFlags {
  readonly broadcastMode: string
  readonly async?: boolean
  readonly timeout: string
}

/** Checks the flags of `SendFlags`. Throws `invalidArgument` for a wrong value. */
export function checkSendFlags({ broadcastMode, timeout }: SendFlags): void {
  if (!['block', 'sync', 'async'].includes(broadcastMode)) {
    throw queryError('invalidArgument', `--broadcast-mode ${broadcastMode}: must be block, sync or async`)
  }
  parseTimeout('--timeout', timeout)
}

/**
 * Sends a transaction and prints the result: of its block, or with `--async` of its admission. Throws `failedPrecondition` with
 * the chain's reason if it was refused or failed.
 */
export async function sendAndPrint(
  node: NodeClient,
  tx: Uint8Array,
  flags: SendFlags,
  format: OutputFormat,
  terminal: Terminal,
): Promise<void> {
  const mode = flags.broadcastMode === 'async' ? 'BROADCAST_MODE_ASYNC' : 'BROADCAST_MODE_SYNC'
  const answer = (await node.post('/sdk/tx/v1beta1/txs', { tx_bytes: formatBase64(tx), mode })) as {
    readonly tx_response: TxResponse
  }
  const { tx_response: admitted } = answer
  const waits = flags.broadcastMode === 'block' && !flags.async && admitted.code === 0
  const hash = formatHex(sha256(tx)).toUpperCase()
  const shown = waits ? await waitForTx(node, hash, parseTimeout('--timeout', flags.timeout)) : admitted
  const isSent = admitted.code === 0 ? `the transaction ${hash} was sent: do not send it again` : undefined
  terminal.print(formatOutput(outcomeOf(shown, format), format), isSent)
  if (admitted.code !== 0)
    throw queryError('failedPrecondition', `the node refused the transaction: ${admitted.raw_log}`)
  if (shown.code !== 0) {
    throw queryError('failedPrecondition', `the transaction failed in block ${shown.height}: ${shown.raw_log.trim()}`)
  }
}

/**
 * Returns the fields of a result that are shown. Programs get the events too; people the log of a failure only. `query tx HASH`
 * shows all.
 */
export function outcomeOf(response: TxResponse, format: OutputFormat): Record<string, unknown> {
  const { tx: _, logs: __, events, raw_log, data, info, codespace, ...facts } = response
  if (format === 'json') return { ...facts, codespace, data, info, raw_log, events }
  return response.code === 0 ? facts : { ...facts, codespace, raw_log }
}
