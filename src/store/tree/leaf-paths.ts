/** Paths from leaves of IAVL trees to their roots, from which proofs are built. */
import { compare } from '../../primitives/bytes.ts'
import type { Nodes } from './nodes.ts'
import { NONE, type Node, type TreeProgram } from './tree-program.ts'

/** An inner node on the path, as it is hashed. The hash of the child on the path is absent. */
export interface PathStep {
  readonly height: number
  readonly size: number
  readonly version: number
  readonly left?: Uint8Array
  readonly right?: Uint8Array
}

/** A leaf and its path to the root. */
export interface LeafPath {
  readonly key: Uint8Array
  readonly version: number
  readonly steps: readonly PathStep[]
}

/** The leaf of a key, or its two neighbours if the key is absent. */
export interface Location {
  readonly found?: LeafPath
  readonly left?: LeafPath
  readonly right?: LeafPath
}

/** Creates a function that finds keys and reads nodes when needed. The root hash must be computed. */
export function createLocator(
  nodes: Nodes,
  { ensureLoaded, ensureHash }: Pick<TreeProgram, 'ensureLoaded' | 'ensureHash'>,
): (root: Node, key: Uint8Array) => Location {
  /** Appends the path from a node to its first or last leaf. */
  function descend(from: Node, path: Node[], towards: 'left' | 'right'): void {
    let node = from
    for (;;) {
      path.push(node)
      ensureLoaded(node)
      if (nodes.height(node) === 0) return
      node = nodes[towards](node)
    }
  }

  function leafPath(path: readonly Node[]): LeafPath {
    const leaf = path.at(-1)!
    const steps: PathStep[] = []
    for (let i = path.length - 2; i >= 0; i--) {
      const node = path[i]!
      const [left, right] = [nodes.left(node), nodes.right(node)]
      const sibling = left === path[i + 1] ? right : left
      ensureHash(sibling)
      const hash = nodes.hash(sibling)
      steps.push({
        height: nodes.height(node),
        size: nodes.size(node),
        version: nodes.version(node),
        ...(sibling === left ? { left: hash } : { right: hash }),
      })
    }
    return { key: nodes.key(leaf).slice(), version: nodes.version(leaf), steps }
  }

  /** Returns the neighbour of the leaf at the end of a path, or undefined at the end of the tree. */
  function neighbour(path: readonly Node[], side: 'left' | 'right'): LeafPath | undefined {
    for (let i = path.length - 2; i >= 0; i--) {
      const other = nodes[side](path[i]!)
      if (other === path[i + 1]) continue
      const beside = path.slice(0, i + 1)
      descend(other, beside, side === 'left' ? 'right' : 'left')
      return leafPath(beside)
    }
    return undefined
  }

  return (root, wanted) => {
    if (root === NONE) return {}
    const path: Node[] = []
    let node = root
    for (;;) {
      path.push(node)
      ensureLoaded(node)
      if (nodes.height(node) === 0) break
      node = compare(wanted, nodes.key(node)) < 0 ? nodes.left(node) : nodes.right(node)
    }
    const reached = leafPath(path)
    const order = compare(reached.key, wanted)
    if (order === 0) return { found: reached }
    const side = order < 0 ? 'right' : 'left'
    const beside = neighbour(path, side)
    return side === 'right'
      ? { left: reached, ...(beside && { right: beside }) }
      : { right: reached, ...(beside && { left: beside }) }
  }
}
