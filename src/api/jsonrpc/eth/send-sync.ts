/** `eth_sendRawTransactionSync` (EIP-7966): sends a transaction and answers with its receipt. */

import { within } from '../../../consensus/admission.ts'
import { haltedError, stoppingError } from '../../../consensus/halted.ts'
import { keccak256 } from '../../../primitives/hash.ts'
import { DISCONNECTED } from '../../disconnected.ts'
import type { GatewayNode } from '../../gateway.ts'
import type { StoredEvmTx } from '../../stored-evm-tx.ts'
import { findStoredEvmTx } from '../../stored-evm-tx.ts'
import { stillWaiting } from '../errors.ts'
import type { JsonObject } from '../format.ts'
import type { RpcCall } from '../method.ts'
import type { Streamed } from '../streamed.ts'
import { receipt } from './receipts.ts'
import { submitRaw } from './transactions.ts'

/**
 * Returns the time to wait: the given milliseconds, a number or a quantity, or the limit. As EIP-7966 says, a value beyond the
 * limit and any other value count as absent.
 */
function waitMs({ settings }: GatewayNode, given: unknown): number {
  const isQuantity = typeof given === 'string' && /^0x[0-9a-fA-F]{1,8}$/.test(given)
  const asked = isQuantity ? Number(given) : given
  const isValid = typeof asked === 'number' && Number.isSafeInteger(asked) && asked > 0
  return isValid && asked <= settings.syncTimeoutMs ? asked : settings.syncTimeoutMs
}

/**
 * Resolves with the stored transaction once a block contains it; undefined after the timeout. Rejects if the client leaves, the
 * chain halts, or the node stops.
 */
function inclusionOf(
  node: GatewayNode,
  hash: Uint8Array,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<StoredEvmTx | undefined> {
  return new Promise((resolve, reject) => {
    const { driver } = node
    const stopBlocks = driver.onBlock(() => {
      const found = findStoredEvmTx(node, hash)
      if (found) end(() => resolve(found))
    })
    const halt = (): void => {
      const { halted } = driver.status()
      if (halted) end(() => reject(haltedError(halted)))
    }
    const stopHalts = driver.onHalt(halt)
    const stopStops = driver.onStop(() => end(() => reject(stoppingError())))
    const timer = setTimeout(() => end(() => resolve(undefined)), timeoutMs)
    const leave = (): void => end(() => reject(DISCONNECTED))
    const end = (settle: () => void): void => {
      stopBlocks()
      stopHalts()
      stopStops()
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
      settle()
    }
    signal.addEventListener('abort', leave, { once: true })
    if (signal.aborted) leave()
    halt()
  })
}

/**
 * Submits a signed transaction and resolves with its receipt. Rejects as `eth_sendRawTransaction`, with code 5 if it waits
 * behind a missing nonce, and with code 4 if no block contains it in time. Both have its hash as `data`: it stays in the pool.
 */
export async function sendRawSync(call: RpcCall, raw: Uint8Array, timeout: unknown): Promise<JsonObject | Streamed> {
  const { node, client } = call
  const timeoutMs = waitMs(node, timeout)
  const hash = keccak256(raw)
  const late = (): Error => stillWaiting(4, `the transaction waits: no block contained it within ${timeoutMs} ms`, hash)
  const start = performance.now()
  // With blocks on arrival this takes until the block.
  const submitted = await within(submitRaw(node, raw, client), timeoutMs)
  if (!submitted) throw late()
  if (submitted.isQueued) {
    throw stillWaiting(5, `the transaction waits: a nonce before ${submitted.nonce} of its sender is missing`, hash)
  }
  const leftMs = Math.max(1, timeoutMs - (performance.now() - start))
  const found = findStoredEvmTx(node, hash) ?? (await inclusionOf(node, hash, leftMs, call.signal()))
  if (!found) throw late()
  return receipt(call, found.block, found.tx)
}
