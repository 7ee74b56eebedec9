/** The app hash: an IAVL tree per store and a Merkle root over them (state-layout.md §5.5), kept from checkpoint to checkpoint. */
import { concat, equal, formatHex, utf8 } from '../primitives/bytes.ts'
import { sha256 } from '../primitives/hash.ts'
import { META } from './heights.ts'
import { createForest } from './iavl.ts'
import { NONE, type Node } from './nodes.ts'
import { compareTexts } from './order.ts'
import type { PageReference } from './pages.ts'
import type { Change, Tables, TableWrite } from './types.ts'
import { createOutput, finish, type Input, putBytes, putVarint, takeBytes, takeVarint } from './varint.ts'

/** Pages of the trees by their number. */
const PAGES = 'node'
const CHECKPOINT = utf8('trees')

/** How much may happen between two checkpoints, and so has to be done again by a restart after a kill. */
export interface CheckpointSpacing {
  readonly changedKeys: number
  readonly blocks: number
  /** With more, a checkpoint forgets all nodes; those in use come back from disk. */
  readonly nodesInMemory: number
}

/** What a restart does again in a fraction of a second; some 150 MB at most. */
export const DEFAULT_SPACING: CheckpointSpacing = { changedKeys: 20_000, blocks: 1_000, nodesInMemory: 1_500_000 }

/** What the trees should come to. */
export interface TreesState {
  /** 0 before the first block. */
  readonly height: number
  /** The chain's first height. */
  readonly first: number
  readonly appHash: Uint8Array
}

export interface Trees {
  /** Applies a block's changes and gives the app hash after it, and the rows of a checkpoint if one is due. */
  commit(height: number, changes: readonly Change[]): { readonly appHash: Uint8Array; readonly rows: TableWrite[] }
  /** Rows of a checkpoint at the latest height, for a clean end. */
  checkpoint(): TableWrite[]
  /** Changes of heights up to this are no longer needed. */
  checkpointHeight(): number
}

/** A store's tree, and its leaf of the Merkle root, made when its root has changed. */
interface Tree {
  readonly name: string
  root: Node
  leaf: Uint8Array | undefined
}

/**
 * Opens the trees at the latest height: from the last checkpoint and the changes after it. Throws an `Error` if the
 * result is not the recorded app hash, or if the checkpoint is of other stores.
 */
export function openTrees(
  tables: Tables,
  stores: readonly string[],
  latest: TreesState,
  changesOf: (height: number) => readonly Change[],
  spacing: CheckpointSpacing = DEFAULT_SPACING,
): Trees {
  const trees: Tree[] = [...stores].sort(compareTexts).map((name) => ({ name, root: NONE, leaf: undefined }))
  const byName = new Map(trees.map((tree) => [tree.name, tree]))
  let nextPage = 1
  let height = 0
  let checkpointed = 0
  let changesSince = 0
  const forest = createForest(
    (page) => tables.get(PAGES, pageKey(page)),
    () => nextPage++,
  )

  function apply(at: number, changes: readonly Change[]): Uint8Array {
    // A tree that is saved for the first time counts its nodes from 1, whatever the height of its first block.
    const version = height === 0 ? 1 : at
    let tree: Tree | undefined
    for (const { store, key, value } of changes) {
      if (tree?.name !== store) tree = byName.get(store)
      if (!tree) continue
      const root = value ? forest.set(tree.root, key, value, version) : forest.remove(tree.root, key, version)
      tree.root = root
      tree.leaf = undefined
    }
    height = at
    changesSince += changes.length
    return multiStoreHash()
  }

  function multiStoreHash(): Uint8Array {
    return merkleRoot(
      trees.map((tree) => {
        tree.leaf ??= storeLeaf(tree.name, forest.rootHash(tree.root))
        return tree.leaf
      }),
    )
  }

  function checkpoint(): TableWrite[] {
    const references = trees.map(({ root }) => (root === NONE ? undefined : forest.save(root)))
    const { written, dropped } = forest.takePages()
    const rows: TableWrite[] = []
    for (const page of dropped) rows.push({ table: PAGES, key: pageKey(page), value: undefined })
    for (const [page, value] of written) rows.push({ table: PAGES, key: pageKey(page), value })
    rows.push({ table: META, key: CHECKPOINT, value: encodeCheckpoint(height, nextPage, trees, references) })
    checkpointed = height
    changesSince = 0
    if (forest.nodeCount > spacing.nodesInMemory) {
      forest.clear()
      trees.forEach((tree, i) => {
        const reference = references[i]
        tree.root = reference ? forest.refer(reference) : NONE
      })
    }
    return rows
  }

  const stored = tables.get(META, CHECKPOINT)
  if (stored) {
    const found = decodeCheckpoint(stored)
    const names = found.trees.map(({ name }) => name).join(' ')
    const expected = trees.map(({ name }) => name).join(' ')
    if (names !== expected) throw new Error(`the trees on disk are of the stores ${names}, this chain has ${expected}`)
    height = found.height
    checkpointed = found.height
    nextPage = found.nextPage
    trees.forEach((tree, i) => {
      const { reference } = found.trees[i]!
      if (reference) tree.root = forest.refer(reference)
    })
  }
  if (latest.height > 0) {
    let appHash = multiStoreHash()
    for (let at = height > 0 ? height + 1 : latest.first; at <= latest.height; at++) appHash = apply(at, changesOf(at))
    if (!equal(appHash, latest.appHash)) {
      const found = `${formatHex(appHash)} instead of ${formatHex(latest.appHash)}`
      throw new Error(`the changes since height ${checkpointed} give the app hash ${found}`)
    }
  }

  return {
    commit(at, changes) {
      const appHash = apply(at, changes)
      const isDue = changesSince >= spacing.changedKeys || height - checkpointed >= spacing.blocks
      return { appHash, rows: isDue ? checkpoint() : [] }
    },
    checkpoint,
    checkpointHeight: () => checkpointed,
  }
}

function pageKey(page: number): Uint8Array {
  const key = new Uint8Array(8)
  new DataView(key.buffer).setBigUint64(0, BigInt(page))
  return key
}

function encodeCheckpoint(
  height: number,
  nextPage: number,
  trees: readonly Tree[],
  references: readonly (PageReference | undefined)[],
): Uint8Array {
  const out = createOutput()
  putVarint(out, height)
  putVarint(out, nextPage)
  trees.forEach(({ name }, i) => {
    const reference = references[i]
    const bytes = utf8(name)
    putVarint(out, bytes.length)
    putBytes(out, bytes)
    putVarint(out, reference?.page ?? 0)
    if (!reference) return
    putVarint(out, reference.height)
    putVarint(out, reference.size)
    putBytes(out, reference.hash)
  })
  return finish(out)
}

function decodeCheckpoint(bytes: Uint8Array) {
  const input: Input = { bytes, at: 0 }
  const height = takeVarint(input)
  const nextPage = takeVarint(input)
  const trees: { name: string; reference: PageReference | undefined }[] = []
  while (input.at < bytes.length) {
    const name = new TextDecoder().decode(takeBytes(input, takeVarint(input)))
    const page = takeVarint(input)
    const reference =
      page === 0
        ? undefined
        : { page, height: takeVarint(input), size: takeVarint(input), hash: takeBytes(input, 32).slice() }
    trees.push({ name, reference })
  }
  return { height, nextPage, trees }
}

const LEAF_PREFIX = Uint8Array.of(0)
const INNER_PREFIX = Uint8Array.of(1)

/** Hash of a store's leaf in the multi-store tree: its name and the hash of its root hash. */
export function storeLeaf(name: string, rootHash: Uint8Array): Uint8Array {
  const out = createOutput()
  const bytes = utf8(name)
  putBytes(out, LEAF_PREFIX)
  putVarint(out, bytes.length)
  putBytes(out, bytes)
  putVarint(out, 32)
  putBytes(out, sha256(rootHash))
  return sha256(finish(out))
}

/** Root over leaf hashes as RFC 6962 has it: the left part is the greatest power of two below the number of leaves. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(new Uint8Array(0))
  if (leaves.length === 1) return leaves[0]!
  const middle = 2 ** (31 - Math.clz32(leaves.length - 1))
  return sha256(concat(INNER_PREFIX, merkleRoot(leaves.slice(0, middle)), merkleRoot(leaves.slice(middle))))
}
