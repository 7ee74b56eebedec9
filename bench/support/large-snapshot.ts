/** A snapshot of a real chain's state with many more keys in one store. */
import { compare } from '../../src/primitives/bytes.ts'
import { sha256 } from '../../src/primitives/hash.ts'
import type { StateExport } from '../../src/store/sync/export.ts'
import type { Item } from '../../src/store/sync/items.ts'

const EMPTY = new Uint8Array(0)

interface Leaf {
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/** Returns storage slots of contracts: 53 bytes of key, 32 of value. */
function slots(count: number): Leaf[] {
  const leaves: Leaf[] = []
  const seed = new Uint8Array(4)
  for (let i = 0; i < count; i++) {
    new DataView(seed.buffer).setUint32(0, i)
    const value = sha256(seed)
    const key = new Uint8Array(53)
    key[0] = 2
    key.set(sha256(value).subarray(0, 20), 1)
    key.set(value, 21)
    leaves.push({ key, value })
  }
  return leaves
}

/** Yields a balanced tree over leaves in order. Returns its height. Bounded by: the logarithm of their number. */
function* tree(leaves: readonly Leaf[], from: number, to: number): Generator<Item, number> {
  if (to - from === 1) {
    yield { kind: 'node', ...leaves[from]!, version: 1, height: 0 }
    return 0
  }
  const middle = (from + to) >>> 1
  const left = yield* tree(leaves, from, middle)
  const right = yield* tree(leaves, middle, to)
  const height = Math.max(left, right) + 1
  yield { kind: 'node', key: leaves[middle]!.key, value: EMPTY, version: 1, height }
  return height
}

/** Returns the state with a number of further keys in the store of the EVM. */
export function enlarged(state: Pick<StateExport, 'items'>, more: number): Pick<StateExport, 'items'> {
  return {
    *items() {
      let own: Leaf[] | undefined
      for (const item of state.items()) {
        if (own && item.kind === 'node') {
          if (item.height === 0) own.push(item)
          continue
        }
        if (own) {
          const leaves = [...own, ...slots(more)].sort((a, b) => compare(a.key, b.key))
          yield* tree(leaves, 0, leaves.length)
          own = undefined
        }
        yield item
        if (item.kind === 'store' && item.name === 'evm') own = []
      }
    },
  }
}
