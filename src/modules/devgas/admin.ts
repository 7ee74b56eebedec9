/** Who may speak for a contract (devgas.md §6.2, D12). */
import { createAddress } from '../../evm/contract-address.ts'
import { decodeUint, equal, hex } from '../../primitives/bytes.ts'
import { governance } from '../../sdk/authority.ts'
import type { Context } from '../../sdk/context.ts'
import { errors as sdkErrors } from '../../sdk/errors.ts'
import * as evm from '../evm/keeper.ts'

/** `owner()` of ERC-173. */
const OWNER_CALL = hex('8da5cb5b')
const OWNER_GAS = 100_000n
const NONCE_GAS = 50n
export const MOST_NONCES = 20

/** What `owner()` answers; undefined for none, for zero, and for anything that is not an address. */
export function ownerOf(ctx: Context, contract: Uint8Array): Uint8Array | undefined {
  const answer = evm.answerOf(ctx, contract, OWNER_CALL, OWNER_GAS)
  if (answer?.length !== 32 || decodeUint(answer.subarray(0, 12)) !== 0n) return undefined
  const owner = answer.slice(12)
  return decodeUint(owner) === 0n ? undefined : owner
}

/** Whether nonces lead from an account to a contract: each step is a creation. Each costs 50 gas. */
export function provesCreation(
  ctx: Context,
  creator: Uint8Array,
  nonces: readonly bigint[],
  contract: Uint8Array,
): boolean {
  if (nonces.length === 0) return false
  let at = creator
  for (const nonce of nonces) {
    ctx.gas.consume(NONCE_GAS, 'proof of creation')
    at = createAddress(at, nonce)
  }
  return equal(at, contract)
}

/** Whether anybody may register a contract that pays itself: nobody can sign for its owner (devgas.md §6.4). */
export function isOwnedByNobody(ctx: Context, owner: Uint8Array | undefined): boolean {
  return owner !== undefined && (equal(owner, governance) || evm.isContract(ctx, owner))
}

/**
 * The account that speaks for a contract: its owner if that is no contract, else who sent the transaction that made it.
 * Undefined for a contract that has neither. `owner` is what `ownerOf` said.
 */
export function adminOf(ctx: Context, contract: Uint8Array, owner: Uint8Array | undefined): Uint8Array | undefined {
  if (owner && !evm.isContract(ctx, owner)) return owner
  return evm.creation(ctx, contract)?.origin
}

export function notAdmin(text: string) {
  return sdkErrors.unauthorized(`you are not an admin of this contract ${text}`)
}
