/**
 * The app hash of a state, computed from its keys and values without the program of the trees, which has computed it before.
 * Source of the hashes: docs/state-layout.md#app-hash.
 */
import { sha256 } from '../../primitives/hash.ts'
import { createOutput, finish, type Output, putBytes, putVarint } from '../../primitives/varint.ts'
import { merkleRoot, storeLeaf } from '../tree/multi-store.ts'
import type { StateExport } from './export.ts'
import { damaged, type Item } from './items.ts'

export interface RecomputedState {
  readonly appHash: Uint8Array
  /** Number of keys. */
  readonly keys: number
}

/** A subtree whose parent has not come yet. */
interface Subtree {
  readonly size: number
  readonly hash: Uint8Array
}

type NodeItem = Extract<Item, { kind: 'node' }>

const EMPTY_TREE_HASH = sha256(new Uint8Array(0))
const HASH_BYTES = 32
const KEYS_PER_REPORT = 100_000

/**
 * Computes the app hash of a state from its values and the shapes of its trees. Memory does not grow with the state. `onKeys`
 * receives the number of keys so far. Throws an `Error` or `dataLoss` if a tree and its values do not belong together.
 */
export function recomputeAppHash(
  state: Pick<StateExport, 'items'>,
  onKeys: (count: number) => void = () => undefined,
): RecomputedState {
  let keys = 0
  let store: string | undefined
  const waiting: Subtree[] = []
  const leaves: Uint8Array[] = []

  function leaveStore(): void {
    if (store === undefined) return
    if (waiting.length > 1) throw damaged(`store ${store} has ${waiting.length} separate trees`)
    leaves.push(storeLeaf(store, waiting.pop()?.hash ?? EMPTY_TREE_HASH))
    store = undefined
  }

  function addNode(node: NodeItem): void {
    if (node.height === 0) {
      waiting.push({ size: 1, hash: leafHash(node) })
      if (++keys % KEYS_PER_REPORT === 0) onKeys(keys)
      return
    }
    const right = waiting.pop()
    const left = waiting.pop()
    if (!left || !right) throw damaged(`a node of store ${store} lacks a child`)
    waiting.push({ size: left.size + right.size, hash: innerHash(node, left, right) })
  }

  for (const item of state.items()) {
    if (item.kind === 'node') {
      addNode(item)
      continue
    }
    leaveStore()
    if (item.kind === 'store') store = item.name
  }
  leaveStore()
  return { appHash: merkleRoot(leaves), keys }
}

function leafHash({ key, value, version }: NodeItem): Uint8Array {
  const out = begin(0, 1, version)
  putVarint(out, key.length)
  putBytes(out, key)
  putHash(out, sha256(value))
  return sha256(finish(out))
}

function innerHash({ height, version }: NodeItem, left: Subtree, right: Subtree): Uint8Array {
  const out = begin(height, left.size + right.size, version)
  putHash(out, left.hash)
  putHash(out, right.hash)
  return sha256(finish(out))
}

/** Begins the hashed message of a node. The numbers are signed varints. */
function begin(height: number, size: number, version: number): Output {
  const out = createOutput()
  for (const number of [height, size, version]) putVarint(out, number * 2)
  return out
}

function putHash(out: Output, hash: Uint8Array): void {
  putVarint(out, HASH_BYTES)
  putBytes(out, hash)
}
