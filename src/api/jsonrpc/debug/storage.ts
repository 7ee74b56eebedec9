/** `debug_storageRangeAt`: the storage of a contract within a block, in pages, as in geth. */
import type { StoragePayload } from '../../../app/storage-job.ts'
import type { StorageRange } from '../../../modules/evm/tracing/storage-range.ts'
import { formatHex } from '../../../primitives/bytes.ts'
import { placeBefore } from '../../trace-request.ts'
import { invalidParams } from '../errors.ts'
import { storedBlock } from '../eth/block-ref.ts'
import type { JsonObject } from '../format.ts'
import { anyMethod, type Methods } from '../method.ts'
import { address, block, bytes, decimalOrQuantity } from '../params.ts'

/** Slots in one page of `debug_storageRangeAt`. Beyond: the answer names the next key. */
const MAX_SLOTS = 10_000

function formatRange({ slots, next }: StorageRange): JsonObject {
  const entries = slots.map(({ hash, slot, value }) => [hash, { key: slot, value }] as const)
  return { storage: Object.fromEntries(entries), nextKey: next ?? null }
}

export const storageMethods: Methods = {
  debug_storageRangeAt: anyMethod(
    [block, decimalOrQuantity, address, bytes, decimalOrQuantity],
    async ({ node, signal }, ref, index, contract, start, most) => {
      if (start.length > 32) throw invalidParams(`keyStart has ${start.length} bytes, at most 32`)
      const { height, within } = placeBefore(node, storedBlock(node, ref), index)
      const payload: StoragePayload = {
        within,
        address: contract,
        start: `0x${formatHex(start).padEnd(64, '0')}`,
        most: Math.min(Number(most), MAX_SLOTS),
      }
      const range = await node.compute.run('storageRange', payload, { height, signal: signal() })
      return formatRange(range as StorageRange)
    },
  ),
}
