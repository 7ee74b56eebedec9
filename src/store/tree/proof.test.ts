import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { iavlSpec, ics23, tendermintSpec, verifyExistence, verifyNonExistence } from '@confio/ics23'
import { describe, expect, test } from 'vitest'
import { openDisk } from '../../node/disk.ts'
import { equal, formatHex, hex, utf8 } from '../../primitives/bytes.ts'
import { sha256 } from '../../primitives/hash.ts'
import type { Backend } from '../backend/backend.ts'
import { openMemory } from '../backend/memory.ts'
import { randomBlock, STORES, seeded } from '../testing/backend-contract.ts'
import { openTestStore } from '../testing/test-store.ts'
import type { Change, StoreProof } from '../types.ts'
import type { VersionedStore, VersionedStoreOptions } from '../versioned.ts'

/** Verifies a proof like a client: decodes it, and checks that it leads from key and value to the app hash. */
function verify(proof: StoreProof, store: string, key: Uint8Array, appHash: Uint8Array): void {
  const outer = ics23.CommitmentProof.decode(proof.storeProof).exist
  const inner = ics23.CommitmentProof.decode(proof.keyProof)
  if (!outer?.value) throw new Error('no proof of the store')
  verifyExistence(outer, tendermintSpec, appHash, utf8(store), outer.value)
  if (proof.value) {
    if (!inner.exist) throw new Error('no proof of presence')
    verifyExistence(inner.exist, iavlSpec, outer.value, key, proof.value)
  } else {
    if (!inner.nonexist?.key || !equal(inner.nonexist.key, key))
      throw new Error('a proof of the absence of another key')
    verifyNonExistence(inner.nonexist, iavlSpec, outer.value, key)
  }
}

/** Verifies like `verify`, and also empty stores, by their root, and empty values, which verifiers do not accept. */
function verifyAny(proof: StoreProof, store: string, key: Uint8Array, appHash: Uint8Array): void {
  const isEmptyStore = equal(proof.storeRoot, sha256(new Uint8Array(0)))
  const [exist] = [ics23.CommitmentProof.decode(proof.storeProof).exist!]
  if (isEmptyStore) {
    expect(proof.value).toBeUndefined()
    verifyExistence(exist, tendermintSpec, appHash, utf8(store), proof.storeRoot)
  } else if (hasEmptyValue(proof)) {
    verifyExistence(exist, tendermintSpec, appHash, utf8(store), proof.storeRoot)
  } else verify(proof, store, key, appHash)
}

/** Whether a leaf of the proof has an empty value, which the chain's tree allows and the verifier does not accept. */
function hasEmptyValue({ keyProof }: StoreProof): boolean {
  const { exist, nonexist } = ics23.CommitmentProof.decode(keyProof)
  return [exist, nonexist?.left, nonexist?.right].some((leaf) => leaf && leaf.value?.length === 0)
}

const BACKENDS: readonly (readonly [string, () => { backend: Backend; again(): Promise<Backend>; clean(): void }])[] = [
  [
    'memory',
    () => {
      const backend = openMemory()
      return { backend, again: async () => backend, clean() {} }
    },
  ],
  [
    'LMDB',
    () => {
      const path = mkdtempSync(join(tmpdir(), 'almanac-proof-'))
      let backend = openDisk(path, { noSync: true })
      return {
        backend,
        async again() {
          await backend.close()
          backend = openDisk(path, { noSync: true })
          return backend
        },
        clean: () => rmSync(path, { recursive: true, force: true }),
      }
    },
  ],
]

function proveAt(store: VersionedStore, height: number, name: string, key: Uint8Array): StoreProof {
  const snapshot = store.at(BigInt(height))
  try {
    const proof = snapshot.proofs.prove(name, key)
    expect(proof.value).toEqual(snapshot.get(name, key))
    expect(snapshot.proofs.isReady()).toBe(true)
    return proof
  } finally {
    snapshot.close()
  }
}

const randomKey = (below: (n: number) => number) =>
  Uint8Array.of(below(4) === 0 ? 0xff : 1, below(24)).subarray(0, 1 + below(2))

describe.each(BACKENDS)('proofs over %s', (_name, make) => {
  const spacing: Partial<VersionedStoreOptions> = { checkpoints: { blocks: 20, changedKeys: 300 } }

  test.each([1, 2])(
    'proofs of any key at any height verify against the app hash of that height (seed %i)',
    async (seed) => {
      const { backend, again, clean } = make()
      const below = seeded(seed)
      let store = openTestStore(backend, spacing)
      const hashes: Uint8Array[] = [new Uint8Array(0)]
      let verified = 0
      const proveSome = (height: number) => {
        for (const name of STORES) {
          const key = randomKey(below)
          const proof = proveAt(store, height, name, key)
          expect(formatHex(proof.appHash)).toBe(formatHex(hashes[height]!))
          verifyAny(proof, name, key, hashes[height]!)
          verified++
        }
      }
      for (let height = 1; height <= 120; height++) {
        hashes.push(store.commit({ height: BigInt(height), changes: randomBlock(below, below(30)) }).appHash)
        proveSome(height)
        proveSome(1 + below(height))
        if (height % 50 === 7) store = openTestStore(await again(), spacing)
      }
      for (let height = 120; height >= 1; height -= 3) proveSome(height)
      expect(verified).toBe(840)
      await store.close()
      clean()
    },
  )

  test('proofs of stored heights stay valid when older heights are pruned, and no unreferenced page remains', async () => {
    const { again, clean, ...made } = make()
    let { backend } = made
    const below = seeded(4)
    const options = { checkpoints: { blocks: 5, changedKeys: 1000 }, keepHeights: 12 }
    let store = openTestStore(backend, options)
    const hashes: Uint8Array[] = [new Uint8Array(0)]
    for (let height = 1; height <= 150; height++) {
      hashes.push(store.commit({ height: BigInt(height), changes: randomBlock(below, 20) }).appHash)
      const earliest = Number(store.earliestHeight())
      expect(earliest).toBe(Math.max(1, height - 11))
      for (const asked of [earliest, earliest + below(height - earliest + 1)]) {
        verifyAny(proveAt(store, asked, 'bank', Uint8Array.of(1)), 'bank', Uint8Array.of(1), hashes[asked]!)
      }
      if (height !== 77) continue
      backend = await again()
      store = openTestStore(backend, options)
    }
    expect(() => store.at(138n)).toThrow('height 138 is pruned: the earliest height is 139')
    expect([...backend.iterate('checkpoint')].length).toBeLessThanOrEqual(5)
    // Three trees of at most 25 leaves, at no more than five checkpoints.
    expect([...backend.iterate('node')].length).toBeLessThan(3 * 20 * 5)
    await store.close()
    clean()
  })
})

test('a reader in another process proves the heights that it reads, and newly committed ones', async () => {
  const path = mkdtempSync(join(tmpdir(), 'almanac-proof-'))
  const writer = openTestStore(openDisk(path, { noSync: true }), { checkpoints: { blocks: 10 } })
  const reader = openTestStore(openDisk(path, { readOnly: true }))
  const below = seeded(11)
  for (let height = 1; height <= 45; height++) {
    const { appHash } = writer.commit({ height: BigInt(height), changes: randomBlock(below, 20) })
    const snapshot = reader.at()
    const proof = snapshot.proofs.prove('bank', Uint8Array.of(1))
    expect(proof.appHash).toEqual(appHash)
    verifyAny(proof, 'bank', Uint8Array.of(1), appHash)
    snapshot.close()
  }
  expect(proveAt(reader, 3, 'evm', Uint8Array.of(9))).toEqual(proveAt(writer, 3, 'evm', Uint8Array.of(9)))
  const before = proveAt(reader, 40, 'bank', Uint8Array.of(1))
  writer.rollback({ height: 39n })
  writer.commit({ height: 40n, changes: [{ store: 'bank', key: Uint8Array.of(1), value: utf8('another') }] })
  const after = proveAt(reader, 40, 'bank', Uint8Array.of(1))
  expect(after.appHash).toEqual(writer.appHash())
  expect(after.appHash).not.toEqual(before.appHash)
  await reader.close()
  await writer.close()
  rmSync(path, { recursive: true, force: true })
})

/** Creates a store with the keys, each with a different value. */
function storeOf(keys: readonly string[]): VersionedStore {
  const store = openTestStore(openMemory())
  const changes: Change[] = keys.map((key) => ({ store: 'bank', key: hex(key), value: utf8(`value of ${key}`) }))
  store.commit({ height: 1n, changes })
  return store
}

const flipped = (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i === at ? byte ^ 0xff : byte))

describe('the public verifier', () => {
  test.each([
    ['one key, itself proved', ['05'], '05'],
    ['one key, proved before it', ['05'], '04'],
    ['one key, proved after it', ['05'], '0501'],
    ['two keys, proved between them', ['05', '07'], '06'],
    ['seven keys, proved before the first', ['02', '03', '04', '05', '06', '07', '08'], '01'],
    ['seven keys, proved after the last', ['02', '03', '04', '05', '06', '07', '08'], 'ff'],
    ['seven keys, the middle one proved', ['02', '03', '04', '05', '06', '07', '08'], '05'],
    ['a key that is a prefix of another', ['0202', '020202', '03'], '0202'],
    ['a key between another and its prefix', ['0202', '020202', '03'], '020201'],
  ])('accepts the proof of a store with %s, and refuses it with any byte changed', (_case, keys, asked) => {
    const key = hex(asked)
    const proof = proveAt(storeOf(keys), 1, 'bank', key)
    const { appHash } = proof
    verify(proof, 'bank', key, appHash)
    const refuses = (changed: Partial<StoreProof>, otherKey = key, otherHash = appHash) =>
      expect(() => verify({ ...proof, ...changed }, 'bank', otherKey, otherHash)).toThrow()
    for (let i = 0; i < proof.keyProof.length; i++) refuses({ keyProof: flipped(proof.keyProof, i) })
    for (let i = 0; i < proof.storeProof.length; i++) refuses({ storeProof: flipped(proof.storeProof, i) })
    for (let i = 0; i < 32; i++) refuses({}, key, flipped(appHash, i))
    for (let i = 0; i < key.length; i++) refuses({}, flipped(key, i))
    const { value } = proof
    for (let i = 0; i < (value?.length ?? 0); i++) refuses({ value: flipped(value!, i) })
    refuses({ value: value ? undefined : utf8('a value') })
  })

  test('does not accept absence in an empty store, which the proof of the root shows', () => {
    const proof = proveAt(storeOf(['05']), 1, 'acc', hex('05'))
    expect(proof.storeRoot).toEqual(sha256(new Uint8Array(0)))
    verifyAny(proof, 'acc', hex('05'), proof.appHash)
    expect(() => verify(proof, 'acc', hex('05'), proof.appHash)).toThrow('neither left nor right proof defined')
  })
})

test('proofs have the bytes of the reference implementation of IAVL', () => {
  const store = openTestStore(openMemory(), { hashedStores: ['inflation', 'crisis'] })
  const [period, skipped] = [hex('000000000000000000'), hex('010000000000000000')]
  store.commit({
    height: 1n,
    changes: [
      { store: 'inflation', key: period, value: hex('000000000000000c') },
      { store: 'inflation', key: skipped, value: hex('0000000000000002') },
    ],
  })
  const proof = proveAt(store, 1, 'inflation', skipped)
  const { exist } = ics23.CommitmentProof.decode(proof.keyProof)
  expect(formatHex(exist!.leaf!.prefix!)).toBe('000202')
  expect(exist!.path!.map(({ prefix, suffix }) => [formatHex(prefix!), formatHex(suffix ?? hex(''))])).toEqual([
    ['020402207bd864612652b6b96f7a63fb43a705cbe59219aa20fab21c3ca3485e662d117b20', ''],
  ])
  expect(formatHex(proof.storeRoot)).toBe('591303fb906b0f44c47cfd99da3dd6ef0227563ff528e92b8661ccc8f974d2f7')
  expect(formatHex(proof.appHash)).toBe('dabacf0004114260db53e2ad305813cf952f5eab7e535bf18ac35929bb681a7f')
  const outer = ics23.CommitmentProof.decode(proof.storeProof).exist!
  expect(outer.path!.map(({ prefix, suffix }) => [formatHex(prefix!), formatHex(suffix ?? hex(''))])).toEqual([
    [
      `01${formatHex(sha256(hex('0006637269736973205df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456')))}`,
      '',
    ],
  ])
})

test('invalid requests for proofs are refused', () => {
  const store = storeOf(['05'])
  expect(() => proveAt(store, 1, 'bank', hex(''))).toThrow('the key of a proof must not be empty')
  expect(() => proveAt(store, 1, 'nowhere', hex('05'))).toThrow('there is no store nowhere in the app hash')
})
