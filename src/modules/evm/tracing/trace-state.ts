/** The chain's state as tracers read it, around a transaction: before its fee was taken, and after its refund. */
import type { TraceState } from '../../../evm/trace.ts'
import { EMPTY, equal } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/hash.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import * as auth from '../../auth/keeper.ts'
import * as bank from '../../bank/keeper.ts'
import { codes, EVM_STORE, slotKey } from '../state.ts'

const ZERO_WORD = new Uint8Array(32)

/** A view that follows the context. What was destructed only who ran the transaction knows. */
export function traceState(ctx: ReadContext, isDestructed: (address: Uint8Array) => boolean = () => false): TraceState {
  return {
    isDestructed,
    exists: (address) => auth.getAccount(ctx, address) !== undefined || bank.balanceWei(ctx, address) > 0n,
    balance: (address) => bank.balanceWei(ctx, address),
    nonce: (address) => auth.getAccount(ctx, address)?.sequence ?? 0n,
    code(address) {
      const hash = auth.getAccount(ctx, address)?.codeHash ?? EMPTY_CODE_HASH
      return equal(hash, EMPTY_CODE_HASH) ? EMPTY : (codes.get(ctx, hash) ?? EMPTY)
    },
    storage: (address, slot) => ctx.store.get(EVM_STORE, slotKey(address, slot)) ?? ZERO_WORD,
  }
}
