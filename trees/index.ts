/** IAVL trees over nodes, keys and a batch in one memory: what `src/store/tree-program.ts` calls. */
import { clearNotes } from './hashes'
import { clearKeys } from './keys'
import { BATCH } from './layout'
import { clearLists } from './lists'
import { clearNodes, freeNode } from './nodes'
import { clearRoom } from './room'

export { hashValues } from './change'
export { ensureHash } from './hashes'
export { handOver } from './lists'
export { nodeCount } from './nodes'
export { abandon, ensureLoaded, ensurePage, refer, takePage } from './pages'
export { keep, writeAll } from './write'

/** Frees as many nodes as the host has put to BATCH. */
export function freeNodes(count: u32): void {
  for (let i: u32 = 0; i < count; i++) freeNode(load<i32>(BATCH + ((i as usize) << 2)))
}

/** Forgets every node and key. */
export function clear(): void {
  clearRoom()
  clearNodes()
  clearKeys()
  clearNotes()
  clearLists()
}
