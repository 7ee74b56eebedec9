/** Facts about the latest commit that the reader and the writer of a store share. */
import type { Tip } from './history/heights.ts'
import type { Registry } from './history/registry.ts'
import type { TreesAt } from './tree/trees.ts'

export interface Latest {
  /** The latest commit that this process has written or read. */
  tip: Tip
  /** Stores by height, as of that commit. */
  registry: Registry
  /** Returns the trees of a height if the writer has them in memory. In a read-only store it returns undefined. */
  treesAt: (height: number) => TreesAt | undefined
}
