/** State overrides of calls, applied to an `EvmState` (D24). */
import type { EvmState } from '../../../evm/state.ts'
import type { Precompiles } from '../../../evm/types.ts'
import { formatHex0x, toKey } from '../../../primitives/bytes.ts'
import { queryError } from '../../../primitives/errors.ts'
import { EMPTY_CODE_HASH, keccak256 } from '../../../primitives/hash.ts'
import type { AccountOverride } from './call-args.ts'

/** Writes the overrides into a state whose writes are dropped. */
export function applyOverrides(state: EvmState, overrides: readonly AccountOverride[]): void {
  for (const { address, nonce, code, balanceWei, state: whole, stateDiff } of overrides) {
    const before = state.account(address)
    const codeHash = code === undefined ? (before?.codeHash ?? EMPTY_CODE_HASH) : keccak256(code)
    if (code !== undefined) state.setCode(codeHash, code)
    state.setAccount(address, {
      nonce: nonce ?? before?.nonce ?? 0n,
      balanceWei: balanceWei ?? before?.balanceWei ?? 0n,
      codeHash,
    })
    if (whole) state.clearStorage(address)
    for (const { slot, value } of whole ?? stateDiff ?? []) state.setStorage(address, slot, value)
  }
}

/**
 * Returns the precompiles after the overrides: moved ones at their new address, and none where an override sets code.
 * Throws `invalidArgument` for a move from an address without a precompile, or to an address that is overridden as well.
 */
export function movePrecompiles(precompiles: Precompiles, overrides: readonly AccountOverride[]): Precompiles {
  if (overrides.length === 0) return precompiles
  const moved = new Map(precompiles)
  const targets = new Set<string>()
  for (const { address, movePrecompileTo, code } of overrides) {
    const from = toKey(address)
    const precompile = precompiles.get(from)
    if (movePrecompileTo) {
      if (!precompile) throw queryError('invalidArgument', `account ${formatHex0x(address)} is not a precompile`)
      const to = toKey(movePrecompileTo)
      if (targets.has(to)) {
        throw queryError('invalidArgument', `account ${formatHex0x(movePrecompileTo)} has already been overridden`)
      }
      targets.add(to)
      moved.delete(from)
      moved.set(to, precompile)
    } else if (code !== undefined || precompile) moved.delete(from)
  }
  return moved
}
