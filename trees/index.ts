/** The exports of the tree program: IAVL trees in one linear memory. `src/store/tree/tree-program.ts` calls them. */
import { resetLists } from './hashes'
import { clearKeys } from './keys'
import { clearLists } from './lists'
import { clearNodes } from './nodes'
import { resetHeap } from './heap'

export { ensureHash } from './hashes'
export { importNodes } from './import'
export { flushLists } from './lists'
export { freeNodes, nodeCount } from './nodes'
export { abandon, ensureLoaded, ensurePage, parsePage, refer, unload } from './pages'
export { freeze, writeAll, writeTrees } from './write'

/** Drops all nodes and keys. */
export function clear(): void {
  resetHeap()
  clearNodes()
  clearKeys()
  resetLists()
  clearLists()
}
