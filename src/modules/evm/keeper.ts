/** Reads of the EVM's state for other modules, gateways and the module's own handlers. */
import { delegationTarget } from '../../evm/delegation.ts'
import { equal, ZERO_WORD } from '../../primitives/bytes.ts'
import { EMPTY_CODE_HASH } from '../../primitives/hash.ts'
import type { Context, ReadContext } from '../../sdk/context.ts'
import * as auth from '../auth/keeper.ts'
import * as bank from '../bank/keeper.ts'
import * as state from './state.ts'

export { defaultFork } from './rules.ts'

/** Returns the nonce of an account; 0 if it does not exist. */
export function nonce(ctx: ReadContext, address: Uint8Array): bigint {
  return auth.getAccount(ctx, address)?.sequence ?? 0n
}

/** Returns the balance of an address, base units and remainder together. Unit: wei. */
export function balanceWei(ctx: ReadContext, address: Uint8Array): bigint {
  return bank.balanceWei(ctx, address)
}

/** Returns the Keccak-256 of the code of an address; the hash of no bytes if it has no code. */
export function codeHash(ctx: ReadContext, address: Uint8Array): Uint8Array {
  return auth.getAccount(ctx, address)?.codeHash ?? EMPTY_CODE_HASH
}

/** Returns deployed code; undefined for an address without code. */
export function code(ctx: ReadContext, address: Uint8Array): Uint8Array | undefined {
  const hash = codeHash(ctx, address)
  return equal(hash, EMPTY_CODE_HASH) ? undefined : state.codes.get(ctx, hash)
}

/** Returns deployed code by its Keccak-256; undefined if no contract ever had it. */
export function codeByHash(ctx: ReadContext, hash: Uint8Array): Uint8Array | undefined {
  return state.codes.get(ctx, hash)
}

/** Whether an address has code other than a delegation (EIP-7702). */
export function isContract(ctx: ReadContext, address: Uint8Array): boolean {
  const found = code(ctx, address)
  return found !== undefined && found.length > 0 && !delegationTarget(found)
}

/** Returns the value of a storage slot, 32 bytes; zeros if unset. */
export function storage(ctx: ReadContext, address: Uint8Array, slot: Uint8Array): Uint8Array {
  return ctx.store.get(state.EVM_STORE, state.slotKey(address, slot)) ?? ZERO_WORD
}

/** Returns store and key of a storage slot, for proofs. */
export function slotStoreKey(
  address: Uint8Array,
  slot: Uint8Array,
): { readonly store: string; readonly key: Uint8Array } {
  return { store: state.EVM_STORE, key: state.slotKey(address, slot) }
}

/** Returns the creator of a contract; undefined for other addresses, and for contracts older than these records (D12). */
export function creation(ctx: ReadContext, contract: Uint8Array): state.Creation | undefined {
  return state.creations.get(ctx, contract)
}

export function recordCreation(ctx: Context, contract: Uint8Array, made: state.Creation): void {
  state.creations.set(ctx, contract, made)
}

export { blockHash, blockHashAmendments } from './block-hashes.ts'
export { addToBlock, nextIndex } from './block-totals.ts'
// Parts of the module that the execution of transactions uses.
export { blockEnv, prevRandaoOf } from './calls/block-env.ts'
export { tryStaticCall } from './calls/message-calls.ts'
export { type AccountDump, amendmentsOf, dumpAccounts } from './development/account-dump.ts'
export { type Amendment, amend } from './development/amendments.ts'
export { baseFeeWei, endOfBlock, isImpersonated, prevRandaoOverride } from './development/settings.ts'
export { createEvmState } from './evm-state.ts'
export { logMessages } from './logs.ts'
export { params } from './params.ts'
export { precompilesOf } from './precompiles/impersonated-signatures.ts'
export { chainPrecompiles } from './precompiles/table.ts'
export { chainRules } from './rules.ts'
export { consoleTracer } from './tracing/console-log.ts'
export { traceState } from './tracing/trace-state.ts'
