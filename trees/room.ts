/** Room behind the fixed regions, taken piece by piece and given back all at once. */
import { noMemory } from './host'
import { ROOM_TAKEN, START } from './layout'

const PAGE_BYTES: usize = 0x10000

/** So many bytes, of which 64 divide the address if they divide their number. */
export function takeRoom(bytes: usize): usize {
  const at = START + (load<u32>(ROOM_TAKEN) as usize)
  const size = (memory.size() as usize) << 16
  if (at + bytes > size) {
    const missing = (at + bytes - size + PAGE_BYTES - 1) >>> 16
    // An eighth at a time: what lies idle is memory too.
    if (memory.grow(max(missing, size >>> 19) as i32) < 0 && memory.grow(missing as i32) < 0) noMemory()
  }
  store<u32>(ROOM_TAKEN, (at + bytes - START) as u32)
  return at
}

/** Takes all back. */
export function clearRoom(): void {
  store<u32>(ROOM_TAKEN, 0)
}
