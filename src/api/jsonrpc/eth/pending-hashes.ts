/** The hashes of the last pending transactions, kept once for all filters. */
import type { Driver } from '../../../consensus/driver.ts'
import { formatHex0x } from '../../../primitives/bytes.ts'

/** Hashes of pending transactions that wait for the polls of filters. Beyond: a filter that polls later misses the oldest. */
export const MAX_PENDING_HASHES = 10_000

export interface PendingHashes {
  /** Returns the position after the last hash; hashes are kept from the first call on. */
  position(): number
  /** Returns the hashes from a position on. */
  since(position: number): string[]
  close(): void
}

export function createPendingHashes(driver: Driver): PendingHashes {
  const ring: Uint8Array[] = []
  let next = 0
  let close: (() => void) | undefined
  return {
    position() {
      close ??= driver.onPending(({ evm }) => {
        if (evm) ring[next++ % MAX_PENDING_HASHES] = evm.hash
      })
      return next
    },
    since(position) {
      const hashes: string[] = []
      for (let i = Math.max(position, next - MAX_PENDING_HASHES); i < next; i++) {
        hashes.push(formatHex0x(ring[i % MAX_PENDING_HASHES]!))
      }
      return hashes
    },
    close: () => close?.(),
  }
}
