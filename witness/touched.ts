/** What messages that are not executed can have touched, beyond what their events tell exactly. */
import { FOREIGN_STORES } from '../src/app/foreign/genesis.ts'
import { equal, utf8 } from '../src/primitives/bytes.ts'
import type { RecordedEvent } from './recording.ts'

/** Precompiles that are not built, by the last bytes of their address, with the module they belong to. */
export const UNBUILT_PRECOMPILES: ReadonlyMap<number, string> = new Map([[0x0802, 'wasm']])

/** Which module a key is left to; undefined for one that is compared. */
export type LeftOut = (store: string, key: Uint8Array) => string | undefined

export interface Touched {
  /** A message of this module was taken from the recording, with these events. */
  by(module: string, events: readonly RecordedEvent[]): void
  /** Code that another compiler made. */
  code(codeHash: Uint8Array): void
  /** Whether staking's writes are left to the recording by now. */
  isStakingLost(): boolean
  nextTx(index: number): void
  /** An address was read of which execution may have called a precompile that is not built. */
  precompile(module: string): void
  /** Whether results of EVM transactions from here on depend on a precompile that is not built. */
  isEvmLost(index: number): boolean
  /** For the end of the block; `isNew` tells whether a key is not in the parent's state. */
  leftOut(isNew: (store: string, key: Uint8Array) => boolean): LeftOut
}

/** Modules of this build whose messages touch their own store alone, beside the coins that they move. */
const TAME = new Set(['authz', 'devgas', 'gov'])

const METADATA = 0x01
const ACCOUNT_PARAMS = 0x00
const HISTORY = 0x50
const STAKING_PARAMS = 0x51
const CODE = 0x01
const FIRST_OF_NEXT_NUMBER = 0x67

/** Keys of foreign stores that every block writes by itself. */
const OF_EVERY_BLOCK = [
  { store: 'ibc', key: utf8('clients/09-localhost/clientState') },
  { store: 'wasm', key: Uint8Array.of(0x08) },
]

const isCode = (key: Uint8Array, hash: Uint8Array): boolean => key[0] === CODE && equal(key.subarray(1), hash)

/** The module of a typed event, `nibiru.tokenfactory.v1.EventMint`: also the name of its store. */
function moduleOfEvent(type: string): string | undefined {
  const parts = type.split('.')
  return parts.length > 3 ? parts[1] : undefined
}

export function createTouched(): Touched {
  const wild: string[] = []
  const staking: string[] = []
  const codes: Uint8Array[] = []
  /** Stores of built modules to who may have written there. */
  const others = new Map<string, string>()
  let evm: { readonly module: string; readonly from: number } | undefined
  let tx = -1

  function leftOf(store: string, key: Uint8Array, isNew: (store: string, key: Uint8Array) => boolean) {
    const first = key[0]
    switch (store) {
      case 'evm':
        return evm?.module ?? (codes.some((hash) => isCode(key, hash)) ? 'compiler' : others.get(store))
      case 'acc': {
        if (evm) return evm.module
        const isNumbering = first === FIRST_OF_NEXT_NUMBER || isNew(store, key)
        return wild.length > 0 && first !== ACCOUNT_PARAMS && isNumbering ? wild[0] : undefined
      }
      case 'bank':
        return evm?.module ?? (first === METADATA ? wild[0] : undefined)
      case 'staking':
        return first === HISTORY || first === STAKING_PARAMS ? undefined : staking[0]
      case 'distribution':
        return staking[0] ?? others.get(store)
      default:
        if (OF_EVERY_BLOCK.some((one) => one.store === store && equal(one.key, key))) return undefined
        return others.get(store) ?? (FOREIGN_STORES.includes(store) ? wild[0] : undefined)
    }
  }

  return {
    by(module, events) {
      if (TAME.has(module)) {
        others.set(module, module)
        return
      }
      wild.push(module)
      for (const { type } of events) {
        const own = moduleOfEvent(type)
        if (own !== undefined) others.set(own, module)
        if (type === 'withdraw_rewards' || type === 'set_withdraw_address') others.set('distribution', module)
        if (/delegat|validator|unbond/.test(type)) staking.push(module)
      }
    },
    code: (codeHash) => codes.push(codeHash),
    isStakingLost: () => staking.length > 0,
    nextTx(index) {
      tx = index
    },
    precompile(module) {
      evm ??= { module, from: tx }
    },
    isEvmLost: (index) => evm !== undefined && index >= evm.from,
    leftOut: (isNew) => (store, key) => leftOf(store, key, isNew),
  }
}
