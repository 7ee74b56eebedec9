/** What the EVM transactions of a block add up to: kept for the block, never committed (evm.md §3.1). */
import { decodeUint64, encodeUint64 } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'
import { BLOOM_KEY, GAS_USED_KEY, LOG_COUNT_KEY, TRANSIENT_STORE, TX_INDEX_KEY } from './state.ts'

/** Where a transaction stands among the EVM transactions of its block. */
export interface BlockPlace {
  readonly evmIndex: number
  readonly firstLogIndex: number
  /** Of the block's EVM transactions up to and with this one. */
  readonly cumulativeGasUsed: bigint
}

function read(ctx: Context, key: Uint8Array): bigint {
  const value = ctx.transient.get(TRANSIENT_STORE, key)
  return value ? decodeUint64(value) : 0n
}

function write(ctx: Context, key: Uint8Array, value: bigint): void {
  ctx.transient.set(TRANSIENT_STORE, key, encodeUint64(value))
}

/** Index that the next EVM transaction of the block gets. */
export function nextIndex(ctx: Context): number {
  return Number(read(ctx, TX_INDEX_KEY))
}

/** Counts an executed transaction and tells its place. */
export function addToBlock(
  ctx: Context,
  tx: { readonly gasUsed: bigint; readonly logCount: number; readonly bloom: Uint8Array },
): BlockPlace {
  const index = read(ctx, TX_INDEX_KEY)
  const logCount = read(ctx, LOG_COUNT_KEY)
  const cumulativeGasUsed = read(ctx, GAS_USED_KEY) + tx.gasUsed
  write(ctx, TX_INDEX_KEY, index + 1n)
  write(ctx, GAS_USED_KEY, cumulativeGasUsed)
  if (tx.logCount > 0) {
    write(ctx, LOG_COUNT_KEY, logCount + BigInt(tx.logCount))
    const bloom = blockBloom(ctx)
    for (let i = 0; i < bloom.length; i++) bloom[i]! |= tx.bloom[i]!
    ctx.transient.set(TRANSIENT_STORE, BLOOM_KEY, bloom)
  }
  return { evmIndex: Number(index), firstLogIndex: Number(logCount), cumulativeGasUsed }
}

/** Bloom of the block so far, 256 bytes of the caller's own. */
export function blockBloom(ctx: Context): Uint8Array {
  return ctx.transient.get(TRANSIENT_STORE, BLOOM_KEY)?.slice() ?? new Uint8Array(256)
}
