/** The undo log of a transaction: one entry per change, undone latest first. */
import type { Account, Slot, Word } from '../account.ts'

/** One change to undo. The two most frequent kinds are plain data, which is cheaper than a closure. */
export type Undo = (() => void) | { readonly slot: Slot; readonly value: Word } | { readonly warmed: Account | Slot }

/** Undoes the latest changes until `length` of them are left. */
export function undoTo(undo: Undo[], length: number): void {
  while (undo.length > length) undoOne(undo.pop()!)
}

function undoOne(entry: Undo): void {
  if (typeof entry === 'function') entry()
  else if ('slot' in entry) entry.slot.value = entry.value
  else entry.warmed.warm = false
}
