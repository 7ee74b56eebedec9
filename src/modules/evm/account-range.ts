/** Pages of accounts in the order of Ethereum's state trie, and the accounts that blocks wrote. */
import { equal, formatHex0x, fromKey, toKey } from '../../primitives/bytes.ts'
import { queryError } from '../../primitives/errors.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../primitives/hash.ts'
import type { ReadContext } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import * as state from './state.ts'
import { storageRoot } from './storage-root.ts'

/** Slots in one page of accounts. Beyond: an error. */
const MAX_SLOTS = 10_000
/** Accounts that the blocks of one request wrote. Beyond: an error. */
const MAX_MODIFIED = 100_000
/** Number of accounts or keys between two checks of the deadline. */
const STRIDE = 256
const ADDRESS_BYTES = 20

export interface AccountRangeRequest {
  /** Hash of the first account: `0x` and 64 digits. */
  readonly start: string
  readonly most: number
  readonly withCode: boolean
  readonly withStorage: boolean
}

/** One account of a page. */
export interface RangeAccount {
  readonly address: Uint8Array
  /** Keccak-256 of the address, as `0x` and 64 digits. */
  readonly hash: string
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly codeHash: Uint8Array
  readonly storageRoot: Uint8Array
  readonly code: Uint8Array | undefined
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[] | undefined
}

export interface AccountRange {
  readonly accounts: readonly RangeAccount[]
  /** Hash of the next account; undefined on the last page. */
  readonly next: string | undefined
}

interface Found {
  readonly hash: string
  readonly account: ReturnType<typeof auth.accounts> extends IterableIterator<infer One> ? One : never
}

/** Returns the first accounts whose hashes are at least `start`, and keeps at most twice a page in memory. */
function firstAccounts(ctx: ReadContext, start: string, most: number, check: (seen: number) => void): readonly Found[] {
  let found: Found[] = []
  let end: string | undefined
  let seen = 0
  const settle = (): void => {
    found = found.sort((a, b) => (a.hash < b.hash ? -1 : 1)).slice(0, most + 1)
    end = found.length > most ? found[most]!.hash : undefined
  }
  for (const account of auth.accounts(ctx)) {
    check(seen++)
    if (account.address.length !== ADDRESS_BYTES) continue
    const hash = formatHex0x(keccak256(account.address))
    if (hash < start || (end !== undefined && hash > end)) continue
    if (found.push({ hash, account }) > 2 * (most + 1)) settle()
  }
  settle()
  return found
}

/**
 * Returns the first `most` accounts whose hashes are at least `start`. It reads every account of the chain. Throws 4
 * `deadlineExceeded` when stopped, 8 `resourceExhausted` for more than `MAX_SLOTS` slots, and the errors of `storageRoot`.
 */
export function accountRange(
  ctx: ReadContext,
  { start, most, withCode, withStorage }: AccountRangeRequest,
  shouldStop: () => boolean,
): AccountRange {
  const check = (seen: number): void => {
    if (seen % STRIDE === 0 && shouldStop()) throw queryError('deadlineExceeded', 'execution timeout')
  }
  let slots = 0
  function storageOf(address: Uint8Array): RangeAccount['storage'] {
    const entries: (readonly [Uint8Array, Uint8Array])[] = []
    for (const [[, slot], value] of state.slots.iterate(ctx, { prefix: address })) {
      check(slots)
      if (++slots > MAX_SLOTS) {
        const text = `the page has more than ${MAX_SLOTS} slots: ask for fewer accounts, or without their storage`
        throw queryError('resourceExhausted', text)
      }
      entries.push([slot, value])
    }
    return entries
  }
  const found = firstAccounts(ctx, start, most, check)
  const accounts = found.slice(0, most).map(({ hash, account: { address, sequence, codeHash } }): RangeAccount => {
    const hasCode = !equal(codeHash, EMPTY_CODE_HASH)
    return {
      address,
      hash,
      nonce: sequence,
      balanceWei: bank.balanceWei(ctx, address),
      codeHash,
      storageRoot: storageRoot(ctx, address, shouldStop),
      code: withCode && hasCode ? state.codes.get(ctx, codeHash) : undefined,
      storage: withStorage ? storageOf(address) : undefined,
    }
  })
  return { accounts, next: found[most]?.hash }
}

/**
 * Returns the addresses of the accounts whose nonce, coins, code or storage the blocks of a range wrote, with an equal value too.
 * Throws 4 `deadlineExceeded` when stopped, 8 `resourceExhausted` for more than `MAX_MODIFIED`, and the errors of heights.
 */
export function writtenAccounts(
  ctx: ReadContext,
  { first, last }: { readonly first: bigint; readonly last: bigint },
  shouldStop: () => boolean,
): readonly Uint8Array[] {
  const found = new Set<string>()
  const addressOf = (store: string, key: Uint8Array): Uint8Array | undefined =>
    auth.addressAt(store, key) ?? bank.holderAt(ctx, store, key) ?? state.contractAt(store, key)
  let seen = 0
  for (let height = first; height <= last; height++) {
    if (shouldStop()) throw queryError('deadlineExceeded', 'execution timeout')
    for (const { store, key } of ctx.store.writtenAt!(height)) {
      if (seen++ % STRIDE === 0 && shouldStop()) throw queryError('deadlineExceeded', 'execution timeout')
      const address = addressOf(store, key)
      if (address?.length === ADDRESS_BYTES) found.add(toKey(address))
      if (found.size > MAX_MODIFIED) {
        throw queryError(
          'resourceExhausted',
          `the blocks wrote more than ${MAX_MODIFIED} accounts: ask for fewer blocks`,
        )
      }
    }
  }
  return [...found].map(fromKey)
}
