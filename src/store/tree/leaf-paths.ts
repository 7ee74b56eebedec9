/** Where keys are in IAVL trees: what proofs are made of. */
import { compare } from '../../primitives/bytes.ts'
import type { Nodes } from './nodes.ts'
import { NONE, type Node, type TreeProgram } from './tree-program.ts'

/** An inner node on the way from a leaf to the root, as its hash sees it: one of the two hashes is the way's, and absent. */
export interface PathStep {
  readonly height: number
  readonly size: number
  readonly version: number
  readonly left?: Uint8Array
  readonly right?: Uint8Array
}

/** A leaf and what leads from it to the root. */
export interface LeafPath {
  readonly key: Uint8Array
  readonly version: number
  readonly steps: readonly PathStep[]
}

/** Where a key is, or the leaves between which it would be. */
export interface Location {
  readonly found?: LeafPath
  readonly left?: LeafPath
  readonly right?: LeafPath
}

/** Finds keys in trees whose nodes are read when needed. The root's hash must have been computed. */
export function createLocator(
  nodes: Nodes,
  { ensureLoaded, ensureHash }: Pick<TreeProgram, 'ensureLoaded' | 'ensureHash'>,
): (root: Node, key: Uint8Array) => Location {
  /** The first or the last leaf below a node, on a way that is continued. */
  function descend(from: Node, way: Node[], towards: 'left' | 'right'): void {
    let node = from
    for (;;) {
      way.push(node)
      ensureLoaded(node)
      if (nodes.height(node) === 0) return
      node = nodes[towards](node)
    }
  }

  function leafPath(way: readonly Node[]): LeafPath {
    const leaf = way.at(-1)!
    const steps: PathStep[] = []
    for (let i = way.length - 2; i >= 0; i--) {
      const node = way[i]!
      const [left, right] = [nodes.left(node), nodes.right(node)]
      const sibling = left === way[i + 1] ? right : left
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

  /** The leaf beside the one at the end of a way, on the given side; undefined at the tree's end. */
  function neighbour(way: readonly Node[], side: 'left' | 'right'): LeafPath | undefined {
    for (let i = way.length - 2; i >= 0; i--) {
      const other = nodes[side](way[i]!)
      if (other === way[i + 1]) continue
      const beside = way.slice(0, i + 1)
      descend(other, beside, side === 'left' ? 'right' : 'left')
      return leafPath(beside)
    }
    return undefined
  }

  return (root, wanted) => {
    if (root === NONE) return {}
    const way: Node[] = []
    let node = root
    for (;;) {
      way.push(node)
      ensureLoaded(node)
      if (nodes.height(node) === 0) break
      node = compare(wanted, nodes.key(node)) < 0 ? nodes.left(node) : nodes.right(node)
    }
    const reached = leafPath(way)
    const order = compare(reached.key, wanted)
    if (order === 0) return { found: reached }
    const side = order < 0 ? 'right' : 'left'
    const beside = neighbour(way, side)
    return side === 'right'
      ? { left: reached, ...(beside && { right: beside }) }
      : { right: reached, ...(beside && { left: beside }) }
  }
}
