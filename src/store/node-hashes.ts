/** Hashes of the nodes of IAVL trees (state-layout.md §5.5), four at a time. */
import { sha256 } from '../primitives/hash.ts'
import { HASHED, hashAt, type Node, type Nodes } from './nodes.ts'
import { blocksOf, LANE_BYTES, LANES, MAX_LANE_MESSAGE, MAX_MESSAGE } from './sha256.ts'
import { varintLength } from './varint.ts'

export interface NodeHashes {
  /** Notes the value of a leaf that is to be hashed. */
  setValue(leaf: Node, value: Uint8Array): void
  /** Forgets the value of a node that is given up, or of all. */
  forget(node: Node): void
  clear(): void
  /** Hashes a node, and below it what has no hash. */
  ensureHash(node: Node): void
}

/** Messages of up to so many blocks are hashed side by side. */
const MOST_BLOCKS = blocksOf(MAX_LANE_MESSAGE)
/** Blocks of what is hashed for an inner node. */
const INNER_BLOCKS = 2

export function createNodeHashes(nodes: Nodes): NodeHashes {
  /** Nodes to be hashed, by height: those of a height need those below. */
  const levels: Node[][] = []
  /** Leaves to be hashed, by the blocks of what is hashed for them. */
  const alike: Node[][] = Array.from({ length: MOST_BLOCKS + 1 }, () => [])
  /** Values of leaves that have no hash. */
  const values = new Map<Node, Uint8Array>()

  function collect(node: Node): void {
    if ((nodes.flags(node) & HASHED) !== 0) return
    const height = nodes.height(node)
    while (levels.length <= height) levels.push([])
    levels[height]!.push(node)
    if (height === 0) return
    collect(nodes.left(node))
    collect(nodes.right(node))
  }

  /** Hashes what `fill` puts into the lanes, all of as many blocks. */
  function digestAll(those: readonly Node[], blocks: number, fill: (lane: number, node: Node) => void): void {
    const last = those.length - 1
    for (let from = 0; from <= last; from += LANES) {
      const a = those[from]!
      const b = those[Math.min(from + 1, last)]!
      const c = those[Math.min(from + 2, last)]!
      const d = those[Math.min(from + 3, last)]!
      fill(0, a)
      fill(1, b)
      fill(2, c)
      fill(3, d)
      nodes.hasher.digestLanes(blocks, hashAt(a), hashAt(b), hashAt(c), hashAt(d))
    }
  }

  /** Hashes leaves by the length of what is hashed for each; `alone` does so for one that is too long for a lane. */
  function digestLeaves(
    leaves: readonly Node[],
    lengthOf: (leaf: Node) => number,
    put: (leaf: Node, at: number) => void,
    alone: (leaf: Node) => void,
  ): void {
    for (const leaf of leaves) {
      const length = lengthOf(leaf)
      if (length > MAX_LANE_MESSAGE) alone(leaf)
      else alike[blocksOf(length)]!.push(leaf)
    }
    const fill = (lane: number, leaf: Node) => {
      put(leaf, lane * LANE_BYTES)
      nodes.hasher.endLane(lane, lengthOf(leaf))
    }
    for (const [blocks, those] of alike.entries()) {
      digestAll(those, blocks, fill)
      those.length = 0
    }
  }

  const noted = (leaf: Node) => values.get(leaf)!

  function digestValue(leaf: Node): void {
    const value = noted(leaf)
    const { hasher } = nodes
    const memory = nodes.memory()
    if (value.length > MAX_MESSAGE) {
      memory.set(sha256(value), hashAt(leaf))
      return
    }
    memory.set(value)
    hasher.digest(value.length, hashAt(leaf))
  }

  /** What is hashed for a leaf: its version, its key and the hash of its value, which stands where its own will. */
  function putLeaf(leaf: Node, begin: number): void {
    const memory = nodes.memory()
    const key = nodes.keys[leaf]!
    memory[begin] = 0
    memory[begin + 1] = 2
    let at = putNumber(memory, begin + 2, nodes.version(leaf) * 2)
    at = putNumber(memory, at, key.length)
    for (let i = 0; i < key.length; i++) memory[at++] = key.charCodeAt(i)
    memory[at] = 32
    const hash = hashAt(leaf)
    memory.copyWithin(at + 1, hash, hash + 32)
  }

  const leafLength = (leaf: Node) => {
    const { length } = nodes.keys[leaf]!
    return 2 + varintLength(nodes.version(leaf) * 2) + varintLength(length) + length + 33
  }

  function digestLeaf(leaf: Node): void {
    const length = leafLength(leaf)
    putLeaf(leaf, 0)
    nodes.hasher.digest(length, hashAt(leaf))
  }

  function hashLeaves(leaves: readonly Node[]): void {
    digestLeaves(
      leaves,
      (leaf) => noted(leaf).length,
      (leaf, at) => nodes.memory().set(noted(leaf), at),
      digestValue,
    )
    for (const leaf of leaves) values.delete(leaf)
    digestLeaves(leaves, leafLength, putLeaf, digestLeaf)
  }

  /** Puts what is hashed for an inner node into a lane. */
  function fillInner(lane: number, node: Node): void {
    const memory = nodes.memory()
    const begin = lane * LANE_BYTES
    let at = putNumber(memory, begin, nodes.height(node) * 2)
    at = putNumber(memory, at, nodes.size(node) * 2)
    at = putNumber(memory, at, nodes.version(node) * 2)
    nodes.hasher.endLaneWithPair(lane, at - begin, hashAt(nodes.left(node)), hashAt(nodes.right(node)))
  }

  return {
    setValue(leaf, value) {
      values.set(leaf, value)
    },
    forget(node) {
      values.delete(node)
    },
    clear: () => values.clear(),
    ensureHash(node) {
      if ((nodes.flags(node) & HASHED) !== 0) return
      collect(node)
      for (const [height, level] of levels.entries()) {
        if (level.length === 0) continue
        if (height === 0) hashLeaves(level)
        else digestAll(level, INNER_BLOCKS, fillInner)
        for (const hashed of level) nodes.setFlags(hashed, nodes.flags(hashed) | HASHED)
        level.length = 0
      }
    },
  }
}

/** Writes an unsigned varint below 2^53 and returns the offset behind it. */
function putNumber(target: Uint8Array, offset: number, value: number): number {
  let at = offset
  let rest = value
  while (rest > 0x7fffffff) {
    target[at++] = (rest % 0x80) | 0x80
    rest = Math.floor(rest / 0x80)
  }
  for (; rest >= 0x80; rest >>>= 7) target[at++] = (rest & 0x7f) | 0x80
  target[at++] = rest
  return at
}
