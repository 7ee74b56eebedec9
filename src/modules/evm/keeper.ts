/** What other modules, gateways and our own handlers ask of the EVM's state. */
import { delegationTarget } from '../../evm/access.ts'
import { equal } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import * as state from './state.ts'

export { defaultFork } from './rules.ts'

const ZERO_WORD = new Uint8Array(32)

/** Nonce of an account; 0 if there is none. */
export function nonce(ctx: ReadContext, address: Uint8Array): bigint {
  return auth.getAccount(ctx, address)?.sequence ?? 0n
}

/** Balance of an address, base denom and remainder together. Unit: wei. */
export function balanceWei(ctx: ReadContext, address: Uint8Array): bigint {
  return bank.balanceWei(ctx, address)
}

/** Keccak-256 of the code of an address; that of nothing for anything without code. */
export function codeHash(ctx: ReadContext, address: Uint8Array): Uint8Array {
  return auth.getAccount(ctx, address)?.codeHash ?? EMPTY_CODE_HASH
}

/** Deployed code; undefined for an address without any. */
export function code(ctx: ReadContext, address: Uint8Array): Uint8Array | undefined {
  const hash = codeHash(ctx, address)
  return equal(hash, EMPTY_CODE_HASH) ? undefined : state.codes.get(ctx, hash)
}

/** Whether an address is a contract's: it has code. An account that delegates is none (EIP-7702). */
export function isContract(ctx: ReadContext, address: Uint8Array): boolean {
  const found = code(ctx, address)
  return found !== undefined && found.length > 0 && !delegationTarget(found)
}

/** A storage slot, 32 bytes; zeros if unset. */
export function storage(ctx: ReadContext, address: Uint8Array, slot: Uint8Array): Uint8Array {
  return ctx.store.get(state.EVM_STORE, state.slotKey(address, slot)) ?? ZERO_WORD
}

/** Store and key of a storage slot. */
export function slotPlace(address: Uint8Array, slot: Uint8Array): { readonly store: string; readonly key: Uint8Array } {
  return { store: state.EVM_STORE, key: state.slotKey(address, slot) }
}

/** Who made a contract; undefined if it is none, or was made before there were such records (D12). */
export function creation(ctx: ReadContext, contract: Uint8Array): state.Creation | undefined {
  return state.creations.get(ctx, contract)
}

export function recordCreation(ctx: Context, contract: Uint8Array, made: state.Creation): void {
  state.creations.set(ctx, contract, made)
}

export { addToBlock, nextIndex } from './block-values.ts'
// The parts that the path of transactions works with.
export { blockEnv, prevRandaoOf } from './calls/block-env.ts'
export { answerOf } from './calls/message-calls.ts'
export {
  type AccountDump,
  type Amendment,
  amend,
  amendmentsOf,
  baseFeeWei,
  dumpAccounts,
  endOfBlock,
  isImpersonated,
  setPrevRandao,
} from './development/development.ts'
export { createEvmState } from './evm-state.ts'
export { logMessages } from './logs.ts'
export { params } from './params.ts'
export { chainPrecompiles } from './precompiles.ts'
export { chainRules } from './rules.ts'
export { consoleTracer } from './tracing/printing.ts'
export { traceState } from './tracing/trace-state.ts'
