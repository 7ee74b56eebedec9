/** The pool of the node: the replica shows what waits there as pending. */
import { setTimeout as delay } from 'node:timers/promises'
import { toKey } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { Pool } from '../solo/pool.ts'
import type { NodeRpc } from './rpc/node-rpc.ts'

/** Time between two looks, one small request each. Unit: milliseconds. */
const LOOK_MS = 1000
/** Transactions of one answer, the most that the engine gives. */
const MOST_TXS = 100

export interface NodePoolOptions {
  readonly rpc: Pick<NodeRpc, 'call'>
  readonly pool: Pick<Pool, 'offer' | 'drop' | 'ofHash'>
  /** Whether the state here is that of the node, so that what waits there can be checked here. */
  readonly isCurrent: () => boolean
  readonly signal: AbortSignal
}

/**
 * Looks at the node's pool until the signal. What this build cannot check is not shown; what leaves the node's pool without a block
 * leaves this one too, while the node tells of all of it. A node that does not answer is asked again.
 */
export async function watchNodePool({ rpc, pool, isCurrent, signal }: NodePoolOptions): Promise<void> {
  /** Transactions that the node has told of, as keys, with their hashes. */
  let told = new Map<string, Uint8Array>()
  while (!signal.aborted) {
    try {
      if (isCurrent()) told = await look(told)
    } catch {
      // The next look tells.
    }
    await delay(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }

  async function look(before: ReadonlyMap<string, Uint8Array>): Promise<Map<string, Uint8Array>> {
    const { txs, total } = await rpc.call('unconfirmed_txs', { limit: String(MOST_TXS) }, signal)
    const listed = new Map<string, Uint8Array>()
    for (const text of Array.isArray(txs) ? txs : []) {
      const bytes = new Uint8Array(Buffer.from(String(text), 'base64'))
      const hash = sha256(bytes)
      listed.set(toKey(hash), hash)
      if (!before.has(toKey(hash)) && !pool.ofHash(hash)) pool.offer(bytes)
    }
    const isWhole = Number(total) <= listed.size
    const gone = isWhole ? [...before].filter(([key]) => !listed.has(key)).map(([, hash]) => hash) : []
    if (gone.length > 0) pool.drop(gone)
    return isWhole ? listed : new Map([...[...before].filter(([, hash]) => pool.ofHash(hash)), ...listed])
  }
}
