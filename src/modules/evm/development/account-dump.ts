/** Dumps of accounts, and the amendments that restore them on a development chain. */
import { EMPTY, equal, toKey } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/hash.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import * as auth from '../../auth/keeper.ts'
import * as bank from '../../bank/keeper.ts'
import * as state from '../state.ts'
import type { Amendment } from './amendments.ts'

/** An account with its code and storage, as dumps contain it. */
export interface AccountDump {
  readonly address: Uint8Array
  readonly nonce: bigint
  readonly balanceWei: bigint
  readonly code: Uint8Array
  readonly storage: readonly (readonly [slot: Uint8Array, value: Uint8Array])[]
}

/** Returns every account of the chain except module accounts, by address. */
export function* dumpAccounts(ctx: ReadContext): IterableIterator<AccountDump> {
  for (const { address, kind, sequence, codeHash } of auth.accounts(ctx)) {
    if (kind === 'module' || address.length !== 20) continue
    yield {
      address,
      nonce: sequence,
      balanceWei: bank.balanceWei(ctx, address),
      code: equal(codeHash, EMPTY_CODE_HASH) ? EMPTY : (state.codes.get(ctx, codeHash) ?? EMPTY),
      storage: [...state.slots.iterate(ctx, { prefix: address })].map(([[, slot], value]) => [slot, value] as const),
    }
  }
}

/** Returns the changes that restore an account from a dump; they clear the slots that the dump lacks. */
export function* amendmentsOf(ctx: ReadContext, dump: AccountDump): IterableIterator<Amendment> {
  const { address, nonce, balanceWei, code, storage } = dump
  if (auth.getAccount(ctx, address)?.kind === 'module') return
  yield { kind: 'balance', address, wei: balanceWei }
  yield { kind: 'nonce', address, nonce }
  if (!equal(code, codeOf(ctx, address))) yield { kind: 'code', address, code }
  const kept = new Set(storage.map(([slot]) => toKey(slot)))
  for (const [[, slot]] of state.slots.iterate(ctx, { prefix: address })) {
    if (!kept.has(toKey(slot))) yield { kind: 'storage', address, slot, value: new Uint8Array(32) }
  }
  for (const [slot, value] of storage) yield { kind: 'storage', address, slot, value }
}

function codeOf(ctx: ReadContext, address: Uint8Array): Uint8Array {
  const { codeHash } = auth.getAccount(ctx, address) ?? { codeHash: EMPTY_CODE_HASH }
  return equal(codeHash, EMPTY_CODE_HASH) ? EMPTY : (state.codes.get(ctx, codeHash) ?? EMPTY)
}
