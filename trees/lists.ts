/** Lists for the host: replaced nodes, dropped pages and written pages. */
import { receiveLists } from './host'
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

/** Passes the lists to the host and empties them. */
export function flushLists(): void {
  receiveLists(load<u32>(REPLACED_COUNT), load<u32>(DROPPED_COUNT), pagesEnd())
  clearLists()
}

/** Lists a node that the latest tree no longer contains and older trees do. */
export function noteReplaced(node: Node): void {
  const count = load<u32>(REPLACED_COUNT)
  store<i32>(REPLACED + ((count as usize) << 2), node)
  store<u32>(REPLACED_COUNT, count + 1)
  if (count + 1 == MAX_REPLACED) flushLists()
}

/** Lists a page that the latest trees no longer need. */
export function noteDropped(page: u32): void {
  const count = load<u32>(DROPPED_COUNT)
  store<u32>(DROPPED + ((count as usize) << 2), page)
  store<u32>(DROPPED_COUNT, count + 1)
  if (count + 1 == MAX_DROPPED) flushLists()
}

/** Returns the address for the next page. */
export function pageRoom(): usize {
  if (pagesEnd() >= PAGES_FULL) flushLists()
  return pagesEnd() + 8
}

/** Lists a page that was written at the address from `pageRoom`. */
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
