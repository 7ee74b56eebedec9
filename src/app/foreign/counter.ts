/** The count of a block's ordinary transactions that the reference keeps for contracts of its other machine (state-layout.md §1.1). */
import { concat, decodeUint, decodeUint64, encodeUint, encodeUint64 } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'

const STORE = 'wasm'
const KEY = Uint8Array.of(0x08)
const HEIGHT_LENGTH = 8
const COUNT_LENGTH = 4

/** One more transaction of the block, at the price of a look and a write. */
export function countTransaction(ctx: Context): void {
  const { height } = ctx.block
  const stored = ctx.store.get(STORE, KEY)
  const isOfBlock = stored !== undefined && decodeUint64(stored) === height
  const count = isOfBlock ? decodeUint(stored.subarray(HEIGHT_LENGTH)) : 0n
  ctx.store.set(STORE, KEY, concat(encodeUint64(height), encodeUint(count + 1n, COUNT_LENGTH)))
}
