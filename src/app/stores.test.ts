import { expect, test } from 'vitest'
import { identityOf } from '../identity/profiles.ts'
import { utf8 } from '../primitives/bytes.ts'
import { openMemory } from '../store/backend/memory.ts'
import { createBranch } from '../store/branch.ts'
import { openVersionedStore } from '../store/versioned.ts'
import { ALMANAC_STORES, REFERENCE_STORES, storesOf } from './stores.ts'

test('only profiles of a real chain leave the own store out of the app hash', () => {
  expect(storesOf(identityOf('almanac'))).toBe(ALMANAC_STORES)
  expect(storesOf(identityOf('nibiru'))).toBe(REFERENCE_STORES)
  expect(ALMANAC_STORES.hashedStores).toEqual([...REFERENCE_STORES.hashedStores, ...REFERENCE_STORES.otherStores])
})

test('a write to an undeclared store says where to add the store', () => {
  const store = openVersionedStore(openMemory(), ALMANAC_STORES)
  const write = { store: 'newmodule', key: utf8('k'), value: utf8('v') }
  const message =
    'store "newmodule" is not declared: add it to the stores of the application (src/app/stores.ts), or to the store changes of an upgrade'
  expect(() => store.commit({ height: 1n, changes: [write] })).toThrow(message)
  const reopened = openVersionedStore(openMemory(), ALMANAC_STORES)
  reopened.commit({ height: 1n, changes: [] })
  expect(() => createBranch(reopened.at()).set('newmodule', write.key, write.value)).toThrow(message)
})
