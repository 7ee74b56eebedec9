/** The storage slots of a transaction, loaded on first use, and transient storage (EIP-1153). */
import { fromKey, toKey } from '../../primitives/bytes.ts'
import { type Account, type Slot, type Word, ZERO_KEY } from '../account.ts'
import type { Changes } from './write-back.ts'

export interface Storage {
  slotOf(account: Account, slot: Word): Slot
  write(slot: Slot, value: Word): void
  storage(address: Uint8Array, slot: Uint8Array): Uint8Array
  setStorage(address: Uint8Array, slot: Uint8Array, value: Uint8Array): void
  writeTransient(account: Account, slot: Word, value: Word): void
}

export function createStorage(
  { state, undo, branches }: Changes,
  findAccount: (address: Uint8Array) => Account,
): Storage {
  function slotOf(account: Account, slot: Word): Slot {
    let found = account.slots.get(slot)
    if (!found) {
      const isFresh = (account.created || !account.stored) && !state.keepsDestructed
      const value = isFresh ? ZERO_KEY : toKey(state.storage(account.address, fromKey(slot)))
      found = { account, slot, original: value, value, warm: false }
      account.slots.set(slot, found)
      if (branches.length > 0) undo.push(() => account.slots.delete(slot))
    }
    return found
  }

  function write(slot: Slot, value: Word): void {
    undo.push({ slot, value: slot.value })
    slot.value = value
  }

  return {
    slotOf,
    write,
    storage: (address, slot) => fromKey(slotOf(findAccount(address), toKey(slot)).value),
    setStorage: (address, slot, value) => write(slotOf(findAccount(address), toKey(slot)), toKey(value)),
    writeTransient(account, slot, value) {
      account.transient ??= new Map()
      const { transient } = account
      const before = transient.get(slot) ?? ZERO_KEY
      undo.push(() => transient.set(slot, before))
      transient.set(slot, value)
    },
  }
}
