import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openStore } from './backend.ts'

const STORES = { hashedStores: ['acc', 'bank'], otherStores: [] }

test('a store that cannot be opened closes its database', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-backend-'))
  const { store } = await openStore({ path }, STORES)
  store.commit({ height: 1n, changes: [{ store: 'bank', key: Uint8Array.of(1), value: Uint8Array.of(1) }] })
  await store.close()
  await expect(openStore({ path }, { ...STORES, hashedStores: ['acc'] })).rejects.toThrow(
    'the trees on disk have the stores acc bank',
  )
  // A database that were still open would be found again under its path.
  rmSync(path, { recursive: true })
  const fresh = await openStore({ path }, STORES)
  expect(fresh.store.latestHeight()).toBe(0n)
  await fresh.store.close()
  rmSync(path, { recursive: true })
})
