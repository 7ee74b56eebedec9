/** Hashes of the nodes of IAVL trees (state-layout.md §5.5), those of inner nodes four at a time. */
import { sha256 } from '../primitives/hash.ts'
import { HASHED, hashAt, LOADED, type Node, type Nodes } from './nodes.ts'
import { LANE_BYTES, LANES, MAX_MESSAGE } from './sha256.ts'

export interface NodeHashes {
  /** Hashes a leaf: its version, its key and its value. */
  hashLeaf(node: Node, key: Uint8Array, value: Uint8Array): void
  /** Hashes a node, and below it what has no hash. */
  ensureHash(node: Node): void
}

export function createNodeHashes(nodes: Nodes): NodeHashes {
  /** Nodes to be hashed, by height: those of a height need those below. */
  const levels: Node[][] = []

  function hashLeaf(node: Node, key: Uint8Array, value: Uint8Array): void {
    const { memory, hasher } = nodes
    const out = hashAt(node)
    if (value.length <= MAX_MESSAGE) {
      memory.set(value)
      hasher.digest(value.length, out)
    } else memory.set(sha256(value), out)
    memory[0] = 0
    memory[1] = 2
    let at = putNumber(memory, 2, nodes.versions[node]! * 2)
    at = putNumber(memory, at, key.length)
    memory.set(key, at)
    at += key.length
    memory[at] = 32
    memory.copyWithin(at + 1, out, out + 32)
    hasher.digest(at + 33, out)
    nodes.flags[node] = LOADED | HASHED
  }

  function collect(node: Node): void {
    if ((nodes.flags[node]! & HASHED) !== 0) return
    const height = nodes.heights[node]!
    while (levels.length <= height) levels.push([])
    levels[height]!.push(node)
    collect(nodes.lefts[node]!)
    collect(nodes.rights[node]!)
  }

  /** Puts what is hashed for a node into a lane. */
  function fill(lane: number, node: Node): void {
    const { memory, heights, sizes, versions, lefts, rights, hasher } = nodes
    const begin = lane * LANE_BYTES
    let at = putNumber(memory, begin, heights[node]! * 2)
    at = putNumber(memory, at, sizes[node]! * 2)
    at = putNumber(memory, at, versions[node]! * 2)
    hasher.putLane(lane, at - begin, hashAt(lefts[node]!), hashAt(rights[node]!))
  }

  function hashLevel(level: readonly Node[]): void {
    const last = level.length - 1
    for (let from = 0; from <= last; from += LANES) {
      const a = level[from]!
      const b = level[Math.min(from + 1, last)]!
      const c = level[Math.min(from + 2, last)]!
      const d = level[Math.min(from + 3, last)]!
      fill(0, a)
      fill(1, b)
      fill(2, c)
      fill(3, d)
      nodes.hasher.digestLanes(hashAt(a), hashAt(b), hashAt(c), hashAt(d))
    }
    for (const node of level) nodes.flags[node]! |= HASHED
  }

  return {
    hashLeaf,
    ensureHash(node) {
      if ((nodes.flags[node]! & HASHED) !== 0) return
      collect(node)
      for (const level of levels) {
        if (level.length === 0) continue
        hashLevel(level)
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
