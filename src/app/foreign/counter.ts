/** The reference's counter of SDK transactions in a block, in its Wasm store (docs/state-layout.md#foreign-modules). */
import { concat, decodeUint, decodeUint64, encodeUint, encodeUint64 } from '../../primitives/bytes.ts'
import type { Context } from '../../sdk/context.ts'

const STORE = 'wasm'
const KEY = Uint8Array.of(0x08)
const HEIGHT_LENGTH = 8
const COUNT_LENGTH = 4

/** Counts an SDK transaction of the block. Consumes the gas of one read and one write. */
export function countTransaction(ctx: Context): void {
  const { height } = ctx.block
  const stored = ctx.store.get(STORE, KEY)
  const isOfBlock = stored !== undefined && decodeUint64(stored) === height
  const count = isOfBlock ? decodeUint(stored.subarray(HEIGHT_LENGTH)) : 0n
  ctx.store.set(STORE, KEY, concat(encodeUint64(height), encodeUint(count + 1n, COUNT_LENGTH)))
}
