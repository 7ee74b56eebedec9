/** Room behind the fixed regions, taken piece by piece and given back all at once. */
import { noMemory } from './host'
import { START } from './layout'

const PAGE_BYTES: usize = 0x10000

let top: usize = START

/** So many bytes, of which 64 divide the address if they divide their number. */
export function takeRoom(bytes: usize): usize {
  const at = top
  const size = (memory.size() as usize) << 16
  if (at + bytes > size) {
    const missing = (at + bytes - size + PAGE_BYTES - 1) >>> 16
    // An eighth at a time: what lies idle is memory too.
    if (memory.grow(max(missing, size >>> 19) as i32) < 0 && memory.grow(missing as i32) < 0) noMemory()
  }
  top = at + bytes
  return at
}

/** Takes all back. */
export function clearRoom(): void {
  top = START
}
