/** Bloom filters of logs: 2048 bits, three for every address and topic. */
import { keccak256 } from '../primitives/hash.ts'
import type { EvmLog } from './state.ts'

function add(bloom: Uint8Array, value: Uint8Array): void {
  const hash = keccak256(value)
  for (let i = 0; i < 6; i += 2) {
    const bit = ((hash[i]! << 8) | hash[i + 1]!) & 2047
    bloom[255 - (bit >> 3)]! |= 1 << (bit & 7)
  }
}

/** Returns the filter of the logs, 256 bytes. */
export function bloomOf(logs: readonly EvmLog[]): Uint8Array {
  const bloom = new Uint8Array(256)
  for (const { address, topics } of logs) {
    add(bloom, address)
    for (const topic of topics) add(bloom, topic)
  }
  return bloom
}
