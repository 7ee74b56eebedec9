/** What modules that are not built can have touched in the stores of built ones, beyond what events tell exactly. */
import { equal } from '../src/primitives/bytes.ts'
import type { RecordedEvent } from './recording.ts'

/** Precompiles that are not built, by the last bytes of their address, with the module they belong to. */
export const UNBUILT_PRECOMPILES: ReadonlyMap<number, string> = new Map([[0x0802, 'wasm']])

/** Which module a key is left to; undefined for one that is compared. */
export type LeftOut = (store: string, key: Uint8Array) => string | undefined

export interface Touched {
  /** A message of this module ran, with these events. */
  by(module: string, events: readonly RecordedEvent[]): void
  /** A slash reached further than the validator's own record. */
  slashes(module: string): void
  /** Code that another compiler made. */
  code(codeHash: Uint8Array): void
  /** The genesis of a module made its account, under these keys. */
  account(module: string, ...keys: readonly Uint8Array[]): void
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

/** Modules whose messages move coins and write their own store, and nothing else that events do not tell exactly. */
const TAME = new Set([
  'authz',
  'crisis',
  'devgas',
  'distribution',
  'feegrant',
  'gov',
  'inflation',
  'oracle',
  'slashing',
])

const METADATA = 0x01
const ACCOUNT_PARAMS = 0x00
const HISTORY = 0x50
const STAKING_PARAMS = 0x51

const CODE = 0x01

const isCode = (key: Uint8Array, hash: Uint8Array): boolean => key[0] === CODE && equal(key.subarray(1), hash)

export function createTouched(): Touched {
  const metadata: string[] = []
  const wild: string[] = []
  const staking: string[] = []
  const codes: Uint8Array[] = []
  const accounts: { readonly module: string; readonly key: Uint8Array }[] = []
  let evm: { readonly module: string; readonly from: number } | undefined
  let tx = -1

  return {
    by(module, events) {
      if (TAME.has(module)) return
      metadata.push(module)
      if (module === 'tokenfactory') return
      wild.push(module)
      if (events.some(({ type }) => /delegat|validator|unbond/.test(type))) staking.push(module)
    },
    slashes: (module) => staking.push(module),
    code: (codeHash) => codes.push(codeHash),
    account: (module, ...keys) => accounts.push(...keys.map((key) => ({ module, key }))),
    isStakingLost: () => staking.length > 0,
    nextTx(index) {
      tx = index
    },
    precompile(module) {
      evm ??= { module, from: tx }
    },
    isEvmLost: (index) => evm !== undefined && index >= evm.from,
    leftOut: (isNew) => (store, key) => {
      const first = key[0]
      switch (store) {
        case 'evm':
          return evm?.module ?? (codes.some((hash) => isCode(key, hash)) ? 'compiler' : undefined)
        case 'acc': {
          if (evm) return evm.module
          const made = accounts.find((one) => equal(one.key, key))
          if (made) return made.module
          return wild.length > 0 && first !== ACCOUNT_PARAMS && (first === 0x67 || isNew(store, key))
            ? wild[0]
            : undefined
        }
        case 'bank':
          return evm?.module ?? (first === METADATA ? metadata[0] : undefined)
        case 'staking':
          return first === HISTORY || first === STAKING_PARAMS ? undefined : staking[0]
        default:
          return undefined
      }
    },
  }
}
