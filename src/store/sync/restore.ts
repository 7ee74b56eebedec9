/**
 * Restores a store from the items of a state snapshot: the newest values, the trees with the versions of their nodes, and a
 * checkpoint. Memory does not grow with the state. Source: docs/state-sync.md#restore.
 */
import { equal } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { createOutput, finish } from '../../primitives/varint.ts'
import { type Backend, isTooLong } from '../backend/backend.ts'
import { tipRow } from '../history/heights.ts'
import { readRegistry } from '../history/registry.ts'
import type { StoreChanges } from '../history/store-changes.ts'
import { appendRef } from '../history/version-refs.ts'
import { compareTexts } from '../order.ts'
import { HEAD } from '../tables.ts'
import { type Checkpoint, checkpointRows, pageRows, readPage, removePages } from '../tree/checkpoints.ts'
import { merkleRoot, storeLeaf } from '../tree/multi-store.ts'
import { mismatch } from '../tree/tree-roots.ts'
import { createTreeStore } from '../tree/tree-store.ts'
import type { TableWrite } from '../types.ts'
import { extensionRows } from './extensions.ts'
import { importTree, type TreeImport } from './import-tree.ts'
import { damaged, type Item } from './items.ts'
import { restoredRow } from './restored-height.ts'

export interface RestoreOptions {
  readonly height: number
  /** Stores in the app hash at the beginning of a chain, and those outside it. */
  readonly hashedStores: readonly string[]
  readonly otherStores: readonly string[]
  /** Number of nodes of trees in memory after which they are saved to pages. */
  readonly nodesInMemory?: number
}

export interface Restore {
  /** Takes the next items, and writes their rows in one transaction. Throws `dataLoss` with what is wrong with one. */
  add(items: Iterable<Item>): void
  /**
   * Completes the store, which can then be opened at the height. Throws `dataLoss`, and leaves an empty store, if the app hash is
   * not the expected one; undefined expects any.
   */
  finish(expected: Uint8Array | undefined): { readonly appHash: Uint8Array; readonly stores: readonly string[] }
}

const NODES_IN_MEMORY = 100_000
const MAX_STORES = 255

interface RestoredStore {
  readonly name: string
  readonly root: Checkpoint['trees'][number]['reference']
}

/** Begins a restore into an empty backend, in which nothing else may be written until it has finished. */
export function createRestore(backend: Backend, options: RestoreOptions): Restore {
  const { height, hashedStores, otherStores, nodesInMemory = NODES_IN_MEMORY } = options
  let nextPage = 1
  let leaves = 0
  let current: { readonly name: string; readonly prefix: number; readonly tree: TreeImport } | undefined
  const stores: RestoredStore[] = []
  const dropped: number[] = []
  const treeStore = createTreeStore(
    (page) => readPage(backend, page),
    () => nextPage++,
  )
  const references = referencesAt(height)
  const extensions = extensionRows()

  function* leaveStore(): IterableIterator<TableWrite> {
    if (!current) return
    yield* pageRows(current.tree.save())
    stores.push({ name: current.name, root: current.tree.root() })
    treeStore.clear()
    current = undefined
  }

  function enterStore(name: string): void {
    if (extensions.hasAny()) throw damaged(`store ${name} comes after an extension`)
    const before = stores.at(-1)
    if (before && compareTexts(before.name, name) >= 0) throw damaged(`store ${name} comes after store ${before.name}`)
    if (stores.length === MAX_STORES) throw damaged(`it has more than ${MAX_STORES} stores`)
    current = {
      name,
      prefix: stores.length,
      tree: importTree(treeStore, name, nodesInMemory, (page) => dropped.push(page)),
    }
  }

  function addNode(item: Extract<Item, { kind: 'node' }>): TreeImport {
    if (!current) throw damaged('a node comes before the first store')
    const { key, value, version, height: treeHeight } = item
    const { tree, name } = current
    if (version > height) throw damaged(`store ${name} has a node of height ${version}, after its own ${height}`)
    if (treeHeight > 0 && value.length > 0) throw damaged(`an inner node of store ${name} has a value`)
    tree.add({ key, value: treeHeight === 0 ? value : undefined, version, height: treeHeight })
    return tree
  }

  function leafRow({ key, value }: Extract<Item, { kind: 'node' }>): TableWrite {
    leaves++
    const { name, prefix } = current!
    return { table: HEAD, key: headKey(name, prefix, key), value: withReferences(references, value) }
  }

  function* rowsOf(items: Iterable<Item>): IterableIterator<TableWrite> {
    for (const item of items) {
      switch (item.kind) {
        case 'store':
          yield* leaveStore()
          enterStore(item.name)
          break
        case 'node': {
          const tree = addNode(item)
          if (item.height === 0) yield leafRow(item)
          if (tree.isFull()) yield* pageRows(tree.save())
          break
        }
        default:
          yield* leaveStore()
          yield extensions.row(item)
      }
    }
  }

  return {
    add: (items) => backend.write(rowsOf(items)),
    finish(expected) {
      backend.write(leaveStore())
      const names = stores.map(({ name }) => name)
      const appHash = merkleRoot(stores.map(({ name, root }) => storeLeaf(name, root?.hash ?? treeStore.rootHash(0))))
      if (expected && !equal(appHash, expected))
        throw queryError('dataLoss', `the snapshot gives ${mismatch(appHash, expected)}`)
      const changes = storeChanges(hashedStores, names)
      const registry = readRegistry(backend, hashedStores, otherStores)
      const registered: TableWrite[] = changes ? [registry.begin(height, changes)] : []
      for (const name of names) {
        const { row } = registry.numberFor(name)
        if (row) registered.push(row)
      }
      const checkpoint: Checkpoint = {
        height,
        nextPage,
        changes: leaves,
        trees: stores.map(({ name, root }) => ({ name, reference: root })),
      }
      const tip = { height, earliest: height, logFrom: height + 1, rollbacks: 0, appHash }
      backend.write([
        ...removePages(dropped),
        ...registered,
        ...checkpointRows(checkpoint, { written: [], dropped: [] }),
        restoredRow(height),
        tipRow(tip),
      ])
      return { appHash, stores: names }
    },
  }
}

/** Returns the stores of a snapshot as changes of those that a chain begins with; undefined if they are the same. */
function storeChanges(before: readonly string[], after: readonly string[]): StoreChanges | undefined {
  const added = after.filter((name) => !before.includes(name))
  const deleted = before.filter((name) => !after.includes(name))
  return added.length + deleted.length === 0 ? undefined : { added, deleted }
}

/** Returns the key of a row of state: the number of the store, and the key. */
function headKey(store: string, number: number, key: Uint8Array): Uint8Array {
  const out = new Uint8Array(key.length + 1)
  out[0] = number
  out.set(key, 1)
  if (isTooLong(HEAD, out)) throw damaged(`store ${store} has a key of ${key.length} bytes`)
  return out
}

/** Returns the references that precede the value of a key that the restored height is the only one known to have written. */
function referencesAt(height: number): Uint8Array {
  const out = createOutput()
  appendRef(out, new Uint8Array(0), { height, piece: 0 }, undefined)
  return finish(out)
}

function withReferences(references: Uint8Array, value: Uint8Array): Uint8Array {
  const out = new Uint8Array(references.length + value.length)
  out.set(references)
  out.set(value, references.length)
  return out
}
