/** The heap after the fixed regions. Memory is allocated in pieces and released all at once. */
import { noMemory } from './host'
import { HEAP_USED, START } from './layout'

const PAGE_BYTES: usize = 0x10000

/** Allocates bytes. The address is a multiple of 64 if all sizes so far are. */
export function allocateBytes(bytes: usize): usize {
  const at = START + (load<u32>(HEAP_USED) as usize)
  const size = (memory.size() as usize) << 16
  if (at + bytes > size) {
    const missing = (at + bytes - size + PAGE_BYTES - 1) >>> 16
    // Grow by an eighth: idle memory costs too.
    if (memory.grow(max(missing, size >>> 19) as i32) < 0 && memory.grow(missing as i32) < 0) noMemory()
  }
  store<u32>(HEAP_USED, (at + bytes - START) as u32)
  return at
}

/** Releases all memory of the heap. */
export function resetHeap(): void {
  store<u32>(HEAP_USED, 0)
}
