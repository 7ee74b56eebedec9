/**
 * The writes of a block that are excluded from the comparison: writes that messages of unbuilt modules can have made, and that
 * their events do not determine.
 */
import { FOREIGN_STORES } from '../src/app/foreign/genesis.ts'
import { equal, utf8 } from '../src/primitives/bytes.ts'
import type { RecordedEvent } from './recording.ts'

/** Modules of precompiles that are not built, by the last two bytes of their address. */
export const UNBUILT_PRECOMPILES: ReadonlyMap<number, string> = new Map([[0x0802, 'wasm']])

/** Returns the module because of which a key is excluded, or undefined if the key is compared. */
export type ExcludedBy = (store: string, key: Uint8Array) => string | undefined

export interface Exclusions {
  /** Adds the effects of a message that a substitute replaced, from its module and its recorded events. */
  addMessage(module: string, events: readonly RecordedEvent[]): void
  /** Whether the writes of staking are excluded. */
  isStakingExcluded(): boolean
  /** Sets the index of the transaction that the next calls are about. */
  setTx(index: number): void
  /** Adds the effects of a possible call of an unbuilt precompile, whose account was read. */
  addPrecompile(module: string): void
  /** Whether the EVM results of a transaction can depend on an unbuilt precompile. */
  isEvmExcluded(index: number): boolean
  /** Returns the rule for the keys of the whole block. `isNew`: whether a key is absent from the parent's state. */
  rule(isNew: (store: string, key: Uint8Array) => boolean): ExcludedBy
}

/** Built modules whose messages write only to their own store, apart from the coins that they move. */
const OWN_STORE_ONLY = new Set(['authz', 'devgas', 'gov'])

const METADATA = 0x01
const ACCOUNT_PARAMS = 0x00
const HISTORY = 0x50
const STAKING_PARAMS = 0x51
const FIRST_OF_NEXT_NUMBER = 0x67

/** Keys of foreign stores that every block writes (docs/state-layout.md#foreign-modules). */
const WRITTEN_BY_EVERY_BLOCK = [
  { store: 'ibc', key: utf8('clients/09-localhost/clientState') },
  { store: 'wasm', key: Uint8Array.of(0x08) },
]

/** Returns the module of a typed event such as `nibiru.tokenfactory.v1.EventMint`, which is the name of its store too. */
function moduleOfEvent(type: string): string | undefined {
  const parts = type.split('.')
  return parts.length > 3 ? parts[1] : undefined
}

export function createExclusions(): Exclusions {
  /** Modules whose messages can have written to any foreign store, and created accounts and metadata. */
  const arbitrary: string[] = []
  const staking: string[] = []
  /** Modules whose messages wrote to other stores, by store. */
  const byStore = new Map<string, string>()
  let evm: { readonly module: string; readonly from: number } | undefined
  let tx = -1

  function excludedBy(store: string, key: Uint8Array, isNew: (store: string, key: Uint8Array) => boolean) {
    const first = key[0]
    switch (store) {
      case 'evm':
        return evm?.module ?? byStore.get(store)
      case 'acc': {
        if (evm) return evm.module
        const isOfNewAccount = first === FIRST_OF_NEXT_NUMBER || isNew(store, key)
        return arbitrary.length > 0 && first !== ACCOUNT_PARAMS && isOfNewAccount ? arbitrary[0] : undefined
      }
      case 'bank':
        return evm?.module ?? (first === METADATA ? arbitrary[0] : undefined)
      case 'staking':
        return first === HISTORY || first === STAKING_PARAMS ? undefined : staking[0]
      case 'distribution':
        return staking[0] ?? byStore.get(store)
      default:
        if (WRITTEN_BY_EVERY_BLOCK.some((one) => one.store === store && equal(one.key, key))) return undefined
        return byStore.get(store) ?? (FOREIGN_STORES.includes(store) ? arbitrary[0] : undefined)
    }
  }

  return {
    addMessage(module, events) {
      if (OWN_STORE_ONLY.has(module)) {
        byStore.set(module, module)
        return
      }
      arbitrary.push(module)
      for (const { type } of events) {
        const own = moduleOfEvent(type)
        if (own !== undefined) byStore.set(own, module)
        if (type === 'withdraw_rewards' || type === 'set_withdraw_address') byStore.set('distribution', module)
        if (/delegat|validator|unbond/.test(type)) staking.push(module)
      }
    },
    isStakingExcluded: () => staking.length > 0,
    setTx(index) {
      tx = index
    },
    addPrecompile(module) {
      evm ??= { module, from: tx }
    },
    isEvmExcluded: (index) => evm !== undefined && index >= evm.from,
    rule: (isNew) => (store, key) => excludedBy(store, key, isNew),
  }
}
