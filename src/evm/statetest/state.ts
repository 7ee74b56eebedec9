/** A state of plain maps, with Ethereum's state root. */
import { equal, fromKey, toKey, utf8, ZERO_WORD } from '../../primitives/bytes.ts'
import { keccak256 } from '../../primitives/hash.ts'
import { encode, fromUint } from '../../primitives/rlp.ts'
import type { EvmAccount, EvmState } from '../state.ts'
import { secureTrieRoot } from '../trie.ts'

interface Account {
  readonly data: EvmAccount | undefined
  /** The slots by `toKey(slot)`; zero values are absent. */
  readonly storage: ReadonlyMap<string, Uint8Array>
}

export interface MapState extends EvmState {
  /** Returns the root of the trie of all accounts. */
  root(): Uint8Array
}

const NO_STORAGE: ReadonlyMap<string, Uint8Array> = new Map()

/** Creates an empty state. Block hashes are those of the public tests: the Keccak-256 of the number's decimal digits. */
export function createMapState(): MapState {
  let accounts = new Map<string, Account>()
  const codes = new Map<string, Uint8Array>()
  const outer: Map<string, Account>[] = []

  const find = (address: Uint8Array): Account | undefined => accounts.get(toKey(address))
  const put = (address: Uint8Array, account: Account) => {
    if (!account.data && account.storage.size === 0) accounts.delete(toKey(address))
    else accounts.set(toKey(address), account)
  }

  return {
    account: (address) => find(address)?.data,
    code: (codeHash) => codes.get(toKey(codeHash)) ?? new Uint8Array(0),
    storage: (address, slot) => find(address)?.storage.get(toKey(slot)) ?? ZERO_WORD,
    hasStorage: (address) => (find(address)?.storage.size ?? 0) > 0,
    blockHash: (number) => keccak256(utf8(number.toString())),
    setAccount(address, data) {
      put(address, { data, storage: find(address)?.storage ?? NO_STORAGE })
    },
    setCode(codeHash, code) {
      codes.set(toKey(codeHash), code)
    },
    setStorage(address, slot, value) {
      const account = find(address)
      const storage = new Map(account?.storage)
      if (equal(value, ZERO_WORD)) storage.delete(toKey(slot))
      else storage.set(toKey(slot), value)
      put(address, { data: account?.data, storage })
    },
    clearStorage(address) {
      put(address, { data: find(address)?.data, storage: NO_STORAGE })
    },
    branch() {
      outer.push(new Map(accounts))
    },
    merge() {
      outer.pop()
    },
    drop() {
      accounts = outer.pop() ?? accounts
    },
    root() {
      return secureTrieRoot(
        [...accounts].flatMap(([key, { data, storage }]) =>
          data ? [[fromKey(key), encodeAccount(data, storage)]] : [],
        ),
      )
    },
  }
}

function encodeAccount(
  { nonce, balanceWei, codeHash }: EvmAccount,
  storage: ReadonlyMap<string, Uint8Array>,
): Uint8Array {
  const root = secureTrieRoot([...storage].map(([slot, value]) => [fromKey(slot), encode(stripZeros(value))]))
  return encode([fromUint(nonce), fromUint(balanceWei), root, codeHash])
}

function stripZeros(value: Uint8Array): Uint8Array {
  const first = value.findIndex((byte) => byte !== 0)
  return value.subarray(first)
}
