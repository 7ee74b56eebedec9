/**
 * The access sets of a transaction (EIP-2929): its warm addresses and slots. The flag of a loaded account or slot is on the
 * object itself, so that an opcode looks up nothing; addresses that are warm before they are loaded are in a set.
 */
import { fromKey, toKey } from '../../primitives/bytes.ts'
import type { Account, Slot } from '../account.ts'
import type { Undo } from './undo.ts'

/** Addresses that are warm in every transaction, by `toKey(address)`. */
export interface WarmKeys {
  has(key: string): boolean
}

export interface AccessSets {
  /** Whether an account that is loaded now is warm already. `key` is `toKey(address)`. */
  isWarmAtLoad(key: string): boolean
  /** Warms an account or slot. Returns whether it was cold. */
  warm(item: Account | Slot): boolean
  /** Warms an address for the rest of the transaction, even after reverts, without loading the account. */
  warmFromStart(address: Uint8Array): void
  /** Returns the warm addresses, and those of their slots that are warm. */
  warmed(): readonly { readonly address: Uint8Array; readonly slots: readonly Uint8Array[] }[]
  /** Makes everything cold except the addresses that are always warm and these. A revert does not undo it. */
  resetAccess(warmAddresses: readonly Uint8Array[]): void
}

export function createAccessSets(
  accounts: ReadonlyMap<string, Account>,
  undo: Undo[],
  alwaysWarm: WarmKeys,
): AccessSets {
  const fromStart = new Set<string>()
  const isWarmAtLoad = (key: string): boolean => alwaysWarm.has(key) || fromStart.has(key)

  return {
    isWarmAtLoad,
    warm(item) {
      if (item.warm) return false
      item.warm = true
      undo.push({ warmed: item })
      return true
    },
    warmFromStart(address) {
      const key = toKey(address)
      const account = accounts.get(key)
      if (account) account.warm = true
      fromStart.add(key)
    },
    warmed() {
      const loaded = [...accounts.values()].filter(({ warm }) => warm)
      const bare = [...fromStart].filter((key) => !accounts.has(key))
      return [
        ...loaded.map(({ address, slots }) => ({
          address,
          slots: [...slots].filter(([, { warm }]) => warm).map(([key]) => fromKey(key)),
        })),
        ...bare.map((key) => ({ address: fromKey(key), slots: [] })),
      ]
    },
    resetAccess(warmAddresses) {
      fromStart.clear()
      for (const address of warmAddresses) fromStart.add(toKey(address))
      for (const account of accounts.values()) {
        account.warm = isWarmAtLoad(account.key)
        for (const slot of account.slots.values()) slot.warm = false
      }
    },
  }
}
