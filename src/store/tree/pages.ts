/** Transfers pages of trees between the tree program and the disk. */

import * as regions from './layout.ts'
import type { Nodes } from './nodes.ts'
import { MAX_PAGE, type Node, type TreeMemory, type TreeProgram } from './tree-program.ts'

/** A reference to a node on disk. */
export interface PageReference {
  readonly page: number
  readonly height: number
  readonly size: number
  readonly hash: Uint8Array
}

/** Pages that were written, and pages that the latest trees no longer need. */
export interface PageChanges {
  readonly written: readonly (readonly [page: number, bytes: Uint8Array])[]
  readonly dropped: readonly number[]
}

/** Loads the page that starts at a node into the program. Throws an `Error` if it is missing or truncated. */
export function loadPage(
  { parsePage }: Pick<TreeProgram, 'parsePage'>,
  nodes: Nodes,
  node: Node,
  readPage: (page: number) => Uint8Array | undefined,
): void {
  const page = nodes.page(node)
  const bytes = readPage(page)
  if (!bytes) throw new Error(`page ${page} of the trees is missing`)
  if (bytes.length > MAX_PAGE) throw new Error(`page ${page} of the trees is too long`)
  nodes.putPage(bytes)
  if (parsePage(node, bytes.length) === 0) throw new Error(`page ${page} of the trees is truncated`)
}

/** Adds copies of the pages that the program wrote before an address. */
export function addPages(written: [number, Uint8Array][], { buffer }: TreeMemory, end: number): void {
  const copy = new Uint8Array(buffer).slice(regions.PAGES, end)
  const view = new DataView(copy.buffer)
  for (let at = 0; at < copy.length; ) {
    const page = view.getUint32(at, true)
    const begin = at + 8
    const behind = begin + view.getUint32(at + 4, true)
    written.push([page, copy.subarray(begin, behind)])
    at = (behind + 7) & ~7
  }
}
