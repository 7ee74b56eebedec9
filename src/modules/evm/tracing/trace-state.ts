/** The state that tracers read around a transaction: before its fee was charged, and after its refund. */
import type { TraceState } from '../../../evm/trace.ts'
import { EMPTY, equal, ZERO_WORD } from '../../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../../primitives/hash.ts'
import type { ReadContext } from '../../../sdk/context.ts'
import * as auth from '../../auth/keeper.ts'
import * as bank from '../../bank/keeper.ts'
import { codes, EVM_STORE, slotKey } from '../state.ts'

/** Creates a view of the context's current state. `isDestructed` comes from the execution of the transaction. */
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
