/** The EVM's state in plain maps, for tests and benchmarks. */
import type { EvmAccount, EvmState } from '../../../src/evm/state.ts'
import { equal, toKey, ZERO_WORD } from '../../../src/primitives/bytes.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../../src/primitives/hash.ts'

interface World {
  accounts: Map<string, EvmAccount>
  storage: Map<string, Map<string, Uint8Array>>
  codes: Map<string, Uint8Array>
}

export interface MemoryState extends EvmState {
  /** The current accounts and storage; keys are those of `toKey`. */
  readonly world: World
  /** Sets an account before a run. */
  put(address: Uint8Array, account: { nonce?: bigint; balanceWei?: bigint; code?: Uint8Array }): void
}

const copyOf = ({ accounts, storage, codes }: World): World => ({
  accounts: new Map(accounts),
  storage: new Map([...storage].map(([key, slots]) => [key, new Map(slots)])),
  codes: new Map(codes),
})

export function createMemoryState(): MemoryState {
  let world: World = { accounts: new Map(), storage: new Map(), codes: new Map() }
  const branches: World[] = []

  const state: MemoryState = {
    get world() {
      return world
    },
    put(address, { nonce = 0n, balanceWei = 0n, code }) {
      const codeHash = code?.length ? keccak256(code) : EMPTY_CODE_HASH
      if (code?.length) world.codes.set(toKey(codeHash), code)
      world.accounts.set(toKey(address), { nonce, balanceWei, codeHash })
    },
    account: (address) => world.accounts.get(toKey(address)),
    code: (codeHash) => world.codes.get(toKey(codeHash)) ?? new Uint8Array(0),
    storage: (address, slot) => world.storage.get(toKey(address))?.get(toKey(slot)) ?? ZERO_WORD,
    hasStorage: (address) => (world.storage.get(toKey(address))?.size ?? 0) > 0,
    blockHash: (number) => keccak256(new TextEncoder().encode(number.toString())),
    setAccount(address, account) {
      if (account) world.accounts.set(toKey(address), account)
      else world.accounts.delete(toKey(address))
    },
    setCode(codeHash, code) {
      world.codes.set(toKey(codeHash), code)
    },
    setStorage(address, slot, value) {
      const key = toKey(address)
      let slots = world.storage.get(key)
      if (!slots) {
        slots = new Map()
        world.storage.set(key, slots)
      }
      if (equal(value, ZERO_WORD)) slots.delete(toKey(slot))
      else slots.set(toKey(slot), value)
    },
    clearStorage(address) {
      world.storage.delete(toKey(address))
    },
    branch() {
      branches.push(world)
      world = copyOf(world)
    },
    merge() {
      branches.pop()
    },
    drop() {
      world = branches.pop()!
    },
  }
  return state
}
