/** What the host is to hear of: nodes that were replaced, pages that were dropped or written. */
import { takeLists } from './host'
import {
  DROPPED,
  DROPPED_COUNT,
  MAX_DROPPED,
  MAX_REPLACED,
  PAGES,
  PAGES_BYTES,
  PAGES_FULL,
  REPLACED,
  REPLACED_COUNT,
} from './layout'
import { Node } from './nodes'

@inline function pagesEnd(): usize {
  return PAGES + (load<u32>(PAGES_BYTES) as usize)
}

/** Hands over what has gathered. */
export function handOver(): void {
  takeLists(load<u32>(REPLACED_COUNT), load<u32>(DROPPED_COUNT), pagesEnd())
  clearLists()
}

/** A node that the latest tree does without, and older ones hold. */
export function noteReplaced(node: Node): void {
  const count = load<u32>(REPLACED_COUNT)
  store<i32>(REPLACED + ((count as usize) << 2), node)
  store<u32>(REPLACED_COUNT, count + 1)
  if (count + 1 == MAX_REPLACED) handOver()
}

/** A page that the latest trees do without. */
export function noteDropped(page: u32): void {
  const count = load<u32>(DROPPED_COUNT)
  store<u32>(DROPPED + ((count as usize) << 2), page)
  store<u32>(DROPPED_COUNT, count + 1)
  if (count + 1 == MAX_DROPPED) handOver()
}

/** Where the next page is to be written. */
export function pageRoom(): usize {
  if (pagesEnd() >= PAGES_FULL) handOver()
  return pagesEnd() + 8
}

/** Notes a page that was written from `pageRoom` on. */
export function notePage(number: u32, end: usize): void {
  const begin = pagesEnd()
  store<u32>(begin, number)
  store<u32>(begin, (end - begin - 8) as u32, 4)
  store<u32>(PAGES_BYTES, (((end + 7) & ~7) - PAGES) as u32)
}

export function clearLists(): void {
  store<u32>(REPLACED_COUNT, 0)
  store<u32>(DROPPED_COUNT, 0)
  store<u32>(PAGES_BYTES, 0)
}
