/** IAVL trees over nodes, keys and a batch in one memory: what `src/store/tree/tree-program.ts` calls. */
import { clearNotes } from './hashes'
import { clearKeys } from './keys'
import { clearLists } from './lists'
import { clearNodes } from './nodes'
import { clearRoom } from './room'

export { ensureHash } from './hashes'
export { handOver } from './lists'
export { freeNodes, nodeCount } from './nodes'
export { abandon, ensureLoaded, ensurePage, refer, takePage } from './pages'
export { keep, writeAll, writeTrees } from './write'

/** Forgets every node and key. */
export function clear(): void {
  clearRoom()
  clearNodes()
  clearKeys()
  clearNotes()
  clearLists()
}
