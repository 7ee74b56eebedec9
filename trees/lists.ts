/** What the host is to hear of: nodes that were replaced, pages that were dropped or written. */
import { takeLists } from './host'
import { DROPPED, MAX_DROPPED, MAX_REPLACED, PAGES, PAGES_FULL, REPLACED } from './layout'
import { Node } from './nodes'

let replaced: u32 = 0
let dropped: u32 = 0
let pagesEnd: usize = PAGES

/** Hands over what has gathered. */
export function handOver(): void {
  takeLists(replaced, dropped, pagesEnd)
  clearLists()
}

/** A node that the latest tree does without, and older ones hold. */
export function noteReplaced(node: Node): void {
  store<i32>(REPLACED + ((replaced as usize) << 2), node)
  if (++replaced == MAX_REPLACED) handOver()
}

/** A page that the latest trees do without. */
export function noteDropped(page: u32): void {
  store<u32>(DROPPED + ((dropped as usize) << 2), page)
  if (++dropped == MAX_DROPPED) handOver()
}

/** Where the next page is to be written. */
export function pageRoom(): usize {
  if (pagesEnd >= PAGES_FULL) handOver()
  return pagesEnd + 8
}

/** Notes a page that was written from `pageRoom` on. */
export function notePage(number: u32, end: usize): void {
  store<u32>(pagesEnd, number)
  store<u32>(pagesEnd, (end - pagesEnd - 8) as u32, 4)
  pagesEnd = (end + 7) & ~7
}

export function clearLists(): void {
  replaced = 0
  dropped = 0
  pagesEnd = PAGES
}
