/** Rollback of a chain's store together with its index. */
import { rollbackRows } from '../indexer/rollback.ts'
import type { VersionedStore } from '../store/versioned.ts'

/** Goes back to a kept height in one transaction. Throws the errors of `VersionedStore.rollback`; then nothing changes. */
export function rollbackChain(
  store: Pick<VersionedStore, 'rollback' | 'tables'>,
  height: bigint,
): { readonly appHash: Uint8Array } {
  const rows = rollbackRows(store.tables, height)
  return store.rollback({ height, records: () => rows })
}
