/** Running totals of the EVM transactions of a block, in the transient store: they are never committed. */
import { decodeUint64, encodeUint64 } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'
import { BLOOM_KEY, GAS_USED_KEY, LOG_COUNT_KEY, TRANSIENT_STORE, TX_INDEX_KEY } from './state.ts'

/** The position of a transaction among the EVM transactions of its block. */
export interface BlockPosition {
  readonly evmIndex: number
  readonly firstLogIndex: number
  /** Gas used by the block's EVM transactions up to this one, inclusive. */
  readonly cumulativeGasUsed: bigint
}

function read(ctx: Context, key: Uint8Array): bigint {
  const value = ctx.transient.get(TRANSIENT_STORE, key)
  return value ? decodeUint64(value) : 0n
}

function write(ctx: Context, key: Uint8Array, value: bigint): void {
  ctx.transient.set(TRANSIENT_STORE, key, encodeUint64(value))
}

/** Returns the index of the block's next EVM transaction. */
export function nextIndex(ctx: Context): number {
  return Number(read(ctx, TX_INDEX_KEY))
}

/** Adds an executed transaction to the totals, and returns its position. */
export function addToBlock(
  ctx: Context,
  tx: { readonly gasUsed: bigint; readonly logCount: number; readonly bloom: Uint8Array },
): BlockPosition {
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

/** Returns a copy of the block's bloom so far, 256 bytes. */
export function blockBloom(ctx: Context): Uint8Array {
  return ctx.transient.get(TRANSIENT_STORE, BLOOM_KEY)?.slice() ?? new Uint8Array(256)
}
